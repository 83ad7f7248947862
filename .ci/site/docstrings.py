"""Docstrings for the site: examples of the interpreter as blocks of code, names and tags as code."""

import re

import griffe


class Docstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            text = re.sub(r"(?m)((?:^>>> .*\n?)(?:^(?=\S).*\n?)*)", lambda m: f"```pycon\n{m[1].rstrip()}\n```\n", obj.docstring.value)
            text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
            obj.docstring.value = re.sub(r"(?s)(```.*?```|`[^`]*`)|(</?\w+>)", lambda m: m[1] or f"`{m[2]}`", text)
