"""The command, called as a user would."""

import json

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
