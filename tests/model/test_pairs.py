"""Pairs of players, and what connects them: by hand, by a search, by draws."""

from functools import partial

import pytest
from samples import random_season

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-9  # closed forms by two routes
SAMPLING = 4.5  # standard errors; one check in 150,000 would exceed it by chance


season = partial(random_season, n_players=9, n_evenings=8, least=3)
