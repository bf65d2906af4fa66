"""Sample submissions, with their files, problems and runs."""

from dataclasses import replace
from typing import Any

from leaderboard.board.ranking.types import Estimate
from leaderboard.disclosure import NOT_DISCLOSED, too_few_answered
from leaderboard.models import Publication, PublicationState
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.score_table import score_table
from leaderboard.submissions.types import (
    CANNOT_RUN,
    NOT_YET,
    OF_STATE,
    FileView,
    RunView,
    ScoreTable,
    ScoreView,
    SubmissionRow,
    SubmissionView,
)
from scoring.benchmarks import definitions
from scoring.generations.problems import TEXTS, Problem, ProblemGroup, Severity, title_of
from scoring.metrics.side_by_side.items import NAME, WIN_RATE
from scoring.models.run_states import RunState
from tests.gallery.site.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NOW,
    SAMPLE_ID,
    SIGNATURES,
)


def _problem(code: str, severity: Severity, **changes: Any) -> Problem:
    fields: dict[str, Any] = {
        "line": None,
        "column": None,
        "field": None,
        "question_id": None,
        "found": "",
        "expected": "",
        "fix": "",
    }
    return Problem(code=code, severity=severity, **(fields | changes))


def problem_groups() -> list[ProblemGroup]:
    """One group of errors with all there is to say, one with very many, one of a whole file, and warnings."""
    fix = TEXTS["broken-json"][2]
    broken = _problem(
        "broken-json",
        Severity.ERROR,
        line=17,
        column=42,
        found="a single quote where a double quote is expected: “{'id': '36146d2306ce9ca3', …”",
        expected="valid JSON",
        fix=fix,
    )
    unknown = [
        _problem(
            "unknown-id",
            Severity.ERROR,
            line=1000 * number + 3,
            field="id",
            question_id=f"36146d2306ce9c{number:02x}",
            found="an id that no question of this split has",
            expected="an id of the test split",
            fix="Did you mean “36146d2306ce9ca3”?",
        )
        for number in range(1, 21)
    ]
    return [
        ProblemGroup("broken-json", title_of("broken-json", 1), Severity.ERROR, 1, (broken,), fix),
        ProblemGroup(
            "unknown-id",
            "12,041 ids are unknown",
            Severity.ERROR,
            12_041,
            tuple(unknown),
            "Use the ids of the questions file, unchanged.",
        ),
        ProblemGroup(
            "too-large",
            title_of("too-large", 1),
            Severity.ERROR,
            1,
            (_problem("too-large", Severity.ERROR, found=f"more than 32 MiB {LONG_WORD}", expected="at most 32 MiB"),),
            "Leave out everything but the id and the answer.",
        ),
        *warning_groups(),
    ]


def warning_groups() -> list[ProblemGroup]:
    """What is told of a file that is taken all the same."""
    retired = _problem(
        "retired-id",
        Severity.WARNING,
        line=211,
        field="id",
        question_id="36146d2306ce9ca3",
        found="a question removed in the revision of 2026-07-14",
        expected="ids of the present revision",
        fix="Nothing to do: the answer is kept and not scored.",
    )
    return [
        ProblemGroup(
            "missing",
            "3 of 724 questions have no answer",
            Severity.WARNING,
            3,
            tuple(
                _problem("missing", Severity.WARNING, question_id=qid, found="no line", expected="one per question")
                for qid in ("0e2b1a9d8c7f6054", "5aa0c3d1e2f49b87", "f00dfeedc0ffee11")
            ),
            "Each counts as unanswered and scores 0.",
        ),
        ProblemGroup("retired-id", "1 answer is to a retired question", Severity.WARNING, 1, (retired,), retired.fix),
    ]


def file_reports() -> list[FileReport]:
    """A file with errors, a sound one with warnings, and a sound one."""

    def report(slug: str, label: str, filename: str, groups: list[ProblemGroup]) -> FileReport:
        return FileReport(
            answers={},
            n_lines=724,
            n_questions=724,
            n_answered=721,
            missing=(),
            size=412_311,
            sha256="0" * 64,
            groups=tuple(groups),
            filename=filename,
            setting_slug=slug,
            setting_label=label,
        )

    return [
        report("closedbook", "Closed book", f"{LONG_WORD}.jsonl", problem_groups()),
        report("openbook", "Open book", "results-openbook-sample.jsonl", warning_groups()),
        report("evidenceprovided", "Evidence provided", "results.jsonl", []),
    ]


METRICS = {"String accuracy": "accuracy", "ROUGE": "rouge", "BLEURT": "bleurt", "GPT judge": "judge"}
COLUMNS = next(iter(definitions().values())).columns


def _run(state: str, label: str = "String accuracy", **changes: Any) -> RunView:
    fields: dict[str, Any] = {
        "metric": METRICS[label],
        "metric_label": label,
        "state": state,
        "state_label": state.replace("_", " ").capitalize(),
        "reason": "",
        "done": 0,
        "total": 0,
        "percent": None,
        "position": None,
        "scores": [],
        "signature": SIGNATURES[0][1],
        "started_at": None,
        "finished_at": None,
        "attempts": 0,
    }
    return RunView(**(fields | changes))


def _scored(label: str, *, hidden: bool) -> RunView:
    """A run with a value for each score of its metric, those of ROUGE with and without an interval."""
    metric = METRICS[label]
    scores = []
    for index, column in enumerate(column for column in COLUMNS if column.metric == metric):
        value = 0.4712 / (index + 1)
        if hidden and not column.disclosed:
            scores.append(ScoreView(column, None, reason=NOT_DISCLOSED))
        elif index == 2:
            scores.append(ScoreView(column, value))
        else:
            scores.append(ScoreView(column, value, value - 0.0219, value + 0.0219))
    return _run("done", label, scores=scores, attempts=1, started_at=NOW, finished_at=NOW)


def _not_yet(label: str) -> RunView:
    return _run("not_configured", label, state_label=NOT_YET, reason=CANNOT_RUN)


def tables() -> list[ScoreTable]:
    """Runs in every state, in three settings, in one and in one with a very long name."""
    over = _run("over_budget", "GPT judge", reason="This month's budget for the judge is spent.")
    read = _run("incomplete", "GPT judge", reason="7 of 724 replies could not be read.", attempts=1)
    stopped = _run("failed", "ROUGE", reason="The worker stopped in the middle of it, five times.", attempts=5)
    running = _run("running", "ROUGE", done=312, total=724, percent=43, attempts=2, seconds=30.0, n_measured=1)
    accuracy = _scored("String accuracy", hidden=False)
    settings = [
        ("closedbook", "Closed book", [accuracy, running, _run("running", "BLEURT"), over]),
        ("openbook", "Open book", [_run("waiting", position=3, seconds=252.0), stopped, _not_yet("BLEURT"), read]),
        (
            "evidenceprovided",
            "Evidence provided",
            [
                _run("waiting", position=1, has_workers=False),
                _run("cancelled", "ROUGE", reason="Withdrawn by its owner."),
                _not_yet("BLEURT"),
                _not_yet("GPT judge"),
            ],
        ),
    ]
    files = [_file(slug, name, shown) for slug, name, shown in settings]
    return [
        score_table(files, COLUMNS),
        *(score_table([_file("x", name, _runs_of("done"))], COLUMNS) for name in ("Open book", LONG_WORD)),
    ]


def compared_table() -> ScoreTable:
    """Win rates of an unpublished submission, with and without a value at equal length."""
    definition = next(one for one in definitions().values() if NAME in one.metrics)
    files = []
    for value in (Estimate(0.412, 0.371, 0.455), None):
        score = ScoreView(definition.column(WIN_RATE), 0.4712, 0.4301, 0.5129, "", True, value)
        run = replace(_run("done"), metric=NAME, metric_label="Win rate", scores=[score], attempts=1)
        files.append(_file("x", "Open book" if value else "Closed book", [run]))
    return score_table(files, definition.columns)


def runs() -> list[RunView]:
    """A run in every state."""
    return [run for file in tables()[0].files for run in file.runs]


def _runs_of(state: str, *, hidden: bool = True) -> list[RunView]:
    """The runs of a file of a submission in this state, as its sender sees them: of a hidden split, all results
    together, without progress and times (`leaderboard.disclosure.runs_for_sender`)."""
    accuracy, rouge = (_scored(label, hidden=hidden) for label in ("String accuracy", "ROUGE"))
    waiting = [
        _run("waiting", position=2, seconds=70.0, n_measured=20),
        _run("waiting", "ROUGE", position=3, seconds=190.0, n_measured=1),
    ]
    shown = {
        "waiting": waiting,
        "running": [accuracy, _run("running", "ROUGE", done=312, total=724, percent=43)],
        "failed": [accuracy, _run("failed", "ROUGE", reason="The worker stopped five times.", attempts=5)],
        "not_configured": [_not_yet("String accuracy"), _not_yet("ROUGE")],
    }.get(state, [accuracy, rouge])
    if hidden and state in ("waiting", "running"):
        shown = [_run(state), _run(state, "ROUGE")]
    elif hidden:
        shown = [replace(run, attempts=0, started_at=None) for run in shown]
    return [*shown, _not_yet("BLEURT"), _not_yet("GPT judge")]


def withheld(reason: str, **changes: Any) -> SubmissionView:
    """A scored submission to a hidden split whose scores are not shown."""
    runs = [
        replace(run, scores=[replace(score, value=None, low=None, high=None, reason=reason) for score in run.scores])
        for run in _runs_of("done")
    ]
    return submission("done", files=[_file("openbook", "Open book", runs)], **changes)


def _file(slug: str, name: str, shown: list[RunView]) -> FileView:
    return FileView(
        setting_name=name,
        setting_slug=slug,
        filename="results-openbook-sample.jsonl",
        size=112_311,
        text_size=412_311,
        compression="gzip",
        sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        n_lines=722,
        n_answered=721,
        n_questions=724,
        warnings=[group.as_dict() for group in warning_groups()],
        download_url="?page=submission",
        runs=shown,
    )


def submission(state: str, *, hidden: bool = True, **changes: Any) -> SubmissionView:
    """A submission in one of its states, to a hidden or an open split."""
    shown = _runs_of(state, hidden=hidden)
    files = changes.get(
        "files", [_file("openbook", "Open book", shown), _file("evidenceprovided", "Evidence provided", shown)]
    )
    fields: dict[str, Any] = {
        "uuid": SAMPLE_ID,
        "name": "GPT-4o with BM25",
        "state": state,
        "owner_name": "ada",
        "created_at": NOW,
        "benchmark": next(iter(definitions().values())).name,
        "benchmark_slug": "sample",
        "split": "Test" if hidden else "Development",
        "split_slug": "test" if hidden else "dev",
        "split_hidden": hidden,
        "is_owner": True,
        "is_public": False,
        "can_publish": state == "done",
        "can_retry": state == "failed",
        "finished": state not in ("waiting", "running"),
        "published_urls": [],
        "files": files,
        "table": score_table(files, COLUMNS),
        "metadata": [
            ("Authors", LONG_AUTHORS),
            ("Type", "Foundation model"),
            ("Context size", "128,000 tokens"),
            ("Function calling", None),
            ("Web page", "https://example.org/a-model"),
            ("Citation", ""),
            ("Details", "Two lines\nof details"),
        ],
        "url": "?page=submission",
        "seconds": 190.0 if state == "waiting" and not hidden else None,
        "events": [(NOW, "Received version 2 (open book). (ada)")],
    }
    return SubmissionView(**(fields | changes))


def submission_lines() -> list[SubmissionRow]:
    """A submission in every state, and one for each decision about its publication."""
    states = ("waiting", "running", "done", "failed", "not_configured", "withdrawn")
    names = {"done": LONG_NAME, "failed": LONG_WORD}
    scores = [
        ("Open book", ScoreView(COLUMNS[0], 0.4712, 0.4493, 0.4931)),
        ("Closed book", ScoreView(COLUMNS[0], 0.3117)),
        (LONG_NAME, ScoreView(COLUMNS[0], None, reason=too_few_answered())),
    ]
    cannot = f"{NOT_YET}. {CANNOT_RUN}"
    missing = {
        "failed": [("ROUGE", f"Failed. {OF_STATE[RunState.FAILED]}"), ("BLEURT, GPT judge (open book)", cannot)],
        "not_configured": [("String accuracy, ROUGE, BLEURT, GPT judge", cannot)],
        "done": [(f"Loose accuracy ({LONG_NAME.lower()})", too_few_answered())],
    }
    decisions = [
        Publication(state=PublicationState.PENDING),
        Publication(state=PublicationState.JOINING),
        Publication(state=PublicationState.RETURNED, message=f"Name the model that you used. {LONG_WORD} " * 9),
        Publication(state=PublicationState.RETRACTED, public_note="The answers were copied."),
    ]
    rows = [
        SubmissionRow(
            uuid=SAMPLE_ID,
            name=names.get(state, f"A system that is {state.replace('_', ' ')}"),
            split="Test",
            split_slug="test",
            benchmark_slug="sample",
            benchmark=next(iter(definitions().values())).name,
            created_at=NOW,
            state=state,
            is_public=state == "done",
            url="?page=submission",
            team_name={"failed": LONG_NAME, "waiting": "Night shift"}.get(state, ""),
            scores=scores if state == "done" else [],
            missing=missing.get(state, []),
        )
        for state in states
    ]
    scored = replace(rows[2], name="A system", is_public=False, scores=scores[:2], missing=[])
    return [*rows, *(replace(scored, publication=decision) for decision in decisions)]
