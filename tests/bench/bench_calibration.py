"""Simulations of intervals and tests: what is promised against what holds. See :mod:`tests.bench.calibration`."""

from tests.bench.calibration import SUBJECTS
from tests.bench.calibration.figures import Subject
from tests.bench.registry import Bench, Report, bench


def _bench(subject: Subject) -> Bench:
    def run(report: Report) -> None:
        n_trials = report.size(subject.n_trials * (5 if report.full else 1), subject.n_short)
        report.note(subject.about)
        for figure in subject.simulate(n_trials):
            beside = "exact" if figure.n_trials == 0 else f"{figure.n_trials:,} trials"
            report.measure(
                figure.what,
                figure.value,
                figure.unit,
                beside=f"{beside}; {figure.beside}".removesuffix("; "),
                at_least=figure.at_least,
                at_most=figure.at_most,
            )

    return run


for _name, _subject in SUBJECTS.items():
    bench(f"calibration-{_name}")(_bench(_subject))
