"""The command, called as a user would."""

import json
import os
import subprocess
import sys
import time

from tools.paths import ROOT

from meshsim.experiments.cli.main import main


def call(capsys, *words):
    """Exit status, standard output, standard error."""
    try:
        status = main([str(word) for word in words])
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys, *words):
    status, out, err = call(capsys, *words, "--json")
    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def begin(folder, *words):
    """Start the command as a process of its own."""
    command = [sys.executable, "-m", "meshsim.experiments.cli.entry", *words, "--out", str(folder)]
    group = {"cwd": ROOT, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **group, start_new_session=True)


def stop_after(process, path, lines, how):
    """Send a signal once a file has more lines; what the process printed."""
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline and not (path.exists() and path.read_text().count("\n") > lines):
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, how)
    return process.communicate(timeout=60)
