"""A season changed by hand: a widget with a state that the next cell can read."""

from dataclasses import replace

import ipywidgets as ipw
import pandas as pd

from ..model.ranking import qualified, ranks, season_fit
from ..model.rating import fit_ratings
from ..pages import views
from ..pages.live import seen
from ..season.season import Season


def what_if(season: Season, lam: float | None = None) -> "WhatIf":
    """A season changed by hand, shown by being the last line of a cell; nothing is stored.

    Parameters
    ----------
    season : Season
    lam : float, optional
        In place of the λ in force.

    Returns
    -------
    WhatIf
        A widget; `.season` is the season as it would be, `.changes` a table of what is changed;
        `.change`, `.leave_out` and `.take_back` do what its fields do.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> what_if = liga.what_if(liga.load_season("data/beispielliga/2026"))
    >>> what_if.leave_out(3)
    >>> 3 in what_if.season.held
    False
    """
    return WhatIf(season, lam)


class WhatIf(ipw.VBox):
    """A season as it would be with other results, or without some: nothing is stored.

    The table shown keeps every player and who is in der Wertung, as `influence` does; the
    `standings` of `season` recompute both.
    """

    def __init__(self, season: Season, lam: float | None = None):
        self._given, self._fit, self._ranked = season, season_fit(season, lam), qualified(season)
        self._results, self._without = {}, set()
        words = season.words
        self.evening = ipw.Dropdown(
            options=[(str(evening), evening) for evening in season.held],
            value=season.held[-1],
            description=words.text("column.evening"),
        )
        self.left_out = ipw.Checkbox(description=words.text("explore.left_out"), indent=False)
        self.rows, self.sum, self.undo = ipw.VBox(), ipw.HTML(), ipw.VBox()
        self.table, self._failed = ipw.HTML(), ipw.Output()
        keeps = ipw.HTML(words.text("explore.what_if_keeps", lam=self._fit.lam))
        columns = [ipw.VBox([self.rows, self.sum, self.undo]), ipw.VBox([self.table, keeps])]
        super().__init__(
            [
                ipw.HTML(str(views.style())),
                ipw.HBox([self.evening, self.left_out]),
                ipw.HBox(columns, layout=ipw.Layout(flex_flow="row wrap")),
                self._failed,
            ]
        )
        self._leave = seen(self._failed, self._left)
        self.evening.observe(seen(self._failed, self._open), "value")
        self.left_out.observe(self._leave, "value")
        self._open()

    def change(self, evening: int, player: str, result: float | None) -> None:
        """Another result in chips; None if the player had not come.

        Raises
        ------
        ValueError
            If the player did not sit at that evening, or the result is no number.
        """
        rows = self._given.results[self._given.results["evening"] == evening]
        if player not in set(rows["player"]):
            raise ValueError(
                f"evening {evening} has no {player!r}, but {', '.join(rows['player'])}"
            )
        self._results[evening, player] = None if result is None else float(result)
        self.evening.value = evening
        self._open()

    def leave_out(self, evening: int) -> None:
        """Without this evening.

        Raises
        ------
        ValueError
            If it was not held.
        """
        if evening not in self._given.held:
            raise ValueError(f"evening {evening} was not held; held are {self._given.held}")
        self._without.add(evening)
        self._open()

    def take_back(self, evening: int, player: str | None = None) -> None:
        """Undo the change of a result, or the leaving out of an evening."""
        if player is None:
            self._without.discard(evening)
        else:
            self._results.pop((evening, player), None)
        self._open()

    @property
    def season(self) -> Season:
        """The season as it would be."""
        return changed(self._given, self._results, self._without)

    @property
    def changes(self) -> pd.DataFrame:
        """What is changed, a row each: `evening`, `player`, `was` and `now` in chips.

        Without a player the whole evening is left out; without `now` the player had not come.
        """
        was = self._given.results.set_index(["evening", "player"])["result"]
        rows = [(evening, None, None, None) for evening in sorted(self._without)]
        rows += [(*key, was[key], now) for key, now in sorted(self._results.items())]
        return pd.DataFrame(rows, columns=["evening", "player", "was", "now"])

    @property
    def ratings(self) -> pd.DataFrame:
        """The table shown: `player`, `rating`, `rank`, with every player and the same Wertung."""
        return self._ratings(self.season.results)

    def _open(self, _=None) -> None:
        """The results of the evening chosen, each with a field and a switch."""
        evening = self.evening.value
        rows = self._given.results[self._given.results["evening"] == evening]
        self.rows.children = [
            self._field((evening, row.player), row.result) for row in rows.itertuples()
        ]
        self.left_out.unobserve(self._leave, "value")
        self.left_out.value = evening in self._without
        self.left_out.observe(self._leave, "value")
        self._show()

    def _field(self, key, result) -> ipw.HBox:
        current = self._results.get(key, result)
        counts = ipw.Checkbox(
            current is not None,
            description=self._given.words.text("explore.counts"),
            indent=False,
            layout=ipw.Layout(width="70px"),
        )
        field = ipw.FloatText(
            result if current is None else current,
            description=key[1],
            disabled=current is None,
            style={"description_width": "130px"},
            layout=ipw.Layout(width="250px"),
        )

        def moved(_):
            field.disabled = not counts.value
            now = field.value if counts.value else None
            self._results |= {key: now}
            if now == result:
                del self._results[key]
            self._show()

        field.observe(seen(self._failed, moved), "value")
        counts.observe(seen(self._failed, moved), "value")
        return ipw.HBox([field, counts])

    def _left(self, change) -> None:
        (self._without.add if change["new"] else self._without.discard)(self.evening.value)
        self._show()

    def _show(self) -> None:
        words, season = self._given.words, self.season
        total = season.results.loc[season.results["evening"] == self.evening.value, "result"].sum()
        self.sum.value = words.text("explore.sum", sum=total) if round(total, 6) else ""
        self.undo.children = [self._button(*row) for row in self.changes.itertuples(index=False)]
        before, after = (
            self._ratings(results) for results in (self._given.results, season.results)
        )
        self.table.value = str(views.comparison(self._given, before, after))

    def _button(self, evening, player, was, now) -> ipw.Button:
        """A change in words; pressed, it is taken back."""
        words = self._given.words
        player = None if pd.isna(player) else player
        key = "without" if player is None else "absent" if pd.isna(now) else "changed"
        label = words.text(f"explore.undo_{key}", evening=evening, player=player, was=was, now=now)
        button = ipw.Button(description=label, icon="undo", layout=ipw.Layout(width="330px"))
        button.on_click(seen(self._failed, lambda _: self.take_back(evening, player)))
        return button

    def _ratings(self, results: pd.DataFrame) -> pd.DataFrame:
        """Ranks and ratings of all players of the season, 0 without an evening, best first."""
        players, theta = self._fit.graph.players, pd.Series(dtype=float)
        if len(results):
            theta = fit_ratings(results, self._fit.lam, self._fit.sigma).theta
        table = pd.DataFrame({"rating": theta.reindex(players, fill_value=0.0)})
        ranked = self._ranked[players].to_numpy()
        table["rank"] = pd.array([pd.NA] * len(players), "Int64")
        table.loc[ranked, "rank"] = ranks(table["rating"][ranked].to_numpy(), self._fit.sigma)
        table["out"] = ~ranked
        table = table.sort_values(["out", "rating"], ascending=[True, False], kind="stable")
        return table.reset_index(names="player")


def changed(season: Season, results: dict | None = None, without=()) -> Season:
    """The season as it would be with other results: nothing is stored.

    Parameters
    ----------
    season : Season
    results : dict
        By (evening, player) the other result in chips, or None if the player had not come.
    without : iterable of int
        Evenings taken out whole.
    """
    rows = season.results[~season.results["evening"].isin(list(without))].copy()
    keys, other = zip(rows["evening"], rows["player"], strict=True), results or {}
    new = [other.get(key, old) for key, old in zip(keys, rows["result"], strict=True)]
    new = pd.Series(new, rows.index, float)
    rows["chips_out"] += new - rows["result"]
    rows["result"] = new
    rows = rows[new.notna()]
    return replace(season, results=rows, guests=season.guests & set(rows["player"]))
