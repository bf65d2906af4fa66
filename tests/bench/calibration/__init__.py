"""Simulations of the statements that pages make about uncertainty: do 95 % intervals cover 95 %?

One module per subject: a function that takes a number of trials and yields figures (:mod:`.figures`), listed in
:data:`SUBJECTS`. ``make bench ARGS=calibration`` runs all of them in full, ``ARGS=calibration-proportions`` one. The
quick tests run a short form (:data:`~tests.bench.calibration.figures.Subject.n_short` trials), which allows for chance.
"""

from tests.bench.calibration import (
    against_people,
    agreement,
    attempts,
    clusters,
    corrected,
    criteria,
    detectable,
    differences,
    equal_length,
    means,
    people,
    preferences,
    proportions,
    rank_sets,
    ratings,
    unparsed,
    weighted,
    win_rates,
)
from tests.bench.calibration.figures import Subject

SUBJECTS: dict[str, Subject] = {
    "proportions": proportions.SUBJECT,
    "means": means.SUBJECT,
    "people": people.SUBJECT,
    "against-people": against_people.SUBJECT,
    "ratings": ratings.SUBJECT,
    "clusters": clusters.SUBJECT,
    "differences": differences.SUBJECT,
    "agreement": agreement.SUBJECT,
    "corrected": corrected.SUBJECT,
    "criteria": criteria.SUBJECT,
    "rank-sets": rank_sets.SUBJECT,
    "detectable": detectable.SUBJECT,
    "preferences": preferences.SUBJECT,
    "equal-length": equal_length.SUBJECT,
    "win-rates": win_rates.SUBJECT,
    "unparsed": unparsed.SUBJECT,
    "attempts": attempts.SUBJECT,
    "weighted": weighted.SUBJECT,
}
"""Every subject by its name, in the order in which they are reported."""
