"""Rows with their cosines."""

import numpy as np

from ascertain.stores.chroma.search import NOTHING, Scored


def scored(**scores):
    return Scored(np.array([int(row[1:]) for row in scores]), np.array(list(scores.values())))


def test_the_best_come_first_and_each_once():
    both = scored(r3=0.5, r1=0.9, r7=0.5).join_with(scored(r1=0.9, r2=0.7))
    best = both.best(3)
    assert best.rows.tolist() == [1, 2, 3]
    assert best.scores.tolist() == [0.9, 0.7, 0.5]


def test_nothing_joined_with_nothing_is_nothing():
    assert len(NOTHING.join_with(NOTHING).best(5).rows) == 0
