"""A benchmark's folder with planted mistakes: 41 of them, each of another kind, in five files."""

TOML = """\
#:schema ./benchmark.schema.json
slug = "submit"
name = ""
descripton = "One letter is missing."
version = 1.0
url = "example.org"
licence = "CC BY 4.0"
citation = "A. Author. 2026."
bibtex = "Author 2026"
task_type = "text-answers"
scores = "per cent"
default_split = "tset"
default_setting = "closedbook"
needs_approval = "yes"

[splits.dev]
name = "Development"
hidden = false
questions = "questions/dev.jsonl"
date = "2026-01-01"

[splits.Test]
name = "Test"
questions = ["questions/tset.jsonl"]
date = 2026-01-01

[settings.closed-book]
name = "Closed book"

[settings.team]
name = "Team"
description = "A taken name."
accepts_submission = true

[metrics.accurracy]
[metrics.rouge]
surprises = "One text."

[[columns]]
score = "loose"
metric = "accuracy"
label = "Loose"

[[columns]]
score = "rouge1.f1"
metric = "rouge"
label = "ROUGE"

[[categories]]
field = "topic"
name = "Topic"

[[categories]]
pattern = "dev-("
name = "Development"

[[categories]]
count = "answer"
name = "answers"
bins = [1, 5, 3]

[limits]
submissions_per_week = 0

[[licences]]
covers = "Questions"
name = "CC BY 4.0"
url = "creativecommons"

[reported]
file = "reported.csv"
split = "test"
published = 2026-01-01
source = "Table 1"
scores = "percent"
"""
CARD = """\
A summary.

# Origin

## Use

## Limits

TODO
"""
DEV = """\
{"id": "dev-1", "question": "Where?", "answer": "Oslo"}
{"id": "dev-1", "question": "Again?", "answer": "Oslo"}
{"id": "dev-3", "qestion": "Which?", "answer": "Oslo"}
{"id": "dev-4", "question": "Which?", "answer": []}
{"id": "dev-5", "question": "Which?"}
{"id": "dev-6", "question": "Which?", "answer": "Oslo"
{"id": 7, "question": "Which?", "answer": "Oslo"}
{"id": "dev-8", "question": "Which?", "answer": "Oslo", "evidence": [{"name": "Oslo"}]}
"""
REPORTED = """\
system,setting,loose,strickt
A,open-book,50,
B,closed-book,150,
C,closed-book,50,40
"""
PLANTED = (
    ("benchmark.toml", 2, "slug"),
    ("benchmark.toml", 3, "name"),
    ("benchmark.toml", 4, "descripton"),
    ("benchmark.toml", 0, "description"),
    ("benchmark.toml", 5, "version"),
    ("benchmark.toml", 6, "url"),
    ("benchmark.toml", 0, "licence_url"),
    ("benchmark.toml", 9, "bibtex"),
    ("benchmark.toml", 10, "task_type"),
    ("benchmark.toml", 11, "scores"),
    ("benchmark.toml", 12, "default_split"),
    ("benchmark.toml", 13, "default_setting"),
    ("benchmark.toml", 14, "needs_approval"),
    ("benchmark.toml", 20, "splits.dev.date"),
    ("benchmark.toml", 22, "splits.Test"),
    ("benchmark.toml", 22, "splits.Test.hidden"),
    ("benchmark.toml", 24, "splits.Test.questions"),
    ("benchmark.toml", 27, "settings.closed-book.description"),
    ("benchmark.toml", 30, "settings.team"),
    ("benchmark.toml", 33, "settings.team.accepts_submission"),
    ("benchmark.toml", 37, "metrics.rouge.surprises"),
    ("benchmark.toml", 41, "columns[1].metric"),
    ("benchmark.toml", 45, "columns[2].score"),
    ("benchmark.toml", 51, "categories[1].name"),
    ("benchmark.toml", 54, "categories[2].pattern"),
    ("benchmark.toml", 60, "categories[3].bins"),
    ("benchmark.toml", 63, "limits.submissions_per_week"),
    ("benchmark.toml", 68, "licences[1].url"),
    ("benchmark.toml", 72, "reported.split"),
    ("data-card.md", 3, ""),
    ("data-card.md", 5, "Use"),
    ("data-card.md", 9, ""),
    ("questions/dev.jsonl", 2, "id"),
    ("questions/dev.jsonl", 3, "question"),
    ("questions/dev.jsonl", 4, "answer"),
    ("questions/dev.jsonl", 5, "answer"),
    ("questions/dev.jsonl", 6, ""),
    ("questions/dev.jsonl", 7, "id"),
    ("questions/dev.jsonl", 8, "evidence[0]"),
    ("reported.csv", 1, "strickt"),
    ("reported.csv", 2, "setting"),
    ("reported.csv", 3, "loose"),
)
"""File, line (0: of the whole file) and field of each."""


def folder() -> dict[str, bytes]:
    """The files by name."""
    texts = {"benchmark.toml": TOML, "data-card.md": CARD, "questions/dev.jsonl": DEV, "reported.csv": REPORTED}
    return {name: text.encode() for name, text in texts.items()}
