"""A small sweep, and how tests write and read one."""

import csv

SMALL = """
schemes = ["wong-mesh", "hwang"]
n = [2, 3]
machine = "t800"

[grid]
startup = [0, 20, 50]
per_word = { from = 0, to = 40, count = 3 }
discipline = ["overlap", "rendezvous"]
"""


def spec(tmp_path, text=SMALL, name="small.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def table(folder):
    with (folder / "sweep.csv").open() as stream:
        return list(csv.DictReader(stream))
