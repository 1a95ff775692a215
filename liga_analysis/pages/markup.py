"""HTML from templates, and small pictures in it.

Every number on a page carries its unrounded value with it.
"""

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


class Scale:
    """Chips to percent of a cell's width, so that a picture grows with the page."""

    def __init__(self, low: float, high: float):
        self.low, self.high = (low, high) if low < high else (low - 1, high + 1)

    def __call__(self, value: float) -> str:
        return f"{4 + 92 * (value - self.low) / (self.high - self.low):.2f}%"


def bars(values: list[float], most: float, height: int) -> list[str]:
    """A bar for each value, up or down from the middle of `height`, one unit wide; "" for none.

    `most` is the value that fills half the height. Zero is a hairline, so that it differs from an
    absence.
    """
    return [
        "" if pd.isna(value) else _bar(k, value / most if most else 0, height)
        for k, value in enumerate(values)
    ]


def _bar(k: int, share: float, height: int) -> str:
    middle = height / 2
    size = max(abs(share) * (middle - 0.5), 0.5)
    top = middle - size if share > 0 else middle - 0.25 if share == 0 else middle
    return f"M{k + 0.1:g} {top:.2f}h.8v{0.5 if share == 0 else size:.2f}h-.8z"


def spark(values: list[float], most: float, height: int) -> dict[str, str]:
    """All bars of a row in two paths, those that won and those that lost."""
    drawn = [pair for pair in zip(values, bars(values, most, height), strict=True) if pair[1]]
    return {
        "up": "".join(path for value, path in drawn if value >= 0),
        "down": "".join(path for value, path in drawn if value < 0),
    }
