"""The notebook `explore_lambda`: how far the ranking depends on λ and on single evenings.

In: the tables of an exploration. Out: sentences about them.
"""
