"""The chain of labels: its best path and its probabilities are those of all paths, counted one by one."""

import itertools

import numpy as np

from plugins.audit.references.tagging import LABELS, LabelChain, transition_losses

SIZE = len(LABELS)


def chain(tokens: int) -> LabelChain:
    drawn = np.random.default_rng(3)
    moves = drawn.normal(size=(SIZE + 1, SIZE)).astype(np.float32) + transition_losses()
    return LabelChain(drawn.normal(size=(tokens, SIZE)).astype(np.float32) * 2, moves)


def weights_of_all(one: LabelChain) -> dict[tuple[int, ...], float]:
    found = {}
    for path in itertools.product(range(SIZE), repeat=len(one.scores)):
        steps = zip((SIZE, *path), path, strict=False)
        score = sum(float(one.moves[a, b] + one.scores[i, b]) for i, (a, b) in enumerate(steps))
        found[path] = float(np.exp(score))
    return found


def test_the_best_path_and_a_span_s_probability_are_those_of_all_paths() -> None:
    one = chain(4)
    every = weights_of_all(one)
    assert tuple(one.best_path()) == max(every, key=every.__getitem__)
    first, inner = LABELS.index("title"), LABELS.index("in title")
    having = sum(w for path, w in every.items() if path[1:3] == (first, inner) and path[3] != inner)
    found = one.probability(["before", "title", "in title", "after"], "title")
    assert abs(found - having / sum(every.values())) < 1e-4
