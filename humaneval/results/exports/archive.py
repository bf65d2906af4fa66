"""The export as one ZIP archive."""

import datetime
import json
import tomllib
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Final

import yaml
from django.conf import settings
from django.utils import timezone

from humaneval.models import Study
from humaneval.models.exclusion_rules import in_words
from humaneval.models.studies import RETENTION, STATEMENT
from humaneval.results.answer_sets import shown_results
from humaneval.results.exports import notebook
from humaneval.results.exports.read import answers
from humaneval.results.exports.tables import Table, tables_of
from humaneval.studies import activity_log
from humaneval.studies.csv import csv_text, json_default
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import n_attempts_of
from leaderboard.models import User
from scoring.models import Question
from scoring.registry import task_type_of
from scoring.runs.withdrawals import DELETED

FORMAT: Final = 1
SETTINGS: Final = (
    *("slug", "name", "kind", "instructions", "questions_per_participant", "drawing", "seed", "answers_per_question"),
    *("question_ids", "n_qualification", "qualification_share", "learning", "test_attempts"),
    *("injected_share", "checked_share", "on_withdrawal"),
    *("counts_unfinished", "on_named", "masks", "on_shared_computer", "seats", "release_hours", "reward_note"),
    *("opens_at", "closes_at", "asks_publication", *STATEMENT, *RETENTION, "texts_deleted_at", "codes_deleted_at"),
    *("platform", "time_limit", "pay", "currency", "exclusion_rules"),
)
"""The columns of a study that study.json has as they are."""
README: Final = """\
---
{card}---

# {name}

Export of a study with human participants, created on {made} by {software}. The study uses {benchmark}, {split} split,
{setting}. `study.json` contains its settings and every consent text.

{warning}

Each table is included twice, with the same fields: as JSON Lines (`.jsonl`, one object per line, UTF-8) and as CSV
(RFC 4180, UTF-8). In the CSV, an empty field is a missing value, a list is written as JSON, and text that a
spreadsheet would run as a formula starts with an added apostrophe. The JSON Lines contain every text as typed. Times
are ISO 8601 in UTC. Values are not rounded.

The lines above the title are a data card for the Hugging Face Hub: each table that has rows (apart from `contacts`) is
a configuration of the dataset, as in `datasets.load_dataset(".", "participants")`. They name no licence for this data,
which is yours to choose.
{licence}{notebook}{generations}{tables}"""
DTYPES: Final[Mapping[str, set[type]]] = {"bool": {bool}, "int64": {int}, "float64": {int, float}}
LICENCE: Final = "The questions of {benchmark} have their own: {licence}.\n"
NOTEBOOK: Final = """
`figures.ipynb` computes every figure of the study's page *Scores*, and of *Evidence* where people write answers, from
these files. It needs NumPy; what it calls is beside it.
"""
GENERATIONS: Final = """
`generations.jsonl` contains the answers that count, in the format of a generations file: one object per line with
`id`, `answer` and, because several people may answer the same question, `participant`. `generations/P-01.jsonl` and so
on contain the answers of one participant each; each of these is a generations file that can be submitted.
"""
WITHOUT_CONTACTS: Final = (
    "This export contains no email addresses, names or links. Answers, notes and searches are free text: "
    "check them for personal details before you share the export."
)
WITH_CONTACTS: Final = (
    "**This export identifies participants** (`contacts.jsonl`, `contacts.csv`), because email addresses "
    "and receipts were requested. Do not share or publish it, and delete it when you no longer need it."
)
TEXTS_DELETED: Final = (
    f"What participants typed was deleted on {{}}, as the consent text says: answers, their versions, answers to "
    f"attention checks and searches are `{DELETED}`, notes, marks in pairs and reported addresses are empty. Of an "
    "attention check that was passed, the first accepted answer is there instead. Choices, votes, ratings, scores, "
    "times and titles of articles are complete."
)
CODES_DELETED: Final = "Links, receipt codes and email addresses were deleted on {}, as the consent text says."


def export_name(study: Study) -> str:
    return f"study-{study.slug}-{timezone.localdate():%Y-%m-%d}.zip"


def write_export(
    study: Study, out: IO[bytes], *, by: User | str, with_contacts: bool = False, with_grades: bool = True
) -> dict[str, int]:
    """Write a study's export as a ZIP archive; return the number of rows per table.

    Args:
        out: the output file, writable and seekable.
        by: the maintainer, or the name of a command; recorded in the study's log.
        with_contacts: whether to include the participants' identities. Only after an explicit request and a warning.
        with_grades: whether to include scores of single answers: on a hidden split for maintainers only.
    """
    kind = KINDS[study.kind]
    tables = tables_of(with_contacts=with_contacts, with_grades=with_grades, kind=study.kind)
    counts: dict[str, int] = {}
    types: dict[str, dict[str, str]] = {}
    with zipfile.ZipFile(out, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "study.json", json.dumps(about(study), ensure_ascii=False, indent=2, default=json_default) + "\n"
        )
        for table in tables:
            counts[table.name], types[table.name] = _write_table(archive, table, study)
        if kind.writes_answers:
            _write_generations(archive, study)
        has_scores = with_grades or kind.writes_answers or kind.scores_are_open
        if has_scores:
            for name, source in notebook.files_of(study.kind):
                archive.writestr(name, source)
        shared = [table.name for table in tables if counts[table.name] and not table.personal]
        card = data_card(study, {name: types[name] for name in shared})
        text = readme(study, tables, card=card, with_contacts=with_contacts, with_notebook=has_scores)
        archive.writestr("README.md", text)
    contacts = ", with email addresses" if with_contacts else ", without email addresses"
    activity_log.record_action(study, "study.exported", f"Exported{contacts}.", by=by)
    return counts


def data_card(study: Study, types: Mapping[str, Mapping[str, str]]) -> str:
    """The metadata of a dataset on the Hugging Face Hub, in YAML, with the types of the fields by the names of the
    tables."""
    revision = study.split.current_revision
    rows = revision.questions.order_by("language") if revision is not None else Question.objects.none()
    languages = rows.exclude(language="").values_list("language", flat=True).distinct()
    # Only an empty field is missing: an answer may be “None”.
    reading = {"keep_default_na": False, "na_values": ""}
    card = {
        "pretty_name": " ".join(study.name.split()),
        **({"language": list(languages)} if languages else {}),
        "license": "unknown",
        "tags": ["human-evaluation"],
        "configs": [{"config_name": name, "data_files": f"{name}.csv", **reading} for name in types],
        "dataset_info": [
            {"config_name": name, "features": [{"name": field, "dtype": dtype} for field, dtype in fields.items()]}
            for name, fields in types.items()
        ],
    }
    return yaml.safe_dump(card, allow_unicode=True, sort_keys=False)


def readme(study: Study, tables: Sequence[Table], *, card: str, with_contacts: bool, with_notebook: bool) -> str:
    """The archive's README: the data card, and every table with every field."""
    benchmark = study.split.benchmark
    described = "".join(
        f"\n## {table.name}\n\n{table.about}\n\n| field | description |\n|---|---|\n"
        + "".join(f"| `{field.name}` | {field.meaning} |\n" for field in table.fields)
        for table in tables
    )
    deletions = "".join(
        f"\n\n{text.format(f'{moment.astimezone(datetime.UTC):%Y-%m-%d}')}"
        for moment, text in ((study.texts_deleted_at, TEXTS_DELETED), (study.codes_deleted_at, CODES_DELETED))
        if moment is not None
    )
    return README.format(
        name=" ".join(study.name.split()),
        made=f"{timezone.now().astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        software=f"Manyhop {settings.MANYHOP_VERSION}",
        card=card,
        benchmark=benchmark.name,
        split=study.split.slug,
        setting=study.setting.name.lower(),
        warning=(WITH_CONTACTS if with_contacts else WITHOUT_CONTACTS) + deletions,
        licence=LICENCE.format(benchmark=benchmark.name, licence=benchmark.licence) if benchmark.licence else "",
        notebook=NOTEBOOK if with_notebook else "",
        generations=GENERATIONS if KINDS[study.kind].writes_answers else "",
        tables=described,
    )


def about(study: Study) -> dict[str, Any]:
    """A study's settings, with every consent text that was shown."""
    revision = study.split.current_revision
    kind, _, place = study.encyclopedia.partition(":")
    return {
        "format": FORMAT,
        "benchmark": study.split.benchmark.slug,
        "split": study.split.slug,
        "revision": revision.content_hash if revision is not None else None,
        "n_questions": revision.questions.count() if revision is not None else 0,
        "setting": study.setting.slug,
        **{name: getattr(study, name) for name in SETTINGS},
        "n_attention_checks": len(study.attention_checks),
        "n_test_attempts": n_attempts_of(study),
        "exclusion_rules_in_words": [in_words(*rule) for rule in study.exclusion_rules.items()],
        "answer_sets": [
            {"number": number, "made_at": result.made_at, "n_unfinished": result.n_unfinished}
            for number, result in shown_results(study)
        ],
        "rating_questions": tomllib.loads(study.declaration).get("questions", []),
        "encyclopedia": f"{kind}:{place.rstrip('/').rsplit('/', 1)[-1]}" if place else "",  # not its whole location
        "consent_versions": [
            {key: getattr(version, key) for key in ("number", "text", "on_withdrawal", "made_at")}
            for version in study.consent_versions.order_by("number")
        ],
    }


def _write_table(archive: zipfile.ZipFile, table: Table, study: Study) -> tuple[int, dict[str, str]]:
    """Write a table; return the number of its rows, and the types of its fields."""
    rows, names = list(table.rows(study)), [field.name for field in table.fields]
    archive.writestr(f"{table.name}.jsonl", b"".join(map(_json, rows)))
    archive.writestr(f"{table.name}.csv", csv_text(names, rows))
    return len(rows), {name: _dtype(row[name] for row in rows) for name in names}


def _dtype(values: Iterable[Any]) -> str:
    """The type of a field's values in Hugging Face's `datasets`.

    >>> _dtype([None, 1, 2.5]), _dtype([True, None]), _dtype(["12", None])
    ('float64', 'bool', 'string')
    """
    found = {type(value) for value in values if value is not None}
    return next((name for name, types in DTYPES.items() if found and found <= types), "string")


def _write_generations(archive: zipfile.ZipFile, study: Study) -> None:
    task = task_type_of(study.split.benchmark.slug)
    key = task.answer_format(None).answer_key
    everything: list[bytes] = []
    by_person: dict[str, list[bytes]] = defaultdict(list)
    for answer in answers(study).filter(question__isnull=False):
        if answer.is_complete and answer.by_counted:
            line, code = {"id": answer.qid, key: task.sent(task.typed(answer.text))}, answer.participant.code
            everything.append(_json({**line, "participant": code}))
            by_person[code].append(_json(line))
    archive.writestr("generations.jsonl", b"".join(everything))
    for code, own in by_person.items():
        archive.writestr(f"generations/{code}.jsonl", b"".join(own))


def _json(row: Mapping[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False, default=json_default) + "\n").encode("utf-8", "replace")
