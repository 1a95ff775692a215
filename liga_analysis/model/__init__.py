"""The estimator: ratings, σ, τ and λ, chances and awards from a season's results.

In: a `Season` or a table of results, and parameters. Out: raw numbers in tables and small frozen
results. It knows no pictures, no clock and no printing.
"""
