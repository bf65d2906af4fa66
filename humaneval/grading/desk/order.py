"""The order in which a grader gets answers: drawn for each grader, and reproducible from the round's seed."""

import hashlib


def order_of(seed: int, grader: int, position: int) -> bytes:
    """The sort key of a grader's own order of the answers."""
    return hashlib.sha256(f"{seed}:{grader}:{position}".encode()).digest()


def calibration_is_due(n_before: int, *, start: int, share: float, seed: int, grader: int) -> bool:
    """Whether the next answer of a grader is a calibration answer.

    The first *start* are; then one in every ``1 / share``, at an unpredictable position in each such block.

    Args:
        n_before: the number of answers that the grader got so far.
        share: 0 (none) to 0.5.
    """
    if n_before < start:
        return True
    if share <= 0:
        return False
    period = round(1 / share)
    block, place = divmod(n_before - start, period)
    return place == order_of(seed, grader, -1 - block)[0] % period
