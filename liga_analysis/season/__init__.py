"""The data model: tables as people send them, judged by the rulebook, as one checked season.

In: files of any usual shape, or a season's folder. Out: a `Season`, every doubt about it, and the
season's files written whole or not at all.
"""
