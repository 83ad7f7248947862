"""Jinja as transformers sets it up for chat templates."""

import datetime
import json
import warnings

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

NOW = datetime.datetime(2025, 7, 10, 9, 5, 7)


class Generation(jinja2.ext.Extension):
    """The tag generation, and the places of its blocks in the text."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_generated"), [], [], body).set_lineno(line)

    def _generated(self, caller):
        text = caller()
        start = len("".join(self.environment.rendered))
        self.environment.spans.append((start, start + len(text)))
        return text


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda format: NOW.strftime(format)
    return env


def compiled(source):
    """The template, or the exception from compiling it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about jinja2's code
            return environment().from_string(source)
    except Exception as error:  # any: jinja2 lets several kinds through
        return error


def render(template, variables):
    """The text and None, or None and the error."""
    if isinstance(template, Exception):
        return None, repr(template)[:200]
    env = template.environment
    env.rendered, env.spans = [], []
    try:
        for part in template.root_render_func(template.new_context(variables)):
            env.rendered.append(part)
        return "".join(env.rendered), None
    except Exception as error:
        return None, repr(error)[:200]
