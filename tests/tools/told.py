"""Numbers that a text tells."""

import re

NUMBER = re.compile(r"(?<![\w.:])\d+\.\d+(?![\w.])|(?<![\w.:])\d+(?=\s(?:us|ticks|links|processors|messages)\b|\s%)")
"""Those with a point, and those with what they count."""


def numbers(text):
    """The numbers of a text, each as it is written."""
    return set(NUMBER.findall(text.replace(",", " , ")))
