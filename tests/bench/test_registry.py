"""The benches' own bookkeeping: what counts as cleared, missed and unequal."""

import pkgutil
import sys

import pytest

from tests.bench import __main__ as command
from tests.bench import registry
from tests.bench.corpus import LENGTHS, N_QUESTIONS, _made
from tests.bench.registry import Report, bench, table


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> dict[str, registry.Bench]:
    """An empty registry, which the command then takes for all there is."""
    empty: dict[str, registry.Bench] = {}
    monkeypatch.setattr(registry, "BENCHES", empty)
    monkeypatch.setattr(command, "BENCHES", empty)
    monkeypatch.setattr(pkgutil, "iter_modules", lambda path, prefix: [])
    return empty


def cleared(report: Report) -> None:
    report.measure("ratio", 12.0, "x", at_least=12)
    report.measure("seconds", 0.5, "s", at_most=0.5)
    report.measure("memory", 900, "MiB")
    report.compare("scores", [0.1, 0.2], [0.1, 0.2])


def missed(report: Report) -> None:
    report.measure("ratio", 11.9, "x", at_least=12)


def test_two_bars(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    def outside(report: Report) -> None:
        for value in (0.92, 0.95, 0.98):
            report.measure(f"coverage {value}", value, "covered", at_least=0.93, at_most=0.97)

    bench("one")(outside)
    assert command.main([]) == 1
    shown = capsys.readouterr().out
    assert "1 of 3 bars cleared" in shown
    assert shown.count("0.93 to 0.97") == 3


def unequal(report: Report) -> None:
    report.compare("scores", [0.1 + 0.2], [0.3])


def test_all_cleared(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    bench("one")(cleared)
    assert command.main([]) == 0
    shown = capsys.readouterr().out
    assert "2 of 2 bars cleared, 0 mismatches" in shown
    assert shown.count("pass") == 2


def test_a_missed_bar(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    bench("one")(cleared)
    bench("two")(missed)
    assert command.main([]) == 1
    shown = capsys.readouterr().out
    assert "missed: two: ratio" in shown
    assert "FAIL" in shown


def test_a_mismatch_in_the_last_bit(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    bench("one")(unequal)
    assert command.main([]) == 1
    assert "MISMATCH scores: [0.30000000000000004] is not [0.3]" in capsys.readouterr().out


def test_a_failing_bench_is_reported_and_the_others_go_on(
    benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]
) -> None:
    def with_a_failing_child(report: Report) -> None:
        report.measure("ratio", 12.0, "x", at_least=12)
        registry.output_of([sys.executable, "-c", "raise KeyError('of the child')"], allowed=(0, 1))

    def failing(report: Report) -> None:
        raise ZeroDivisionError("of the bench")

    for name, function in (("one", with_a_failing_child), ("two", failing), ("three", cleared)):
        bench(name)(function)
    assert command.main([]) == 1
    shown = capsys.readouterr().out
    for expected in ("KeyError: 'of the child'", "ZeroDivisionError: of the bench", "failed: one", "failed: two"):
        assert expected in shown
    assert "failed: three" not in shown
    assert "3 of 3 bars cleared" in shown


def test_the_output_of_a_process_that_warns() -> None:
    warns = [sys.executable, "-c", "print('scored'); raise SystemExit(1)"]
    assert registry.output_of(warns, allowed=(0, 1)) == "scored\n"
    with pytest.raises(registry.ChildError):
        registry.output_of(warns)


def test_a_short_run_has_no_bars(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    def sized(report: Report) -> None:
        report.measure("size", report.size(10, 2), "", at_least=10)

    bench("one")(sized)
    assert command.main([]) == 0
    assert command.main(["--short"]) == 0
    assert "2.000" in capsys.readouterr().out


def test_choosing(benches: dict[str, registry.Bench], capsys: pytest.CaptureFixture[str]) -> None:
    bench("metrics-a")(cleared)
    bench("other")(missed)
    assert command.main(["metrics"]) == 0
    assert command.main(["nothing"]) == 2
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.endswith("metrics-a\nother\n")
    with pytest.raises(ValueError, match="two benches are named 'other'"):
        bench("other")(cleared)


def test_table_of_a_report_with_notes() -> None:
    report = Report("one")
    report.note("on what")
    cleared(report)
    lines = table([report]).splitlines()
    assert lines[1:4] == ["one", "---", "  on what"]


@pytest.mark.parametrize("kind", LENGTHS)
def test_made_submissions_have_real_sizes(kind: str) -> None:
    made = _made(kind)
    lengths = [len(text) for text in made.generations if text is not None]
    assert len(made.ids) == len(set(made.ids)) == len(made.references) == len(made.generations) == N_QUESTIONS
    assert LENGTHS[kind] * 0.9 <= sum(lengths) / len(lengths) <= LENGTHS[kind] * 1.5
    assert made == _made(kind)
