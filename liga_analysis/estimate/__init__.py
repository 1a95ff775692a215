"""The notebook `estimate_parameters`: what the results say of σ, τ and λ, and what follows.

In: a season and its estimate. Out: sentences, parts and charts.
"""
