"""The fields of ``benchmark.toml``: the one declaration of its format, from which the JSON Schema is made."""

from __future__ import annotations

from typing import Any, Final

from scoring import task_types
from scoring.benchmarks.attributes import BOARD as ON_BOARD
from scoring.benchmarks.attributes import KINDS as ATTRIBUTE_KINDS
from scoring.benchmarks.columns import columns_of
from scoring.benchmarks.declared.fields import (
    URL,
    Either,
    ListOf,
    Named,
    Parameters,
    Table,
    Text,
    bounds,
    date,
    flag,
    number,
    whole,
)
from scoring.benchmarks.declared.problems import DECLARATION
from scoring.metrics.columns import UNITS
from scoring.metrics.side_by_side.items import MAX_ANSWER_CHARACTERS
from scoring.task_types import TASK_TYPES

SCHEMA_FILE: Final = "benchmark.schema.json"
RESERVED_SLUGS: Final = (
    *("about", "accounts", "admin", "api", "check", "compare", "definitions", "docs", "gallery", "grading", "healthz"),
    *("how-to-submit", "maintenance", "metrics", "readyz", "receipts", "static", "studies", "submissions", "submit"),
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
    *("anonymous_until", "confirm_missing", "confirm_same", "idempotency_key", "run_facts"),
)
"""The same for attributes, whose names may have an underscore."""

_FILE: Final = r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[^\\:\x00-\x1f]+"
_SCORE: Final = r"[a-z0-9][A-Za-z0-9_.-]*"


def _url(description: str) -> Text:
    return Text(description, "a URL that begins with https://", URL, longest=200)


def _file(description: str) -> Text:
    return Text(description, "the name of a file in the folder, such as questions/dev.jsonl", _FILE, longest=200)


def _files(description: str) -> Either:
    return Either(_file(description), ListOf(description, _file(description)))


def _slug(description: str) -> Text:
    return Text(description, "small letters, digits and hyphens", r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", longest=50)


def metrics_of(task_type: str) -> tuple[str, ...]:
    """The names of the metrics that fit a task type.

    >>> "accuracy" in metrics_of("text-answer"), metrics_of("no-such-type")
    (True, ())
    """
    return tuple(metric.name for metric in task_types.metrics_of(task_type))


SPLIT: Final = Table(
    "A part of the questions.",
    {
        "name": Text("As pages show it: Development.", longest=100),
        "hidden": flag("Whether reference answers and results of single questions stay private."),
        "questions": _files("The file of questions, or a list of files: JSON Lines or a JSON list."),
        "answers": _files("A separate file of reference answers, if the questions have none."),
        "date": date("When these questions were published, or last changed."),
        "note": Text("What readers should know about this revision.", longest=1000),
    },
    ("name", "hidden"),
)
SUBSET: Final = Table(
    "Some questions of a split with reference answers of their own; boards show the same systems on it too.",
    {
        "name": Text("As pages show it: ExtendedSet.", longest=100),
        "split": _slug("The split that has these questions too."),
        "questions": SPLIT.fields["questions"],
        "answers": SPLIT.fields["answers"],
        "date": SPLIT.fields["date"],
        "note": SPLIT.fields["note"],
    },
    ("name", "split"),
)
OF_QUESTIONS: Final = ("questions", "date")
"""The keys of a split or subset that are required unless an importer reads its questions."""
SETTING: Final = Table(
    "What a system gets besides the question.",
    {
        "name": Text("As pages show it: Closed book.", longest=100),
        "description": Text("In one sentence."),
        "accepts_submissions": flag("False for settings that only reported results have. Default: true."),
        "passages": flag("Whether the passages that a system retrieved may be sent too, for passage-recall."),
    },
    ("name", "description"),
)
METRIC: Final = Table(
    "A metric, by its name. All keys are optional.",
    {
        "parameters": Parameters("Parameters that differ from the metric's own; they enter the signature."),
        "measures": Text("What it measures, for the page of definitions."),
        "formula": Text("How it is computed."),
        "surprises": ListOf("What readers may not expect, a sentence each.", Text("A sentence.")),
        "remark": Text("What to add to what it measures."),
        "own_surprises": ListOf("Surprises of this benchmark, shown before the others.", Text("A sentence.")),
        "source": _url("Its paper."),
    },
)
COLUMN: Final = Table(
    "A column of the leaderboard.",
    {
        "score": Text("The score of the metric, such as loose or rouge1.fscore.", "a name", _SCORE, longest=60),
        "metric": Text("The metric that computes it.", "a name", _SCORE, longest=40),
        "label": Text("Its full name.", longest=60),
        "short_label": Text("Its name in the head of the table.", longest=20),
        "group": Text("The heading above columns that belong together.", longest=60),
        "description": Text("In one sentence."),
        "default": flag("Whether it is shown unless all columns are requested. Default: true."),
        "disclosed": flag(
            "Whether it is shown on a hidden split. Default: as in the usual column of the score. True is refused for "
            "scores that would reveal hidden answers."
        ),
        "higher_is_better": flag("The direction. Default: as in the usual column of the score, or true."),
        "unit": Text("What its numbers count. Default: as in the usual column, or share.", choices=UNITS),
        "digits": whole("Digits after the point that are shown of the stored number, such as 3 of 0.283.", high=6),
        "bounds": bounds(
            "The smallest and the largest possible number, or false if there is none. Default: as in the usual column; "
            "0 and 1 for shares, none for other units."
        ),
    },
    ("score", "metric", "label"),
)
COMPARED: Final = Table(
    "Two columns whose difference readers are shown.",
    {
        "published": Text("The score as published.", "a name", _SCORE, longest=60),
        "repaired": Text("Its repaired form.", "a name", _SCORE, longest=60),
    },
    ("published", "repaired"),
)
CATEGORY: Final = Table(
    "A rule that gives questions a category: with field, pattern or count, one of the three.",
    {
        "name": Text("The category (with pattern), or what is counted (with count).", longest=60),
        "field": Text("A key of the question, whose value (a text, or a list of texts) is its category.", longest=60),
        "pattern": Text("A regular expression; questions whose id it matches have the category."),
        "count": Text("A key of the question with a list, whose length puts it into a bin.", longest=60),
        "bins": ListOf("The lower bounds of the bins, in ascending order: [1, 5, 10].", whole("A lower bound.")),
    },
)
EXAMPLE: Final = Table(
    "A published question with its answer, for the data card. Never one of a hidden split.",
    {
        "question": Text("The question."),
        "answer": Either(
            ListOf("The items of its answer, or a table of keys with their values.", Text("An item.")),
            Named("The answer as keys with their values.", Text("A value."), r".*\S.*", "a text", 200),
            when=dict,
        ),
        "source": Text("Where it was published."),
        "steps": ListOf(
            "The steps to the answer.",
            Table(
                "A step.",
                {
                    "question": Text("The sub-question."),
                    "document": Text("The title of the document that answers it."),
                    "url": _url("The document."),
                    "answer": Text("Its answer."),
                },
                ("question", "document", "url", "answer"),
            ),
        ),
    },
    ("question", "answer", "source"),
)
LICENCE: Final = Table(
    "The licence of a part of the benchmark.",
    {
        "covers": Text("What it covers: questions and answers."),
        "name": Text("Its name.", longest=200),
        "url": _url("Its text."),
    },
    ("covers", "name", "url"),
)
LINK: Final = Table("A source.", {"title": Text("Its title."), "url": _url("Its address.")}, ("title", "url"))
LIMITS: Final = Table(
    "Limits of this benchmark.",
    {
        "submissions_per_week": whole("Per person or team, unless the site's configuration names the benchmark.", 1),
        "answer_length": whole("The most characters of a text, or answers of a list. Default: no limit.", 1),
        "judged_length": whole(
            "Of compared answers: the most characters of each that the judge gets; the rest is cut. Default: "
            f"{MAX_ANSWER_CHARACTERS}.",
            1,
        ),
        "names_without_review": whole(
            "The most names and numbers of an answer with which scores of a hidden split are shown without a "
            "maintainer's approval. Default: 200 for text-answer, otherwise no limit.",
            1,
        ),
        "length_without_review": whole(
            "The most characters of an answer, but for three, with which scores of a hidden split are shown without a "
            "maintainer's approval. Default: 8000 for text-answer, otherwise no limit.",
            1,
        ),
    },
)
ATTRIBUTE: Final = Table(
    "What a system of this benchmark may state of itself: a field of the submission form and of the API.",
    {
        "name": Text("Its name in the API and exports.", "small letters, digits and _", r"[a-z][a-z0-9_]*", longest=40),
        "label": Text("As pages show it.", longest=60),
        "help": Text("What it means, in one sentence.", longest=400),
        "kind": Text("What a value is.", choices=ATTRIBUTE_KINDS),
        "board": Text("Whether boards filter by it and show it, only show it, or neither (default).", choices=ON_BOARD),
        "choices": ListOf("The values, for the kind choice.", Text("A value.", longest=60), least=2),
        "unit": Text("Of the kind number: its unit, such as tokens.", longest=20),
        "low": number("Of the kind number: the smallest value."),
        "high": number("Of the kind number: the largest value."),
        "whole": flag("Of the kind number: whether only whole numbers are values. Default: false."),
    },
    ("name", "label", "kind"),
)
REPORTED: Final = Table(
    "Published results, shown as reported rows.",
    {
        "file": _file("A CSV file with a line of names, or a JSON list of objects."),
        "split": _slug("The split of these results."),
        "published": date("When they were published."),
        "source": Text("Where they were published, for rows that do not name their own source.", longest=400),
        "scores": Text("The unit of the file. Default: the benchmark's.", choices=("percent", "share")),
        "first": Text(
            "Which source is the row of a system that has both: these results (paper) or those of the benchmark's "
            "official repository (official). Default: official.",
            choices=("official", "paper"),
        ),
        "upper_bounds": ListOf("Rows of people that are an upper bound, not human performance.", Text("A system.")),
    },
    ("file", "split", "published", "source"),
)

BENCHMARK: Final = Table(
    "A benchmark of Manyhop.",
    {
        "slug": _slug("The benchmark's name in URLs."),
        "name": Text("As pages show it.", longest=200),
        "version": Text("The version of this declaration, such as 1.0.", longest=40),
        "description": Text("What the benchmark asks of a system, in one to three sentences.", longest=2000),
        "url": _url("The benchmark's home page."),
        "licence": Text("The licence of the questions, by name: CC BY 4.0.", longest=200),
        "licence_url": _url("The text of that licence."),
        "licences": ListOf("The licences of parts, if they differ.", LICENCE),
        "citation": Text("How to cite it, in one line."),
        "bibtex": Text("How to cite it, as one BibTeX entry.", "a BibTeX entry that begins with @", r"\s*@[\s\S]+"),
        "links": ListOf("Papers and other sources.", LINK),
        "task_type": Text("What an answer is.", choices=tuple(TASK_TYPES)),
        "scores": Text("Whether pages show scores in per cent or as shares of 1.", choices=("percent", "share")),
        "default_split": _slug("The split whose board is shown first. Default: the last one."),
        "default_setting": _slug("The setting whose board is shown first. Default: the first one."),
        "default_baseline": _slug(
            "Of compared answers: the setting whose first complete published system is the baseline, unless the "
            "maintainers choose one. Default: they choose."
        ),
        "default_sort": Text("The score by which boards are sorted. Default: the first column.", "a name", _SCORE),
        "default_columns": ListOf("The scores that boards show first. Default: as the columns say.", Text("A score.")),
        "compared": ListOf("Pairs of columns. Default: each metric with its namesake -repaired.", COMPARED),
        "position": whole("The place among the benchmarks of a site, in ascending order. Default: 100."),
        "importer": Text("The reader of published question files, where the folder has none.", "a name", _SCORE),
        "needs_approval": flag("Whether a maintainer approves each submission before it is published."),
        "splits": Named("The splits, each as [splits.NAME].", SPLIT),
        "subsets": Named("Subsets of splits, each as [subsets.NAME].", SUBSET),
        "settings": Named("The settings, each as [settings.NAME].", SETTING),
        "metrics": Named("The metrics, each as [metrics.NAME].", METRIC, _SCORE, "the name of a metric"),
        "columns": ListOf("The columns, each as [[columns]]. Default: those of the metrics.", COLUMN),
        "attributes": ListOf(
            "What systems state of themselves, each as [[attributes]]. Default: context_size alone.", ATTRIBUTE, least=0
        ),
        "categories": ListOf("How questions get categories. Default: from the field categories.", CATEGORY),
        "cluster": Text(
            "A key of each question: questions with the same value, such as those of one template or about one entity, "
            "are similar, and statistics count them as a cluster.",
            longest=60,
        ),
        "limits": LIMITS,
        "example": EXAMPLE,
        "reported": REPORTED,
    },
    (
        *("slug", "name", "version", "description", "licence", "licence_url", "citation", "bibtex"),
        *("task_type", "scores", "splits", "settings", "metrics"),
    ),
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``benchmark.toml``, for editors: `#:schema URL` in its first line."""
    schema = BENCHMARK.schema()
    every = tuple(dict.fromkeys(name for task in TASK_TYPES for name in metrics_of(task)))
    schema["properties"]["metrics"] |= {"propertyNames": {"enum": list(every)}}
    required = {"additionalProperties": {"required": list(OF_QUESTIONS)}}
    schema["if"] = {"not": {"required": ["importer"]}}
    schema["then"] = {"properties": {"splits": required, "subsets": required}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{DECLARATION} of a Manyhop benchmark",
        **schema,
    }


def scores_of(metric: str) -> tuple[str, ...]:
    """The scores of a metric that have a column by default; none if it is not known which it has."""
    return tuple(column.score for column in columns_of([metric]))
