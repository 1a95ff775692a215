"""Whether the rating is any good: beside other systems, and by seasons whose truth is known.

In: seasons, real or simulated. Out: tables of scores and of calibration, for two notebooks and the
benchmarks.
"""
