"""The tables of ``benchmark.toml``: one model says each key's type, default, bounds and help.

The checks, the JSON Schema, the template of ``benchmark new`` and the table in docs/benchmarks.md follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import AfterValidator, Field, PrivateAttr, WithJsonSchema
from pydantic.fields import FieldInfo

from scoring import task_types
from scoring.benchmarks.attributes import Kind, OnBoard
from scoring.benchmarks.columns import columns_of
from scoring.files.mistakes import DECLARATION, nearest, one_of, shown
from scoring.files.tables import (
    Bounds,
    Date,
    Expected,
    Fault,
    FieldName,
    File,
    Files,
    Flag,
    Items,
    Moment,
    Name,
    Number,
    Parameters,
    Share,
    Slug,
    Table,
    Text,
    Url,
    unwrapped,
    words_of,
    wrong,
)
from scoring.generations.attempts import MOST_ATTEMPTS
from scoring.metrics.asking.items import LONGEST_MODEL
from scoring.metrics.columns import Unit
from scoring.metrics.rubric.items import MAX_ANSWER_CHARACTERS as LONGEST_REPORT
from scoring.metrics.side_by_side.items import MAX_ANSWER_CHARACTERS
from scoring.task_types import TASK_TYPES

SCHEMA_FILE: Final = "benchmark.schema.json"
RESERVED_SLUGS: Final = (
    *("about", "accounts", "admin", "api", "check", "compare", "definitions", "docs", "gallery", "grading", "healthz"),
    *(
        "how-to-submit",
        "maintenance",
        "metrics",
        "pictures",
        "readyz",
        "receipts",
        "static",
        "studies",
        "submissions",
        "submit",
    ),
    *("systems", "teams"),
)
"""The first parts of the site's other URLs."""
RESERVED_SETTINGS: Final = (
    *("action", "anonymous-until", "authors", "benchmark", "citation", "confirm", "csrfmiddlewaretoken", "date"),
    *("details", "discard", "draft", "drop", "fill", "form", "link", "metadata", "name", "publish", "separator"),
    *("split", "statement", "team", "type", "url", "usage"),
    "questions",
)
"""The names of other fields of the form and of the API with which systems are submitted: a test compares them. The last
one is no field, but a page beside the boards of a split."""
RESERVED_ATTRIBUTES: Final = (
    *RESERVED_SETTINGS,
    *("anonymous_until", "confirm_missing", "confirm_noticed", "confirm_same", "idempotency_key", "run_facts"),
)
"""The reserved names of attributes, which may have an underscore."""


def metrics_of(task_type: str) -> tuple[str, ...]:
    """The names of the metrics that fit a task type.

    >>> "accuracy" in metrics_of("text-answer"), metrics_of("no-such-type")
    (True, ())
    """
    return tuple(metric.name for metric in task_types.metrics_of(task_type))


def _help(text: str, **rules: Any) -> Any:
    """What a required key means, and its bounds."""
    return Field(description=text, **rules)


def _optional(text: str, default: Any = None, **rules: Any) -> Any:
    """What a key that may be left out means, its default, and its bounds."""
    return Field(default, description=text, **rules)


def _least(text: str) -> Any:
    return _optional(text, ge=1, le=1_000_000)


class Named(Table):
    """A table under a name, which is its slug."""

    _slug: str = PrivateAttr("")

    @property
    def slug(self) -> str:
        """The name of the table."""
        return self._slug


def _plain_values(value: Any) -> Any:
    """Refuse what is neither a text, number or truth value nor a list of these."""
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(own, str | int | float) for own in values):
        raise wrong(shown(value), "a text, a number, true or false, or a list of these")
    return value


class FieldTable(Table):
    """Where a value is in published files, with what its path alone does not say."""

    may_be_blank = ("separator", "join")
    field: FieldName
    separator: Text = ""
    """What separates the parts of a text, which become a list."""
    join: Text = ""
    """What is put between the texts of a list, which become one."""
    password: FieldName | None = None
    """The field with the password of an encrypted text."""
    labels: FieldName | None = None
    """The field with the labels of a list of options."""
    first_option: Annotated[int, Field(ge=0, le=1)] | None = None
    """The number of the first option, where the value is the number of an option or a list of numbers."""
    equals: Annotated[Any, AfterValidator(_plain_values)] = None
    """The value, or one of those, that the field must have for true; otherwise it is false."""
    picture: Text | None = None
    """The folder of the pictures that the field names."""
    alt: FieldName | None = None
    """The field that says in words what the picture shows."""


def _field(value: Any) -> Any:
    """Refuse what names no field, and no list of fields."""
    tables = _fields(value)
    if not tables:
        raise wrong("an empty list", "the name of a field")
    for fault in (fault for _, faults in tables for fault in faults):
        raise wrong(fault.found, fault.expected, fault.fix)
    return value


def _field_or_object(value: Any) -> Any:
    """Refuse what is neither fields nor a table of names with fields."""
    if not is_object(value):
        return _field(value)
    for own in value.values():
        _field(own)
    return value


def is_object(value: Any) -> bool:
    """Whether a source is a table of names with fields, whose values become one object."""
    return isinstance(value, dict) and "field" not in value


def _fields(value: Any) -> list[tuple[FieldTable, list[Fault]]]:
    values = value if isinstance(value, list) else [value]
    return [FieldTable.read(own if isinstance(own, dict) else {"field": own}) for own in values]


_FIELD_SCHEMA: Final = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                **{key: {"type": "string"} for key in FieldTable.model_fields},
                "first_option": {"enum": [0, 1]},
                "equals": {"type": ["string", "number", "boolean", "array"]},
            },
            "required": ["field"],
            "additionalProperties": False,
        },
    ]
}
Source = Annotated[
    Any,
    AfterValidator(_field),
    WithJsonSchema({"anyOf": [*_FIELD_SCHEMA["anyOf"], {"type": "array", "items": _FIELD_SCHEMA, "minItems": 1}]}),
    Expected("the name of a field, or a list of names"),
]
"""A `FieldTable` or its ``field`` alone, or a list of these, whose values become one list."""


ObjectSource = Annotated[
    Any,
    AfterValidator(_field_or_object),
    WithJsonSchema({"anyOf": [*_FIELD_SCHEMA["anyOf"], {"type": "array"}, {"type": "object"}]}),
    Expected("the name of a field, a list of names, or a table of these"),
]
"""A `Source`, or a table of names with sources, whose values become an object with these names."""


class JoinedTable(Table):
    """A further file, whose objects belong to questions."""

    file: File = _help("The file, in the folder of benchmark.toml or beside that of the questions.")
    key: FieldName = _help("The field of its objects that names what they belong to.")
    by: FieldName = _help("The field of a question with the same value.")


class QuestionsTable(Table):
    """Where the questions of published files have what a question has here."""

    columns: list[FieldName] = _optional(
        "The names of the columns of tables in CSV or TSV that have no row of names. Default: those in the first row.",
        [],
        min_length=1,
    )
    each: FieldName | None = _optional(
        "A list in each object, whose elements are the questions. They also have the fields of what is around them."
    )
    id: Source | None = _optional("Default: id, or, if no object has it, an id made of the question's content.")
    question: Source | None = _optional("Of several fields, the texts follow each other. Default: question.")
    answer: ObjectSource | None = _optional(
        "Of several fields, all values become one list; of a table, an object with its names. Default: answer."
    )
    unanswerable: Source | None = _optional(
        "A field that is true where a question has no answer: to say so is right then, and its other answers do not "
        "count. Default: none."
    )
    choices: Source | None = _optional("The options: a list of texts, or an object with their labels. Default: none.")
    categories: Source | None = _optional("A text, or texts. Default: none.")
    language: Source | None = _optional("The code of a language. Default: that of the split.")
    context: Source | None = _optional(
        "What a question is about: texts, tables and pictures, shown with it. Default: none."
    )
    evidence: Source | None = _optional("Titles or addresses of pages, or objects with them. Default: none.")
    decomposition: Source | None = _optional("A list of objects with sub-questions. Default: none.")
    rubric: FieldName | None = _optional(
        "Of the task type rubric: the field that names the rubric of an object. Objects with the same question become "
        "one, with the id of the first and all of their rubrics."
    )
    joined: dict[Name, JoinedTable] = _optional(
        "Further files, each as [questions.joined.NAME]; their fields are NAME.FIELD.", {}, min_length=1
    )

    def sources(self, key: str) -> list[FieldTable]:
        """The fields that become one of ours."""
        value = getattr(self, key)
        if value is None:
            return [FieldTable(field=key)] if key in OWN_NAMES else []
        sources = list(value.values()) if is_object(value) else [value]
        return [table for source in sources for table, _ in _fields(source)]

    @property
    def decrypts(self) -> list[str]:
        """Our keys whose values are published encrypted: no public page may have them."""
        keys = (key for key in type(self).model_fields if key not in ("columns", "each", "rubric", "joined"))
        return [key for key in keys if any(source.password for source in self.sources(key))]


OWN_NAMES: Final = ("id", "question", "answer")
"""What a question has under its own name unless a declaration names another field."""


Language = Annotated[
    Text,
    Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$(?!\n)", max_length=35),
    Expected("the code of a language, such as de or pt-BR"),
]


class WithQuestions(Named):
    """What splits and subsets have."""

    name: Text = _help("As pages show it: Development.", max_length=100)
    questions: Files = _optional(
        "The file of questions, or a list of files: JSON Lines, a JSON list, CSV, TSV or Parquet.", []
    )
    answers: Files = _optional("A separate file of reference answers, if the questions have none.", [])
    date: Date | None = _optional("When these questions were published, or last changed.")
    note: Text = _optional("What readers should know about this revision.", "", max_length=1000)


class SplitTable(WithQuestions):
    """A part of the questions."""

    language: Language | None = _optional(
        "The language of its questions, for readers' browsers and for how short answers are compared; a question may "
        "have its own."
    )
    hidden: Flag = _help("Whether reference answers and results of single questions stay private.")
    unscored: list[Text] = _optional(
        "The ids of questions without a reference answer, while others have one: they are not imported, and answers to "
        "them count in no score.",
        [],
        min_length=1,
    )
    attempts: int | None = _optional(
        "How often a file answers each question; another number is refused. Default: any number, and on a hidden split "
        "1.",
        ge=1,
        le=MOST_ATTEMPTS,
    )
    opens: Moment | None = _optional("When files are accepted from, with a zone. Default: at once.")
    closes: Moment | None = _optional("When files are accepted until, with a zone. Default: always.")
    final: Share | None = _optional(
        "Of a hidden split that closes: the share of its questions that is kept for the end. The site draws them, and "
        "tells nobody which they are. Until the split closes, its boards are of the others; afterwards, systems are "
        "ranked by these alone."
    )


class SubsetTable(WithQuestions):
    """Some questions of a split with reference answers of their own; boards show the same systems on it too."""

    split: Slug = _help("The split that has these questions too.")


OF_QUESTIONS: Final = ("questions", "date")
"""The keys of a split or subset that are required unless its questions are imported from elsewhere."""


class SettingTable(Named):
    """What a system gets besides the question."""

    name: Text = _help("As pages show it: Closed book.", max_length=100)
    description: Text = _help("In one sentence.")
    accepts_submissions: Flag = _optional("False for settings that only reported results have.", True)
    passages: Flag = _optional("Whether retrieved passages may be sent too, for the metric passage-recall.", False)


class MetricTable(Table):
    """A metric, by its name."""

    parameters: Parameters = _optional("Parameters that differ from the metric's own; they enter the signature.", {})
    model: Text = _optional(
        "Of a metric that asks a judge: the judge's model, as its endpoint names it. It is part of the signature. "
        "Default: the site's.",
        "",
        max_length=LONGEST_MODEL,
    )
    measures: Text = _optional("What it measures, for the page of definitions. Default: the metric's own words.", "")
    formula: Text = _optional("How it is computed. Default: the metric's own.", "")
    surprises: list[Text] | None = _optional("What readers may not expect, a sentence each.", min_length=1)
    remark: Text = _optional("What to add to what it measures.", "")
    own_surprises: list[Text] = _optional("Surprises of this benchmark, before the others.", [], min_length=1)
    source: Url = _optional("Its paper. Default: the metric's own.", "")


class ColumnTable(Table):
    """A column of the leaderboard."""

    score: Name = _help("The score of the metric, such as loose or rouge1.fscore.")
    metric: Name = _optional("The metric that computes it; not needed with reported = true.", "")
    reported: Flag = _optional("Whether published results fill it, and the metric need not exist here.", False)
    label: Text = _help("Its full name.", max_length=60)
    short_label: Text = _optional("Its name in the head of the table. Default: the label.", "", max_length=20)
    group: Text = _optional("The heading above columns that belong together. Default: the label.", "", max_length=60)
    description: Text = _optional("In one sentence.", "")
    default: Flag = _optional("Whether it is shown unless all columns are requested.", True)
    disclosed: Flag | None = _optional(
        "Whether it is shown on a hidden split. Default: as in the usual column of the score. True is refused for "
        "scores that would reveal hidden answers."
    )
    higher_is_better: Flag | None = _optional("The direction. Default: as in the usual column of the score, or true.")
    unit: Unit | None = _optional("What its numbers count. Default: as in the usual column, or share.")
    digits: int | None = _optional("Digits shown after the point of the stored number. Default: 3.", ge=0, le=6)
    bounds: Bounds = _optional(
        "The smallest and the largest possible number, or false if there is none. Default: as in the usual column; "
        "0 and 1 for shares, none for other units."
    )


class ComparedTable(Table):
    """Two columns whose difference readers are shown."""

    published: Name = _help("The score as published.")
    repaired: Name = _help("Its repaired form.")


class CategoryTable(Table):
    """A rule that gives questions a category: with field, pattern or count, one of the three."""

    name: Text = _optional("The category (with pattern), or what is counted (with count).", "", max_length=60)
    field: Text = _optional("A key of the question, whose value (a text, or texts) is its category.", "", max_length=60)
    pattern: Text = _optional("A regular expression; questions whose id it matches have the category.", "")
    count: Text = _optional("A key of the question with a list, whose length puts it into a bin.", "", max_length=60)
    bins: list[Annotated[int, Field(ge=0, le=1_000_000)]] | None = _optional(
        "The lower bounds of the bins, in ascending order: [1, 5, 10].", min_length=1
    )


class StepTable(Table):
    """A step towards an answer."""

    question: Text = _help("The sub-question.")
    document: Text = _help("The title of the document that answers it.")
    url: Url = _help("The document.")
    answer: Text = _help("Its answer.")


class ExampleTable(Table):
    """A published question with its answer, for the data card. Never one of a hidden split."""

    question: Text = _help("The question.")
    answer: Items = _help("The items of its answer, or a table of keys with their values.")
    source: Text = _help("Where it was published.")
    steps: list[StepTable] = _optional("The steps to the answer.", [], min_length=1)


class LicenceTable(Table):
    """The licence of a part of the benchmark."""

    covers: Text = _help("What it covers: questions and answers.")
    name: Text = _help("Its name.", max_length=200)
    url: Url = _help("Its text.")


class LinkTable(Table):
    """A source."""

    title: Text = _help("Its title.")
    url: Url = _help("Its address.")


class AnswersTable(Table):
    """How answers are read before they are scored."""

    remove_reasoning: Flag = _optional(
        "Whether blocks of reasoning, such as <think>…</think>, are removed from answers before they are scored. It is "
        "part of every signature; the stored file stays as it was sent.",
        False,
    )


class LimitsTable(Table):
    """Limits of this benchmark."""

    submissions_per_week: int | None = _least(
        "Submissions of a person or team, unless the site's configuration names the benchmark. Default: the site's."
    )
    answer_length: int | None = _least("The most characters of a text, or answers of a list. Default: no limit.")
    judged_length: int | None = _least(
        "Of compared and short answers, and of reports: the most characters of each that a judge gets; the rest is "
        f"cut. Default: {MAX_ANSWER_CHARACTERS}, of reports {LONGEST_REPORT}."
    )
    names_without_review: int | None = _least(
        "The most names and numbers of an answer with which scores of a hidden split are shown without a "
        "maintainer's approval. Default: 200 for text-answer, otherwise no limit."
    )
    length_without_review: int | None = _least(
        "The most characters of an answer, but for three, with which scores of a hidden split are shown without a "
        "maintainer's approval. Default: 8000 for text-answer, otherwise no limit."
    )


class AttributeTable(Table):
    """What a system of this benchmark may state of itself: a field of the submission form and of the API."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$(?!\n)"), Expected("small letters, digits and _")] = _help(
        "Its name in the API and exports.", max_length=40
    )
    label: Text = _help("As pages show it.", max_length=60)
    help: Text = _optional("What it means, in one sentence.", "", max_length=400)
    kind: Kind = _help("What a value is.")
    board: OnBoard = _optional("Whether boards filter by it and show it, only show it, or neither.", "none")
    choices: list[Annotated[Text, Field(max_length=60)]] = _optional(
        "For the kind choice: the values.", [], min_length=2
    )
    unit: Text = _optional("Of the kind number: its unit, such as tokens.", "", max_length=20)
    low: Number = _optional("Of the kind number: the smallest value.")
    high: Number = _optional("Of the kind number: the largest value.")
    whole: Flag = _optional("Of the kind number: whether only whole numbers are values.", False)


class ReportedTable(Table):
    """Published results, shown as reported rows."""

    file: File = _help(
        "A CSV file whose first line names its columns (system, authors, type, setting and scores), or a JSON list of "
        "objects."
    )
    split: Slug = _help("The split of these results.")
    published: Date = _help("When they were published.")
    source: Text = _help("Where they were published, for rows that do not name their own source.", max_length=400)
    scores: Literal["percent", "share"] | None = _optional("The unit of the file. Default: the benchmark's.")
    first: Literal["official", "paper"] = _optional(
        "Which source is the row of a system that has both: these results, or the benchmark's official repository.",
        "official",
    )
    upper_bounds: list[Text] = _optional("Rows of people that are an upper bound, not human performance.", [])


def _known_task_type(name: str) -> str:
    if name not in TASK_TYPES:
        raise wrong(shown(name), one_of(tuple(TASK_TYPES)), nearest(name, TASK_TYPES))
    return name


MetricName = Annotated[Name, Field(max_length=50), Expected("the name of a metric")]
TaskTypeName = Annotated[
    str,
    AfterValidator(_known_task_type),
    WithJsonSchema({"enum": list(TASK_TYPES), "type": "string"}),
    Expected(one_of(tuple(TASK_TYPES))),
]


class BenchmarkTable(Table):
    """A benchmark of Manyhop."""

    slug: Slug = _help("The benchmark's name in URLs, which never changes.")
    name: Text = _help("As pages show it.", max_length=200)
    version: Text = _help("The version of this declaration, such as 1.0.", max_length=40)
    description: Text = _help("What the benchmark asks of a system, in one to three sentences.", max_length=2000)
    url: Url = _optional("The benchmark's home page.", "")
    licence: Text = _help("The licence of the questions, by name: CC BY 4.0.", max_length=200)
    licence_url: Url = _help("The text of that licence.")
    licences: list[LicenceTable] = _optional("The licences of parts, if they differ.", [], min_length=1)
    citation: Text = _help("How to cite it, in one line.")
    bibtex: Annotated[Text, Expected("a BibTeX entry that begins with @")] = _help(
        "How to cite it, as one BibTeX entry.", pattern=r"^\s*@[\s\S]+$"
    )
    links: list[LinkTable] = _optional("Papers and other sources.", [], min_length=1)
    task_type: TaskTypeName = _help(
        "What an answer is: text-answer (a text), short-answer (a name, number, date or option), answer-list or "
        "judged-list (a list of texts), compared-answer (a text that is compared with that of another system), rubric "
        "(a report that is judged by criteria)."
    )
    scores: Literal["percent", "share"] = _help("How pages show scores: in percent (43.2) or as a share of 1 (0.432).")
    default_split: Slug = _optional("The split whose board is shown first. Default: the last one.", "")
    default_setting: Slug = _optional("The setting whose board is shown first. Default: the first open one.", "")
    default_baseline: Slug = _optional(
        "Of compared answers: the setting whose first complete published system is the baseline, unless the "
        "maintainers choose one. Default: they choose.",
        "",
    )
    default_sort: Name = _optional("The score by which boards are sorted. Default: the first one computed here.", "")
    default_columns: list[Text] | None = _optional(
        "The scores that boards show first. Default: as the columns say.", min_length=1
    )
    compared: list[ComparedTable] = _optional("Pairs of columns whose difference readers are shown.", [], min_length=1)
    position: int = _optional("The place among the benchmarks of a site, in ascending order.", 100, ge=0, le=1_000_000)
    importer: Name = _optional("The reader of published question files, where the folder has none.", "")
    needs_approval: Flag = _optional("Whether a maintainer approves each submission before it is published.", False)
    questions: QuestionsTable | None = _optional(
        "Where published files have what a question has. Default: as in files of questions of this format."
    )
    splits: dict[Slug, SplitTable] = _help("The splits, each as [splits.NAME].", min_length=1)
    subsets: dict[Slug, SubsetTable] = _optional("Subsets of splits, each as [subsets.NAME].", {}, min_length=1)
    settings: dict[Slug, SettingTable] = _help(
        "What a system gets besides the question, each as [settings.NAME]. Each has boards and uploads of its own.",
        min_length=1,
    )
    metrics: dict[MetricName, MetricTable] = _help("The metrics, each as [metrics.NAME].", min_length=1)
    columns: list[ColumnTable] = _optional(
        "The columns, each as [[columns]]. Default: the usual ones of each metric without any.", [], min_length=1
    )
    attributes: list[AttributeTable] | None = _optional(
        "What systems state of themselves, each as [[attributes]]. Default: context_size alone."
    )
    categories: list[CategoryTable] = _optional(
        "How questions get categories. Default: from the field categories.", [], min_length=1
    )
    cluster: Text = _optional(
        "A key of each question: questions with the same value, such as those of one template or about one entity, "
        "are similar, and statistics count them as a cluster.",
        "",
        max_length=60,
    )
    answers: AnswersTable = _optional("How answers are read before they are scored.", AnswersTable())
    limits: LimitsTable = _optional("Limits of uploads and of their scores.", LimitsTable())
    example: ExampleTable | None = _optional("A published question, for the data card.")
    reported: ReportedTable | None = _optional("Published results.")

    def model_post_init(self, context: Any) -> None:
        """Tell each split, subset and setting its name."""
        del context
        tables: list[dict[str, Any]] = [self.splits, self.subsets, self.settings]
        for name, table in ((name, table) for named in tables for name, table in named.items()):
            table._slug = name

    def language_of(self, file: str) -> str:
        """The language of the split that a file of questions or answers belongs to; empty if none is declared.

        A file that is imported alone is known by its last name. One that no split names has the language that all
        splits have.
        """
        languages = {slug: split.language or "" for slug, split in self.splits.items()}
        tables: list[tuple[WithQuestions, str]] = [(split, languages[slug]) for slug, split in self.splits.items()]
        tables += [(subset, languages.get(subset.split, "")) for subset in self.subsets.values()]
        files = {name: language for table, language in tables for name in (*table.questions, *table.answers)}
        by_last_name = {PurePosixPath(name).name: language for name, language in files.items()}
        of_all = languages.popitem()[1] if len(set(languages.values())) == 1 else ""
        return files.get(file, by_last_name.get(PurePosixPath(file).name, of_all))

    @property
    def all_licences(self) -> list[LicenceTable]:
        """The licences of the parts; one for all if they do not differ."""
        whole = LicenceTable.model_construct(covers="Questions and answers", name=self.licence, url=self.licence_url)
        return self.licences or [whole]


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``benchmark.toml``, for editors: `#:schema URL` in its first line."""
    schema = _for_toml(BenchmarkTable.model_json_schema())
    required = {"additionalProperties": {"required": list(OF_QUESTIONS)}}
    schema["if"] = {"not": {"anyOf": [{"required": ["importer"]}, {"required": ["questions"]}]}}
    schema["then"] = {"properties": {"splits": required, "subsets": required}}
    return {
        **schema,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{DECLARATION} of a Manyhop benchmark",
    }


def _for_toml(schema: Any) -> Any:
    """A schema without null, which TOML lacks, and without the titles that pydantic makes of names."""
    if isinstance(schema, list):
        return [_for_toml(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _for_toml(item) for key, item in schema.items() if not (key == "title" and isinstance(item, str))}
    if kept.get("default", "") in (None, "", [], {}):
        kept.pop("default", None)
    if "patternProperties" in kept:  # names that do not match are mistakes
        kept["additionalProperties"] = False
    if len(kept.get("anyOf", ())) == 1:
        kept |= kept.pop("anyOf")[0]
    return kept


def table_of_keys() -> str:
    """All keys with what they mean, as docs/benchmarks.md lists them in Markdown."""
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for name, field in keys_of(BenchmarkTable):
        kind, further = unwrapped(field.annotation)
        default = "required" if field.is_required() else _default_in_words(field.default)
        lines.append(f"| `{name}` | {words_of(kind, [*further, *field.metadata])} | {default} | {field.description} |")
    return "\n".join(lines)


def keys_of(table: type[Table], place: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """The keys of a table and of those inside it, as paths such as ``splits.NAME.hidden``."""
    for name, field in table.model_fields.items():
        yield f"{place}{name}", field
        if below := table_below(field.annotation):
            yield from keys_of(below[1], f"{place}{name}{below[0]}.")


def table_below(annotation: Any) -> tuple[str, type[Table]] | None:
    """The table that a key has, and the step of a path to it: ``.NAME`` by names, ``[]`` in a list, empty for one.

    None if values of the key are no tables.
    """
    inner, _ = unwrapped(annotation)
    step = {dict: ".NAME", list: "[]"}.get(get_origin(inner), "")
    if step:
        inner, _ = unwrapped(get_args(inner)[-1])
    return (step, inner) if isinstance(inner, type) and issubclass(inner, Table) else None


def _default_in_words(default: Any) -> str:
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if isinstance(default, str | int) and default != "" else ""


def scores_of(metric: str) -> tuple[str, ...]:
    """The scores of a metric that have a column by default; none if it is not known which it has."""
    return tuple(column.score for column in columns_of([metric]))
