"""The season told by its evenings: who led when, what swung and decided, what was put right."""

import pandas as pd

from ..model.rating import Fit
from ..model.sensitivity import LambdaPath
from ..season.evenings import fate
from ..season.season import Season


def evenings_table(season: Season) -> pd.DataFrame:
    """The evenings held, in order, with all that happened on them.

    Returns
    -------
    DataFrame
        `evening`, `date`, `host`, `place`; `players`; `entries`; `chips` on the table (missing
        where an entry count is); `moved`, the chips that changed hands, Σ|result|/2; `winners`
        (list) and their `result`.
    """
    by_evening = season.results.groupby("evening", sort=False)
    table = season.evenings.set_index("evening").loc[season.held, ["date", "host", "place"]]
    table["players"] = by_evening.size()
    table["entries"] = by_evening["entries"].agg(lambda entries: entries.sum(skipna=False))
    table["chips"] = table["entries"] * season.rules.entry_chips
    table["moved"] = by_evening["result"].agg(lambda result: result.abs().sum() / 2)
    best = season.results[season.results["result"] == by_evening["result"].transform("max")]
    table["winners"] = best.groupby("evening")["player"].agg(list)
    table["result"] = by_evening["result"].max()
    return table.reset_index(names="evening")


def reigns(development: pd.DataFrame) -> list[dict]:
    """Who led when: `players` (none where nobody was ranked), `first`, `last`, `start`, `evenings`.

    `development` is the table of `ranking.development`; `first` and `last` are evenings, `start`
    and `evenings` count.
    """
    first = development[development["rank"] == 1].groupby("evening")["player"].agg(list)
    eras = []
    for evening in development["evening"].drop_duplicates():
        leaders = sorted(first.get(evening, []))
        if eras and eras[-1]["players"] == leaders:
            eras[-1]["last"] = evening
            eras[-1]["evenings"] += 1
        else:
            start = sum(reign["evenings"] for reign in eras)
            reign = {"players": leaders, "first": evening, "last": evening}
            eras.append(reign | {"start": start, "evenings": 1})
    return eras


def largest_swing(development: pd.DataFrame, guests=frozenset()) -> dict | None:
    """The largest change of one rating from one evening to the next.

    Returns
    -------
    dict
        `player`, `evening`, `change` and the new `rating` (chips), `rank_before` and `rank`
        (missing außer Wertung); None where nobody has two evenings in the table.
    """
    order = development["evening"].drop_duplicates().tolist()
    place = {evening: k for k, evening in enumerate(order)}
    rows = development[~development["player"].isin(guests)].copy()
    rows["place"] = rows["evening"].map(place)
    rows = rows.sort_values(["player", "place"], kind="stable")
    by_player = rows.groupby("player")
    rows["change"], rows["rank_before"] = by_player["rating"].diff(), by_player["rank"].shift()
    rows = rows.dropna(subset="change").sort_values(["place", "player"], kind="stable")
    if rows.empty:
        return None
    columns = ["player", "evening", "change", "rating", "rank_before", "rank"]
    return rows.loc[rows["change"].abs().idxmax(), columns].to_dict()


def decisive_evening(season: Season, table: pd.DataFrame, without: LambdaPath) -> dict | None:
    """The evening without which those in der Wertung would stand most differently.

    One without which somebody else would lead, before those that only change the podium, before
    those that move other ranks; of equals the one that moves the ratings most, Σ|rating without −
    rating|.
    `table` is that of `standings`, `without` what `left_out.path_without` returns.

    Returns
    -------
    dict
        `evening`; `podium` without it (names in order); `changed`, whether that is another podium;
        `places`, those moved, Σ|rank without − rank|; `shift`, of the ratings, chips. None with a
        single evening, or nobody in der Wertung.
    """
    ranked = table[table["qualified"]].set_index("player")
    if len(season.held) < 2 or ranked.empty:
        return None
    rank, others = ranked["rank"].astype(int), without.ranks[ranked.index].astype(int)
    places = (others - rank).abs().sum(axis=1)
    chips = (without.ratings[ranked.index] - ranked["rating"]).abs().sum(axis=1)
    podium = rank.clip(upper=season.rules.podium + 1)
    changed = others.clip(upper=season.rules.podium + 1).ne(podium).any(axis=1)
    lead = (others.eq(1) != rank.eq(1)).any(axis=1)
    by = {"lead": lead, "changed": changed, "moved": places > 0, "chips": chips}
    by = pd.DataFrame(by).loc[season.held]
    evening = by.sort_values(list(by), ascending=False, kind="stable").index[0]
    without = others.loc[evening]
    return {
        "evening": int(evening),
        "podium": list(without[without <= season.rules.podium].sort_values(kind="stable").index),
        "changed": bool(changed[evening]),
        "places": int(places[evening]),
        "shift": float(chips[evening]),
    }


def encounters(fit: Fit, players: list[str]) -> pd.DataFrame:
    """At how many evenings each two of the players sat together: `player`, `other`, `evenings`."""
    shared = (fit.graph.seats.T @ fit.graph.seats).toarray().astype(int)
    met = pd.DataFrame(shared, fit.graph.players, fit.graph.players).loc[players, players]
    rows = [(a, b, int(met.at[a, b])) for a in players for b in players if a != b]
    return pd.DataFrame(rows, columns=["player", "other", "evenings"])


def hosts(season: Season) -> pd.DataFrame:
    """Who hosted, most evenings first: `host`, `evenings`."""
    held = season.evenings[season.evenings["evening"].isin(season.held)]
    counts = held.loc[held["host"].fillna("") != "", "host"].value_counts(sort=False)
    table = counts.rename_axis("host").reset_index(name="evenings")
    return table.sort_values("evenings", ascending=False, kind="stable", ignore_index=True)


def remarks(season: Season) -> list[str]:
    """A line for each accepted sum and evening taken out, and one that names what was corrected."""
    words, lines = season.words, []
    for problem in season.problems:
        if problem.key == "sum_accepted":
            chips, reason = problem.values["sum"], problem.values["reason"]
            key = f"accepted_{'missing' if chips < 0 else 'over'}"
            why = words.text("remark.why", reason=reason) if reason else ""
            lines.append(
                words.text(f"remark.{key}", evening=problem.evening, chips=abs(chips), why=why)
            )
    number = pd.to_numeric(season.corrections["evening"], errors="coerce")  # a rename has none
    corrected, out = {}, {}
    for row in season.corrections.assign(evening=number).dropna(subset="evening").itertuples():
        why = words.text("remark.why", reason=row.why) if row.why else ""
        happened, day = fate(str(row.what), int(row.evening))
        if happened == "undone":
            # Its number goes to another evening, which was not corrected.
            corrected.pop(row.evening, None)
            out[day] = words.text("remark.taken_out", day=day, why=why)
        elif happened:
            out.pop(day, None)
        else:
            line = words.text("remark.corrected_one", evening=int(row.evening), why=why)
            corrected.setdefault(row.evening, {})[line] = None
    lines += out.values()
    if sentences := [line for each in corrected.values() for line in each]:
        lines.append(words.text("remark.corrected", evenings=sentences))
    return lines
