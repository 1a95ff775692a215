"""Small pictures inside tables and cards: numbers in, coordinates of SVG paths out."""

import pandas as pd


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
