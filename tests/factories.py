"""Small, real data for tests: made through the product's own services, never row by row."""

import datetime
import io
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.text import slugify
from numpy.typing import ArrayLike

from humaneval.grading.rounds.services import make_round
from humaneval.models import GradingRound, Study
from humaneval.studies.services import create_study
from leaderboard.accounts.services import make_account
from leaderboard.accounts.tokens import create_token
from leaderboard.models import Membership, Submission, Team, TeamRole, TokenScope, User
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import storage
from leaderboard.submissions.forms import known_questions
from leaderboard.submissions.intake import CheckedFile, FileReport
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.base import NO_ANSWER, SourceQuestion
from scoring.benchmarks.monaco import question_of
from scoring.benchmarks.qampari import bin_of, kind_of
from scoring.generations.reader import read_generations
from scoring.importing.revisions import ImportedSplit, import_definition, import_split
from scoring.models import Answer, AnswerBlock, AnswerSet, Benchmark, Run, Score, Setting, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.runs import execution, intervals, leases
from scoring.task_types.reference_files import JudgedRow
from tests.rows import remembered

CAPITALS = {
    "Norway": "Oslo",
    "Kenya": "Nairobi",
    "Peru": "Lima",
    "Japan": "Tokyo",
    "Canada": "Ottawa",
    "Ghana": "Accra",
}
PASSWORD = "a long enough password"
DATE = datetime.date(2024, 1, 1)


def _numbered(split: str, index: int) -> str:
    return str(index) if split == "dev" else f"{split} {index}"


def source_questions(
    split: str, n: int = 4, *, answers: bool = True, overrides: Mapping[int, Any] | None = None
) -> list[SourceQuestion]:
    """*n* questions with ids ``dev-0``, ``dev-1``, …, of every shape of answer in turn. Splits share no text."""
    countries = list(CAPITALS.items())
    questions = []
    for index in range(n):
        country, capital = countries[index % len(countries)]
        shapes: list[Any] = [{country: capital}, [capital, country], capital, index]
        answer = (overrides or {}).get(index, shapes[index % 4])
        questions.append(
            SourceQuestion(
                qid=f"{split}-{index}",
                text=f"What is the capital of {country} ({_numbered(split, index)})?",
                categories=("Geography",) if index % 2 else ("Geography", "Politics"),
                evidence=({"pageid": index, "revid": 1, "title": country, "url": f"https://example.org/{index}"},),
                decomposition=(
                    {
                        "id": f"sub-{index}",
                        "question": f"Which city rules {country}?",
                        "answer": capital,
                        "decomposition": [],
                        "depends_on": [],
                        "evidence": None,
                    },
                ),
                answer=answer if answers else NO_ANSWER,
            )
        )
    return questions


def benchmark(n_dev: int = 4, n_test: int = 4, *, test_answers: bool = True) -> Benchmark:
    """The first benchmark of the site with a few questions of ours in each split."""

    def make() -> None:
        made = import_definition(next(iter(definitions().values())))
        revise(split(made, "dev"), source_questions("dev", n_dev))
        revise(split(made, "test"), source_questions("test", n_test, answers=test_answers))

    remembered(("benchmark", n_dev, n_test, test_answers), make)
    return Benchmark.objects.get(slug=next(iter(definitions())))


LISTS = "qampari"
"""The benchmark of the site whose answers are lists."""


def list_questions(split: str, n: int = 4, *, answers: bool = True) -> list[SourceQuestion]:
    """*n* questions with ids ``0__wikidata_simple__dev``, …, whose gold answers are five cities or more each, with an
    alias and a proof."""
    cities = list(CAPITALS.values())
    kinds = ("wikidata_simple", "wikidata_comp", "wikitables_simple")
    questions = []
    for index in range(n):
        gold: list[Any] = [
            {"answer_text": city, "aliases": [city, f"{city} {index}"]} for city in cities[: 5 + index % 2]
        ]
        kind = kinds[index % len(kinds)]
        questions.append(
            SourceQuestion(
                qid=f"{index}__{kind}__{split}",
                text=f"Which capitals are in list {_numbered(split, index)}?",
                categories=(kind_of(f"0__{kind}__x") or "",),
                evidence=(),
                answer=gold if answers else NO_ANSWER,
                answer_categories=(bin_of(len(gold)),),
                answer_evidence=tuple(
                    {"pageid": None, "revid": None, "title": city, "url": f"https://example.org/{city}"}
                    for city in cities[: 5 + index % 2]
                ),
            )
        )
    return questions


def list_benchmark(n_dev: int = 4, n_test: int = 4) -> Benchmark:
    """The benchmark whose answers are lists, with a few questions of ours in two splits."""

    def make() -> None:
        made = import_definition(definitions()[LISTS])
        revise(split(made, "dev"), list_questions("dev", n_dev))
        revise(split(made, "test"), list_questions("test", n_test))

    remembered(("list benchmark", n_dev, n_test), make)
    return Benchmark.objects.get(slug=LISTS)


def list_answers(slug: str = "dev", n: int = 4, *, right: int = 5) -> dict[str, list[str]]:
    """Predictions for `list_questions`: the first *right* gold answers of each and one wrong one; none for the last."""
    cities = list(CAPITALS.values())[:right]
    answers = {question.qid: [*cities, "Atlantis"] for question in list_questions(slug, n)}
    return answers | {list(answers)[-1]: []}


JUDGED = "monaco"
"""The benchmark of the site whose lists are judged."""
GOLD = (("Oslo", "Nairobi", "Lima"), ("Tokyo",), ("1,000",), ("Ottawa", "Accra"))


def judged_questions(split: str, gold: Sequence[Sequence[str]] = GOLD) -> list[SourceQuestion]:
    """Questions with ids ``dev-j0``, … and these gold lists."""
    further: Any = {"evidence_pages": 12, "intermediate_answers": 30, "time_dependence": "years"}
    return [
        question_of(
            f"{split}-j{index}",
            JudgedRow(question=f"Which capitals ({_numbered(split, index)})?", answers=list(one), **further),
        )
        for index, one in enumerate(gold)
    ]


def judged_benchmark(gold: Sequence[Sequence[str]] = GOLD, dev: Sequence[Sequence[str]] | None = None) -> Benchmark:
    """The benchmark whose lists are judged, with a few questions of ours in both splits; *dev* are other gold lists for
    the open one."""
    made = import_definition(definitions()[JUDGED])
    for slug, lists in (("dev", dev or gold), ("test", gold)):
        revise(split(made, slug), judged_questions(slug, lists))
    return made


COMPARED = "researchy"
"""The benchmark of the site whose answers are compared side by side."""


def compared_benchmark(n: int = 4) -> Benchmark:
    """The benchmark whose answers are compared, with *n* questions ``test-0``, … without reference answers."""
    made = import_definition(definitions()[COMPARED])
    questions = [replace(one, decomposition=()) for one in source_questions("test", n, answers=False)]
    revise(split(made, "test"), questions)
    return made


def revise(to: Split, questions: Sequence[SourceQuestion], date: datetime.date = DATE) -> ImportedSplit:
    """Import a revision of a split."""
    return import_split(to, questions, date=date, note="Made by a test.")


def split(of: Benchmark, slug: str) -> Split:
    """A split as the database has it now."""
    return Split.objects.select_related("benchmark", "current_revision").get(benchmark=of, slug=slug)


def setting(of: Benchmark, slug: str = "openbook") -> Setting:
    """A setting."""
    return Setting.objects.get(benchmark=of, slug=slug)


def user(name: str = "ada", **fields: Any) -> User:
    """An account with the password `PASSWORD` and a verified mail address."""
    made = make_account(name, f"{name}@example.org", PASSWORD, verified=True)
    if fields:
        User.objects.filter(pk=made.pk).update(**fields)
        made.refresh_from_db()
    return made


def token_of(user: User, scope: str = TokenScope.SUBMIT) -> dict[str, str]:
    """The headers of a program that has a new token of an account."""
    return {"Authorization": f"Token {create_token(user=user, name=secrets.token_hex(4), scope=scope)[1]}"}


def team(*members: User, name: str = "Night shift", role: TeamRole = TeamRole.MEMBER) -> Team:
    made = Team.objects.create(name=name, slug=slugify(name))
    for user in members:
        Membership.objects.create(team=made, user=user, role=role)
    return made


def maintainer(name: str = "grace") -> User:
    """An account that may do everything."""
    return make_account(name, f"{name}@example.org", PASSWORD, verified=True, maintainer=True)


def generations(answers: Mapping[str, Any]) -> bytes:
    """A generations file, of texts, of lists, or of the other fields of lines; of several attempts if each answer is a
    tuple of texts, in which None has no line."""
    rows = [
        {"id": qid, **given}
        if isinstance(given, dict)
        else {"id": qid, "answer": given}
        if isinstance(given, str)
        else {"id": qid, "predictions": given}
        for qid, given in answers.items()
        if not isinstance(given, tuple)
    ]
    rows += [
        {"id": qid, "answer": text, "attempt": attempt}
        for qid, given in answers.items()
        for attempt, text in enumerate(given if isinstance(given, tuple) else (), start=1)
        if text is not None
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def upload(answers: Mapping[str, Any] | bytes, name: str = "generations.jsonl") -> SimpleUploadedFile:
    """The same as an upload."""
    return SimpleUploadedFile(name, answers if isinstance(answers, bytes) else generations(answers))


def form_data(split_slug: str = "dev", **fields: Any) -> dict[str, Any]:
    """A form filled in as a submitter would."""
    return {
        "split": split_slug,
        "name": "Example system",
        "authors": "A. Author",
        "type": "FOUNDATION",
        "context_size": "8192",
        **fields,
    }


def submission(
    owner: User,
    to: Split,
    answers: Mapping[str, Mapping[str, Any] | bytes],
    *,
    name: str = "Example system",
    team: Team | None = None,
    within_quota: bool = True,
    **fields: Any,
) -> Submission:
    """A submission (by setting the answers by question id, or a file) through the ordinary services, not scored yet."""
    attributes = {"context_size": 8192} | {old: fields.pop(old) for old in OLD_NAMES if old in fields}
    return storage.create_submission(
        owner=owner,
        split=to,
        team=team,
        within_quota=within_quota,
        system={"name": name, "authors": "A. Author", "type": "FOUNDATION", **fields}
        | {"attributes": {old: value for old, value in attributes.items() if value is not None}},
        files=checked_files(to, answers),
    )


def replace_file(sent: Submission, answers: Mapping[str, Any], *, by: User) -> None:
    """Send a newer version of a submission's file for the open book, which is not scored yet."""
    storage.replace_files(sent, files=checked_files(sent.split, {"openbook": answers}), actor=by)


def checked_files(to: Split, answers: Mapping[str, Mapping[str, Any] | bytes]) -> list[CheckedFile]:
    """Files (answers by setting, then by question id) as they are once they passed the check."""
    files = []
    for slug, given in answers.items():
        stream = io.BytesIO(given if isinstance(given, bytes) else generations(given))
        where = Setting.objects.get(benchmark=to.benchmark, slug=slug)
        answer_format = definition_of(to.benchmark.slug).answer_format()
        read = read_generations(stream, known_questions(to), answer_format=answer_format)
        report = FileReport.of(read, f"{slug}.jsonl", where)
        assert report.ok, report.errors
        files.append(CheckedFile(setting=where, report=report, stream=stream))
    return files


def change_answers(answer_set: AnswerSet, texts: Mapping[str, str]) -> None:
    """Give some questions of a system's answer set these answers."""
    every = AnswerBlock.objects.texts_of(answer_set) | dict(texts)
    AnswerBlock.objects.filter(answer_set=answer_set).delete()
    AnswerBlock.objects.store(answer_set, every)


def answers_as_rows() -> None:
    """Store every system's answer as a row too, as before scoring 0033, for tests of earlier migrations."""
    texts = AnswerBlock.objects.texts(AnswerSet.objects.all())
    Answer.objects.bulk_create(Answer(answer_set_id=key, qid=qid, text=text) for key, qid, text in texts)


def score(sent: Submission) -> None:
    """Do what a worker does with each waiting run of a submission, in this process."""
    run_waiting(answer_set__submission_file__submission=sent)


def run_waiting(**which: Any) -> None:
    """Do what a worker does with each waiting run of some, in this process."""
    for run in Run.objects.filter(state=RunState.WAITING, **which):
        token = leases.claim(str(run.pk))
        assert token is not None
        execution.execute(str(run.pk), token, check=lambda: None)


def answer_again(sent: Submission, values: ArrayLike) -> None:
    """Give a scored submission several attempts at each question: each of its scores gets these values, of shape
    (n_attempts, n_questions), as if the answers of each attempt had been scored."""
    attempts = np.asarray(values, dtype=np.float64)
    answer_sets = AnswerSet.objects.filter(submission_file__submission=sent)
    answer_sets.update(n_attempts=len(attempts))
    [(low, high)] = intervals.intervals_of([attempts.mean(axis=0)])
    Score.objects.filter(run__answer_set__in=answer_sets).update(
        attempts=vector_bytes(attempts),
        vector=vector_bytes(attempts.mean(axis=0)),
        value=attempts.mean(),
        low=low,
        high=high,
    )


def scored(owner: User, to: Split, answers: Mapping[str, Mapping[str, Any]], **fields: Any) -> Submission:
    """A submission that is scored."""
    sent = submission(owner, to, answers, **fields)
    score(sent)
    return sent


def published(owner: User, to: Split, answers: Mapping[str, Mapping[str, Any]], **fields: Any) -> Submission:
    """A submission that is scored and on the board, also if it has the file or the name of another's."""
    sent = scored(owner, to, answers, **fields)
    publish_submission(sent, actor=owner, approved=True)
    return sent


def study(owner: User, to: Split, name: str = "Spring study", *, encyclopedia: str = "", **fields: Any) -> Study:
    """A study in the open-book setting; nobody checks whether its encyclopedia is there."""
    setting = Setting.objects.get(benchmark=to.benchmark, slug="openbook")
    fields = {"questions_per_participant": 2} | fields
    made = create_study(owner=owner, split=to, setting=setting, name=name, **fields)
    Study.objects.filter(pk=made.pk).update(encyclopedia=encyclopedia)
    made.encyclopedia = encyclopedia
    return made


def grading_round(
    owner: User, split: Split, *, graders: Sequence[User], name: str = "Spring", **fields: Any
) -> GradingRound:
    """A grading round; *fields* are its settings, and what `make_round` takes to choose its answers."""
    names = {"files", "studies", "n_answers", "n_calibration", "n_graders"} & fields.keys()
    options = {option: fields.pop(option) for option in names}
    round_ = GradingRound(owner=owner, revision=split.current_revision, name=name, **fields)
    return make_round(round_, graders=graders, **options)


def perfect(slug: str = "dev", n: int = 4, *, right: int | None = None) -> dict[str, str]:
    """Answers that hold every reference string of `source_questions`, right for the first *right* of them."""
    countries = list(CAPITALS.items())
    answers = {}
    for index in range(n):
        country, capital = countries[index % len(countries)]
        is_right = right is None or index < right
        answers[f"{slug}-{index}"] = f"{country} has {capital} and {index}." if is_right else "I do not know."
    return answers
