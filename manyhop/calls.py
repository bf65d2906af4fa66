"""The requests of the API: what is sent, and the type of the answer. Nothing is sent here (see `manyhop.client`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from manyhop import records

T = TypeVar("T")

Content: TypeAlias = "Path | str | bytes"
"""A file's path, or what is in it."""


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request."""

    path: str
    """Below ``/api/v1/``, or a page of the site if it begins with ``/``."""
    answer: type[T]
    method: str = "GET"
    params: Mapping[str, Any] = field(default_factory=dict)
    """The query; empty values are left out."""
    fields: Mapping[str, Any] | None = None
    """The body: JSON, or a form if there are files."""
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    """File names and contents of the uploads, by the names of their fields."""
    key: str = ""
    """The idempotency key: with it, the site does once what it is asked several times."""
    repeatable: bool = False
    """Whether a second request does no more than one, without a key."""

    @property
    def may_be_repeated(self) -> bool:
        """Whether the request may be sent again if its answer is lost."""
        return self.method == "GET" or self.repeatable or bool(self.key)

    def form(self) -> dict[str, str]:
        """The fields as those of a form, where truth is a word and a missing value an absent field."""
        present = {name: value for name, value in (self.fields or {}).items() if value is not None}
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in present.items()}


# Reading --------------------------------------------------------------------------------------------------------------


def benchmarks() -> Call[list[records.BenchmarkLine]]:
    """All benchmarks."""
    return Call("benchmarks/", list[records.BenchmarkLine])


def benchmark(slug: str) -> Call[records.Benchmark]:
    """One benchmark with its splits, settings, columns and attributes."""
    return Call(f"benchmarks/{slug}/", records.Benchmark)


def split(benchmark: str, split: str) -> Call[records.SplitDetail]:
    """A split with its revisions, and the signatures that its boards show."""
    return Call(f"benchmarks/{benchmark}/splits/{split}/", records.SplitDetail)


def questions(benchmark: str, split: str) -> Call[list[records.Question]]:
    """The questions of a split's current revision, without reference answers."""
    return Call(f"benchmarks/{benchmark}/splits/{split}/questions/", list[records.Question], params={"page_size": 500})


def board(benchmark: str = "", split: str = "", setting: str = "", **filters: Any) -> Call[records.Board]:
    """A board; the filters are those of its page, such as ``sort``, ``q`` and ``type``."""
    return Call("board/", records.Board, params=_place(benchmark, split, setting) | filters)


def ranking(benchmark: str = "", split: str = "", setting: str = "") -> Call[records.Ranking]:
    """The ranking of a board whose systems a judge compares side by side."""
    return Call("ranking/", records.Ranking, params=_place(benchmark, split, setting))


def systems(q: str = "", types: Sequence[str] = ()) -> Call[list[records.SystemLine]]:
    """The systems on boards."""
    return Call("systems/", list[records.SystemLine], params={"q": q, "type": list(types)})


def system(slug: str) -> Call[records.System]:
    """One system and its boards."""
    return Call(f"systems/{slug}/", records.System)


def scores(system: str) -> Call[list[records.Result]]:
    """Every score of a system with its interval, under every signature."""
    return Call(f"systems/{system}/scores/", list[records.Result])


def verdicts(system: str, split: str, setting: str, benchmark: str = "") -> Call[list[records.QuestionVerdict]]:
    """The judge's verdict on each answer of a system, of a split that is not hidden."""
    return Call(f"systems/{system}/verdicts/", list[records.QuestionVerdict], params=_place(benchmark, split, setting))


def question_scores(system: str, split: str, setting: str, benchmark: str = "") -> Call[list[records.QuestionScores]]:
    """The scores of each question of a system, of a split that is not hidden."""
    params = _place(benchmark, split, setting) | {"page_size": 500}
    return Call(f"systems/{system}/questions/", list[records.QuestionScores], params=params)


def answers(system: str, split: str, setting: str, benchmark: str = "") -> Call[list[records.Answer]]:
    """The answers of a system, where they are public or your own."""
    params = _place(benchmark, split, setting) | {"page_size": 500}
    return Call(f"systems/{system}/answers/", list[records.Answer], params=params)


def compare(
    systems: Sequence[str], benchmark: str = "", split: str = "", setting: str = ""
) -> Call[records.Comparison]:
    """Two to six systems on one board: the differences in each score, with intervals and paired tests."""
    return Call("comparison/", records.Comparison, params={"system": list(systems)} | _place(benchmark, split, setting))


def export(benchmark: str, split: str, setting: str, extension: str, **filters: Any) -> Call[bytes]:
    """A board as a file, as its page exports it: ``csv``, ``json``, ``tex``, ``bib``, ``md``."""
    return Call(f"/{benchmark}/{split}/{setting}/export.{extension}", bytes, params=filters)


def export_system(benchmark: str, split: str, setting: str, system: str, name: str) -> Call[bytes]:
    """A system's scores on a board: ``every-eval-ever.json``, ``model-index.yaml`` or ``eval-results.yaml``."""
    return Call(f"/{benchmark}/{split}/{setting}/systems/{system}/{name}", bytes)


def croissant(benchmark: str, split: str = "") -> Call[bytes]:
    """A benchmark, or one of its splits, described in Croissant, as JSON-LD."""
    return Call(f"/{benchmark}/{f'{split}/' if split else ''}croissant.json", bytes)


def _place(benchmark: str, split: str, setting: str) -> dict[str, Any]:
    return {"benchmark": benchmark, "split": split, "setting": setting}


# Submissions ----------------------------------------------------------------------------------------------------------


def submissions() -> Call[list[records.SubmissionLine]]:
    """The account's submissions, newest first."""
    return Call("submissions/", list[records.SubmissionLine])


def submission(uuid: str) -> Call[records.Submission]:
    """A submission's state, progress and scores."""
    return Call(f"submissions/{uuid}/", records.Submission)


def own_question_scores(uuid: str, setting: str) -> Call[list[records.QuestionScores]]:
    """The scores of each question of a submission, of a split that is not hidden."""
    params = {"setting": setting, "page_size": 500}
    return Call(f"submissions/{uuid}/questions/", list[records.QuestionScores], params=params)


def validate(files: Mapping[str, Content], **fields: Any) -> Call[records.Validation]:
    """Check files like a submission, and store nothing.

    :param files: by the names of their settings.
    :param fields: ``split``, and any other field of a submission.
    """
    path = "submissions/validate/"
    return Call(path, records.Validation, "POST", fields=fields, files=_read(files), repeatable=True)


def submit(files: Mapping[str, Content], *, key: str = "", **fields: Any) -> Call[records.Submission]:
    """Submit files, by the names of their settings.

    :param key: the idempotency key. By default it is made of the content, so that repeating a submission, after a lost
        connection or by another process, returns the first one for seven days.
    :param fields: ``benchmark``, ``split``, ``name``, ``authors``, ``type`` and the other fields of a submission.
    """
    contents = _read(files)
    return Call(
        "submissions/", records.Submission, "POST", fields=fields, files=contents, key=key or _key(contents, fields)
    )


def replace(uuid: str, files: Mapping[str, Content], **fields: Any) -> Call[records.Submission]:
    """Send newer versions of a submission's files."""
    contents = _read(files)
    key = _key(contents, fields | {"id": uuid})
    return Call(f"submissions/{uuid}/replace/", records.Submission, "POST", fields=fields, files=contents, key=key)


def publish(uuid: str, **options: Any) -> Call[records.Submission]:
    """Publish a submission; the options are ``shows_answers``, ``anonymous_until``, ``shows_traits`` and ``seen``."""
    return Call(f"submissions/{uuid}/publish/", records.Submission, "POST", fields=options)


def reveal(uuid: str) -> Call[records.Submission]:
    """Reveal the name of an anonymous submission before its day."""
    return Call(f"submissions/{uuid}/reveal/", records.Submission, "POST", fields={})


def unpublish(uuid: str) -> Call[records.Submission]:
    """Remove a submission from the board."""
    return Call(f"submissions/{uuid}/unpublish/", records.Submission, "POST", fields={})


def retry(uuid: str) -> Call[records.Submission]:
    """Queue failed metrics again."""
    return Call(f"submissions/{uuid}/retry/", records.Submission, "POST", fields={})


def withdraw(uuid: str) -> Call[records.Submission]:
    """Withdraw a submission for good."""
    return Call(f"submissions/{uuid}/withdraw/", records.Submission, "POST", fields={"confirm": True})


def change_system(slug: str, **facts: Any) -> Call[records.System]:
    """Change facts of a system of yours; None states one no more. ``run_facts`` and ``usage`` are mappings."""
    return Call(f"systems/{slug}/", records.System, "PATCH", fields=facts, repeatable=True)


def change_submission(uuid: str, **facts: Any) -> Call[records.Submission]:
    """Change the facts of a submission, which need not be on a board."""
    return Call(f"submissions/{uuid}/", records.Submission, "PATCH", fields=facts, repeatable=True)


def system_changes(slug: str) -> Call[list[records.FactsChange]]:
    """The changes of facts of a system of yours, newest first."""
    return Call(f"systems/{slug}/changes/", list[records.FactsChange])


def submission_changes(uuid: str) -> Call[list[records.FactsChange]]:
    """The changes of a submission's facts, newest first; once it was published by name, those of the system."""
    return Call(f"submissions/{uuid}/changes/", list[records.FactsChange])


def _read(files: Mapping[str, Content]) -> dict[str, tuple[str, bytes]]:
    return {
        name: (f"{name}.jsonl", content)
        if isinstance(content, bytes)
        else (Path(content).name, Path(content).read_bytes())
        for name, content in files.items()
    }


def _key(files: Mapping[str, tuple[str, bytes]], fields: Mapping[str, Any]) -> str:
    """An idempotency key: equal for equal content. The site keeps keys by account."""
    parts: Iterable[Any] = (
        (name, file, hashlib.sha256(content).hexdigest()) for name, (file, content) in files.items()
    )
    text = json.dumps([sorted(parts), sorted(fields.items())], default=str)
    return hashlib.sha256(text.encode()).hexdigest()
