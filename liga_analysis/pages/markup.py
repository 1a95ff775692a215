"""HTML from templates; every number on a page carries its unrounded value with it."""

from dataclasses import dataclass
from numbers import Real
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ..words import Sentence, Words, template

TEMPLATE = Path(__file__).with_name("template")


class Html(Markup):
    """HTML that IPython shows as such."""

    def _repr_html_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return "HTML"


def figure(name: str, value, shown: str) -> Markup:
    """A number as shown, with its name and value for whoever reads the page back."""
    if value is None or pd.isna(value):
        return escape(shown)
    exact = int(value) if value == int(value) else repr(float(value))
    return Markup('<data data-is="{}" value="{}">{}</data>').format(name, exact, shown)


def named(player: str) -> Markup:
    """A name set apart: one written from right to left leaves its surroundings alone."""
    return Markup("<bdi>{}</bdi>").format(player)


class _Marked(Sentence):
    """Sentences whose numbers are figures and whose names are set apart."""

    def parse(self, text):
        for literal, *field in super().parse(text):
            yield str(escape(literal)), *field

    def get_field(self, field_name, args, kwargs):
        self.name = field_name
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value, format_spec):
        if isinstance(value, (list, tuple)) and format_spec == "list":
            value = [str(named(entry)) for entry in value]
            return super().format_field(value, format_spec)
        if isinstance(value, Markup):
            return str(value)
        shown = super().format_field(value, format_spec)
        if isinstance(value, Real) and not isinstance(value, bool):
            return str(figure(self.name, value, shown))
        return str(named(shown) if isinstance(value, str) else escape(shown))


@dataclass(frozen=True)
class MarkedWords(Words):
    """A reader's words as HTML."""

    def text(self, key: str, **values) -> Markup:
        marked = _Marked(self)
        return Markup(marked.vformat(template(key, self.language), (), values))


_PARTS = Environment(
    loader=FileSystemLoader(TEMPLATE / "views"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
_PARTS.globals |= {"figure": figure, "named": named}


def html(part: str, words: Words, **values) -> Html:
    """A template of the folder `views`, filled in; `w` and `m` are the words, plain and marked."""
    marked = MarkedWords(words.language, words.digits)
    return Html(_PARTS.get_template(f"{part}.html").render(w=words, m=marked, **values))
