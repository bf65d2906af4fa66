"""The answers of a site's API, as types; ``python -m tests.contracts.records`` writes them.

Fields that a newer site adds are ignored. `/api/v1/docs/` of each site explains every field.
"""

from __future__ import annotations

import datetime
from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An object of an answer."""


class Answer(Record, frozen=True, kw_only=True):
    """An answer."""

    question_id: str
    answer: str


class Attribute(Record, frozen=True, kw_only=True):
    """What systems of a benchmark may state of themselves."""

    name: str
    label: str
    help: str
    kind: str
    board: str
    choices: list[str]
    unit: str


class Baseline(Record, frozen=True, kw_only=True):
    """The baseline that systems are compared with side by side."""

    name: str | None
    slug: str | None
    setting: str
    by_default: bool | None
    judged_length: int | None = None
    n_cut: int | None = None
    n_cut_others: int | None = None


class Benchmark(Record, frozen=True, kw_only=True):
    """A benchmark."""

    slug: str
    name: str
    description: str
    url: str
    citation: str
    homepage: str
    licence: str
    task_type: str = ""
    default_split: str
    default_setting: str
    default_sort: str
    metrics: list[str]
    splits: list[Split]
    settings: list[Setting]
    columns: list[Column]
    attributes: list[Attribute]
    croissant: str


class BenchmarkLine(Record, frozen=True, kw_only=True):
    """A benchmark in a list."""

    slug: str
    name: str
    description: str
    url: str


class Board(Record, frozen=True, kw_only=True):
    """A board."""

    benchmark: str
    split: str
    setting: str
    revision: str
    revisions: list[BoardRevision]
    newer_revision: BoardRevision | None
    baseline: Baseline | None
    next_baseline: Baseline | None
    n_questions: int
    sort: str
    n_total: int
    n_matching: int
    statistics_at: datetime.datetime | None
    statistics_stale: bool
    stale: bool
    detectable: Detectable | None
    version: str
    signatures: dict[str, str]
    exports: list[Format]
    system_exports: list[Format]
    rows: list[BoardRow]
    apart_rows: list[BoardRow]
    pinned_rows: list[BoardRow]


class BoardRevision(Record, frozen=True, kw_only=True):
    """A revision of the questions."""

    revision: str
    date: datetime.date | None
    metrics: list[str]


class BoardRow(Record, frozen=True, kw_only=True):
    """A row of a board."""

    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    tie_group: int | None
    tied: bool
    system: str
    name: str
    authors: str
    citation: str
    type: str
    context_size: int | None
    trained_for_function_calling: bool | None
    attributes: dict[str, Any]
    run_facts: RunFacts | None
    kind: str
    is_human: bool
    pinned: str
    published_in: str
    note: str
    n_answered: int | None
    n_questions: int | None
    published_at: datetime.datetime | None
    evidence: str
    scores: list[Cell]
    alternatives: list[ScoreSource]


class Cell(Record, frozen=True, kw_only=True):
    """One score of a row, or the reason why there is none."""

    score: str
    value: float | None
    low: float | None
    high: float | None
    state: str
    reason: str
    best: bool
    marked: bool
    tie_group: int | None
    p_value: float | None
    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    noise: float | None
    noise_low: float | None
    noise_high: float | None
    n_repeats: int
    other_value: float | None
    corrected: Corrected | None


class Check(Record, frozen=True, kw_only=True):
    """The check of a large upload, by a worker."""

    done: int
    total: int
    problem: dict[str, Any] | None


class Column(Record, frozen=True, kw_only=True):
    """A score that the boards show as a column."""

    score: str
    metric: str
    label: str
    description: str
    default: bool
    higher_is_better: bool
    unit: str
    bounds: list[float] | None


class ComparedScore(Record, frozen=True, kw_only=True):
    """One score of the compared systems."""

    score: str
    values: list[ComparedValue]
    differences: list[Difference]
    not_compared: list[NotCompared]


class ComparedSystem(Record, frozen=True, kw_only=True):
    """A system in a comparison."""

    system: str
    name: str
    is_human: bool
    reason: str


class ComparedValue(Record, frozen=True, kw_only=True):
    """A score of a compared system."""

    system: str
    value: float | None
    low: float | None
    high: float | None


class Comparison(Record, frozen=True, kw_only=True):
    """Systems compared on one board."""

    benchmark: str
    split: str
    setting: str
    systems: list[ComparedSystem]
    scores: list[ComparedScore]


class Corrected(Record, frozen=True, kw_only=True):
    """A judge's score, corrected with human grades."""

    value: float
    low: float
    high: float
    n_graded: int
    graded_in: str


class Detectable(Record, frozen=True, kw_only=True):
    """What a board can tell apart."""

    difference: float
    n_questions: int
    n_systems: int


class Difference(Record, frozen=True, kw_only=True):
    """The first system minus the second, over the same questions."""

    system: str
    other: str
    value: float
    low: float
    high: float
    p_value: float
    corrected: float
    significant: bool
    n_items: int
    equal_share: float | None
    kappa: float | None
    pearson: float | None


class Estimate(Record, frozen=True, kw_only=True):
    """A number with its interval."""

    value: float
    low: float | None
    high: float | None


class Event(Record, frozen=True, kw_only=True):
    """An event in the history of a submission."""

    at: datetime.datetime
    text: str


class SubmittedFile(Record, frozen=True, kw_only=True):
    """An uploaded file, in its current version."""

    setting: str
    version: int
    sent_at: datetime.datetime | None
    on_board: bool
    filename: str
    size: int
    text_size: int | None
    compression: str | None
    sha256: str
    n_lines: int
    n_answered: int
    n_questions: int
    warnings: list[ProblemGroup]
    passages: Passages | None
    usage: dict[str, float] | None
    runs: list[Run]
    earlier: list[Version]


class FileReport(Record, frozen=True, kw_only=True):
    """The validation report of one file."""

    setting: str
    part: str
    filename: str
    ok: bool
    n_lines: int
    n_questions: int
    n_answered: int
    n_missing: int
    size: int
    text_size: int
    compression: str | None
    sha256: str
    n_errors: int
    n_warnings: int
    groups: list[ProblemGroup]


class Format(Record, frozen=True, kw_only=True):
    """A format of files."""

    name: str
    label: str
    url: str


class NotCompared(Record, frozen=True, kw_only=True):
    """Systems that are not compared in one score."""

    systems: list[str]
    reason: str


class Pair(Record, frozen=True, kw_only=True):
    """Two systems against each other."""

    slug: str
    opponent_slug: str
    share: float | None
    n_questions: int


class Passages(Record, frozen=True, kw_only=True):
    """The retrieved passages that were sent with a file."""

    filename: str
    size: int
    sha256: str
    n_questions: int


class Place(Record, frozen=True, kw_only=True):
    """A board that a system is on."""

    benchmark: str
    split: str
    setting: str
    kind: str
    published_at: datetime.datetime


class Problem(Record, frozen=True, kw_only=True):
    """A problem document (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: dict[str, list[str]] | None = None
    files: list[FileReport] | None = None
    quota: dict[str, Any] | None = None


class ProblemGroup(Record, frozen=True, kw_only=True):
    """All problems of one kind in a file: ``count`` is their total number, ``problems`` lists the first of them."""

    code: str
    title: str
    severity: str
    count: int
    n_hidden: int
    where: str
    problems: list[ProblemItem]
    fix: str


class ProblemItem(Record, frozen=True, kw_only=True):
    """One problem in a file, with its location."""

    code: str
    severity: str
    line: int | None
    column: int | None
    field: str | None
    question_id: str | None
    found: str | None
    expected: str | None
    fix: str
    message: str


class PublicationState(Record, frozen=True, kw_only=True):
    """The publication state of a submission."""

    state: str
    needs_approval: bool
    anonymous_until: datetime.date | None
    pseudonym: str
    message: str
    public_note: str
    fingerprint: str


class Question(Record, frozen=True, kw_only=True):
    """A question as worded in the current revision. Reference answers are not included, for any split."""

    id: str
    text: str
    categories: list[str]
    evidence: list[dict[str, Any]]
    decomposition: list[dict[str, Any]]


class QuestionAnswer(Record, frozen=True, kw_only=True):
    """A system's answer to a question."""

    system: str
    name: str
    verdict: str
    value: float | None
    opinions: dict[str, bool]
    answered: bool
    found: list[bool] | None
    answer: Any


class QuestionDetail(Record, frozen=True, kw_only=True):
    """A question of an open split. Reference answers are not included; their strings are counted."""

    id: str
    setting: str
    revision: str
    score: str
    n_systems: int
    mean: float | None
    discrimination: float | None
    n_right: int
    n_partial: int
    n_wrong: int
    n_disagreements: int
    url: str
    question: Question
    harder_than: float | None
    found_by: list[int]
    n_examined: int
    page: str
    answers: str


class QuestionScores(Record, frozen=True, kw_only=True):
    """The scores of one answer."""

    question_id: str
    answered: bool
    scores: dict[str, float | None]


class QuestionStatistics(Record, frozen=True, kw_only=True):
    """What the systems of one setting say of a question."""

    id: str
    setting: str
    revision: str
    score: str
    n_systems: int
    mean: float | None
    discrimination: float | None
    n_right: int
    n_partial: int
    n_wrong: int
    n_disagreements: int
    url: str


class QuestionVerdict(Record, frozen=True, kw_only=True):
    """The judge's verdict on one answer."""

    question_id: str
    verdict: str
    correct: bool
    rule: str
    signature: str


class Quota(Record, frozen=True, kw_only=True):
    """A quota of the account or of its team, and how much of it is used."""

    unit: str
    period: str
    team: bool
    limit: int
    used: int


class RankedSystem(Record, frozen=True, kw_only=True):
    """A system in a ranking."""

    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    system: str
    slug: str
    is_baseline: bool
    strength: Estimate | None
    win_rate: Estimate | None
    controlled: Estimate | None
    mean_score: Estimate | None
    first_place: Estimate | None
    consistency: float | None
    n_opponents: int
    n_comparisons: int
    n_ties: int | None
    n_unparsed: int


class Ranking(Record, frozen=True, kw_only=True):
    """The ranking of a board and its win matrix."""

    benchmark: str
    split: str
    setting: str
    computed_at: datetime.datetime | None
    stale: bool
    signature: str
    n_questions: int | None
    n_comparisons: int | None
    n_ties: int | None
    n_unparsed: int | None
    consistency: float | None
    first_place: Estimate | None
    regularised: bool | None
    systems: list[RankedSystem]
    matrix: list[Pair]


class Result(Record, frozen=True, kw_only=True):
    """A system's scores in one split and setting."""

    benchmark: str
    split: str
    setting: str
    kind: str
    published_in: str
    note: str
    context_size: int | None
    n_answered: int | None
    published_at: datetime.datetime
    scores: list[SystemScore]


class Review(Record, frozen=True, kw_only=True):
    """Why the scores of a file of a hidden split wait for a maintainer's approval."""

    setting: str
    code: str
    title: str
    count: int
    limit: int
    most: int
    questions: list[str]
    refused: bool
    reason: str


class Revision(Record, frozen=True, kw_only=True):
    """A revision of a split: its questions and reference answers at one time."""

    id: str
    content_hash: str
    questions_hash: str
    date: datetime.date
    note: str
    n_questions: int
    has_references: bool
    current: bool


class Run(Record, frozen=True, kw_only=True):
    """The run of one metric on one file."""

    metric: str
    state: str
    reason: str
    done: int
    total: int
    position: int | None
    seconds: float | None
    n_measured: int
    has_workers: bool
    signature: str
    revision: str
    shown: bool
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    scores: list[Score]


class RunFacts(Record, frozen=True, kw_only=True):
    """A RunFacts."""

    organisation: str | None = None
    model: str | None = None
    revision: str | None = None
    access: str | None = None
    licence: str | None = None
    parameters: float | None = None
    active_parameters: float | None = None
    released: datetime.date | None = None
    base_model: str | None = None
    scaffold: str | None = None
    decoding: str | None = None
    framework: str | None = None
    traces: str | None = None


class Score(Record, frozen=True, kw_only=True):
    """A named score: at full precision for an open split, rounded as on the board for a hidden split."""

    name: str
    value: float | None
    reason: str
    low: float | None
    high: float | None


class ScoredRevision(Record, frozen=True, kw_only=True):
    """A revision of the questions that runs of a submission score against."""

    revision: str
    date: datetime.date | None
    shown: list[str]


class Setting(Record, frozen=True, kw_only=True):
    """A setting: what a system is given in addition to the question."""

    slug: str
    name: str
    description: str
    accepts_submissions: bool


class ScoreSource(Record, frozen=True, kw_only=True):
    """The scores of a system from one source."""

    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    tie_group: int | None
    tied: bool
    system: str
    name: str
    authors: str
    citation: str
    type: str
    context_size: int | None
    trained_for_function_calling: bool | None
    attributes: dict[str, Any]
    run_facts: RunFacts | None
    kind: str
    is_human: bool
    pinned: str
    published_in: str
    note: str
    n_answered: int | None
    n_questions: int | None
    published_at: datetime.datetime | None
    evidence: str
    scores: list[Cell]


class Split(Record, frozen=True, kw_only=True):
    """A split of a benchmark's questions."""

    slug: str
    name: str
    hidden: bool
    n_questions: int
    revision: str
    url: str
    questions: str
    croissant: str


class SplitDetail(Record, frozen=True, kw_only=True):
    """A split of a benchmark's questions, with all its revisions."""

    slug: str
    name: str
    hidden: bool
    n_questions: int
    revision: str
    url: str
    questions: str
    croissant: str
    benchmark: str
    revisions: list[Revision]
    signatures: dict[str, str]


class Submission(Record, frozen=True, kw_only=True):
    """A submission with its files, runs and scores."""

    id: str
    name: str
    benchmark: str
    split: str
    state: str
    is_public: bool
    team: str
    created_at: datetime.datetime
    url: str
    check: Check | None
    finished: bool
    seconds: float | None
    publication: PublicationState
    reviews: list[Review]
    shows_answers: bool
    run_facts: RunFacts | None
    can_publish: bool
    can_retry: bool
    files: list[SubmittedFile]
    revisions: list[ScoredRevision]
    events: list[Event]


class SubmissionLine(Record, frozen=True, kw_only=True):
    """A submission in a list."""

    id: str
    name: str
    benchmark: str
    split: str
    state: str
    is_public: bool
    team: str
    created_at: datetime.datetime
    url: str


class System(Record, frozen=True, kw_only=True):
    """A system."""

    slug: str
    name: str
    authors: str
    link: str
    citation: str
    type: str
    context_size: int | None
    trained_for_function_calling: bool | None
    attributes: dict[str, Any]
    run_facts: RunFacts | None
    is_human: bool
    url: str
    scores: str
    details: str
    page: str
    boards: list[Place]


class SystemLine(Record, frozen=True, kw_only=True):
    """A system in a list."""

    slug: str
    name: str
    authors: str
    link: str
    citation: str
    type: str
    context_size: int | None
    trained_for_function_calling: bool | None
    attributes: dict[str, Any]
    run_facts: RunFacts | None
    is_human: bool
    url: str
    scores: str


class SystemScore(Record, frozen=True, kw_only=True):
    """One score of a system."""

    score: str
    metric: str
    value: float | None
    reason: str
    low: float | None
    high: float | None
    signature: str
    shown: bool
    revision: str
    n_items: int | None
    scored_at: datetime.datetime | None


class Usage(Record, frozen=True, kw_only=True):
    """A Usage."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None


class Validation(Record, frozen=True, kw_only=True):
    """What a submission of this data would lead to; nothing was stored."""

    valid: bool
    missing: list[str]
    files: list[FileReport]
    quotas: list[Quota]


class Version(Record, frozen=True, kw_only=True):
    """An earlier version of a file that a newer version replaced, with its scores."""

    version: int
    filename: str
    sha256: str
    n_answered: int
    n_questions: int
    sent_at: datetime.datetime
    replaced_at: datetime.datetime
    on_board: bool
    scores: list[Score]
