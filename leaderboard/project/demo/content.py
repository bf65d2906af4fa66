"""Content of the demo: benchmarks, published results, accounts, example submissions, studies and a grading round."""

import contextlib
import json
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from humaneval.grading.rounds.services import make_round
from humaneval.models import GradingRound, Kind, Selection, Study
from humaneval.studies.pairs import comparable_entries, make_pairs
from leaderboard.accounts.services import make_account, vouch
from leaderboard.board.write import write_marked
from leaderboard.models import Publication, PublicationState, Submission, SystemType, User
from leaderboard.project.demo.environment import stored_secret
from leaderboard.publishing import reported_rows
from leaderboard.publishing.changing import lock_with_party
from leaderboard.publishing.services import publish_submission, put_on_board
from leaderboard.submissions.forms import SubmissionForm
from leaderboard.submissions.intake import check
from leaderboard.submissions.storage import create
from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import published_prompts, template
from scoring.importing.declared import import_declaration
from scoring.models import AnswerSet, Benchmark, Question, Run, Setting, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import task_type_of
from scoring.runs.answer_sets import ensure_runs
from scoring.runs.judging.baselines import choose_baseline

INPUTS: Final = Path(__file__).resolve().parent / "inputs"
"""A folder for each sample benchmark, with the answers of example systems, whom ``systems.toml`` describes."""
COMPARED: Final = "compared-answers-sample"
SAMPLE_SETTING: Final = "closed-book"
PASSWORD_BYTES = 9
EXAMPLE_NAME = "Titles of the evidence articles"
OTHER_EXAMPLE_NAME = "Words of the question"
EXAMPLE_SETTING = "evidenceprovided"
EXAMPLE_FILE = "example.jsonl"
MISTAKES_FILE = "example-with-mistakes.jsonl"
N_MISTAKEN_LINES = 12
STUDY_SLUG = "try-it"
STUDY_NAME = "Try it: answer three questions"
PAIRS_SLUG = "compare-answers"
PAIRS_NAME = "Which answer is better?"
N_PAIRS = 8
ROUND_NAME = "Grade the examples"
N_GRADED_ANSWERS = 10


# --- Benchmarks ----------------------------------------------------------------------------------------------------


def load_benchmarks() -> None:
    """Import every benchmark whose questions are installed, or else a declared one, with its published results.
    Existing data is not changed."""
    installed = {}
    for slug, definition in packaged_definitions().items():
        with contextlib.suppress(SourceError):  # the package of its questions is not installed
            if definition.packaged():
                installed[slug] = definition
    if not installed:
        import_declaration(read_declaration(template("capitals")))
    for slug, definition in installed.items():
        call_command("import_benchmark", slug, stdout=StringIO())
        published = definition.published_results
        if published is not None:
            reported_rows.import_published(Benchmark.objects.get(slug=slug), published)


def load_samples() -> None:
    """Import the sample benchmarks; existing data is not changed."""
    for folder in sample_folders():
        if not Benchmark.objects.filter(slug=folder.name).exists():
            _import_sample(folder)
    write_marked()


def sample_folders() -> list[Path]:
    return sorted(path.parent for path in INPUTS.glob("*/benchmark.toml"))


def _import_sample(folder: Path) -> None:
    """Import a sample, with the prompts of the packaged benchmark of its task type, if there is one."""
    task_type = tomllib.loads((folder / "benchmark.toml").read_text(encoding="utf-8"))["task_type"]
    prompts = published_prompts(task_type)
    if prompts is None:
        return
    with tempfile.TemporaryDirectory() as made:
        copy = Path(shutil.copytree(folder, Path(made) / folder.name, ignore=shutil.ignore_patterns("generations")))
        if prompts:
            (copy / "prompts").mkdir()
        for name, text in prompts.items():
            (copy / "prompts" / name).write_text(text, encoding="utf-8")
        call_command("benchmark", "import", copy, publish=True, stdout=StringIO())


# --- Accounts ------------------------------------------------------------------------------------------------------


def load_accounts(directory: Path) -> list[tuple[User, str, str]]:
    """The maintainer and the submitter, created on the first start with random passwords stored in ``directory``: each
    with the password, empty if its owner has changed it, and the purpose of the account."""
    purposes = {
        "maintainer": "maintains the site; admin site at /admin/",
        "submitter": "uploads generations; owner of the example submissions",
    }
    accounts = []
    for name, purpose in purposes.items():
        password = stored_secret(directory / f"password-of-{name}", PASSWORD_BYTES)
        user = User.objects.filter(username=name).first()
        is_new = user is None
        if user is None:
            user = make_account(
                name, f"{name}@manyhop.example", password, verified=True, maintainer=name == "maintainer"
            )
        elif not EmailAddress.objects.filter(user=user).exists():
            vouch(user)  # created by a version that did not require a verified address
        known = is_new or user.check_password(password)
        accounts.append((user, password if known else "", purpose))
    return accounts


# --- Example submissions -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A system of the demo, and its generations file for one split and setting."""

    name: str
    details: str
    split: Split
    setting: Setting
    content: bytes

    def sent(self, owner: User) -> Submission | None:
        """The submission, if it was sent before."""
        return Submission.objects.filter(owner=owner, split=self.split, name=self.name).order_by("created_at").first()

    def send(self, owner: User) -> Submission:
        """Submit it through the form that the page and the API use. It sends no mail.

        Raises:
            ValueError: the form found a problem, so it is refused like any other submission.
        """
        fields = {
            "name": self.name,
            "authors": "The Manyhop demo",
            "type": SystemType.OTHER,
            "trained_for_function_calling": "false",
            "details": f"{self.details} Part of the demo data.",
            "split": self.split.slug,
        }
        file = SimpleUploadedFile(EXAMPLE_FILE, self.content, content_type="application/jsonl")
        form = SubmissionForm(
            fields,
            MultiValueDict({self.setting.slug: [file]}),
            splits=[self.split],
            submission_settings=[self.setting],
        )
        upload = check(form.read(), owner)
        if form.errors:
            raise ValueError(f"The example “{self.name}” was rejected: {form.errors.as_text()}")
        submission, _ = create(upload, owner)
        Submission.objects.filter(pk=submission.pk).update(notified_at=timezone.now())
        return submission


def example_target() -> tuple[Split, Setting] | None:
    """The split and setting that the examples answer: the first split with open answers whose benchmark has the setting
    with given evidence, if there is one."""
    split = (
        Split.objects.filter(
            hidden=False,
            current_revision__has_references=True,
            benchmark__settings__slug=EXAMPLE_SETTING,
        )
        .select_related("benchmark", "current_revision")
        .order_by("benchmark__position", "position")
        .first()
    )
    if split is None:
        return None
    return split, Setting.objects.get(benchmark=split.benchmark, slug=EXAMPLE_SETTING)


def examples_of(split: Split, setting: Setting) -> list[Example]:
    """Two systems that read no article. They answer with the titles of the evidence, and with the question's words."""
    titles, words = [], []
    for question in Question.objects.filter(revision=split.current_revision).order_by("position"):
        of_evidence = dict.fromkeys(str(page["title"]) for page in question.evidence if page.get("title"))
        titles.append({"id": question.qid, "answer": ", ".join(of_evidence)})
        words.append({"id": question.qid, "answer": " ".join(re.findall(r"\w+(?:['’.-]\w+)*", question.text))})

    def example(name: str, details: str, answers: list[dict[str, str]]) -> Example:
        lines = [json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers]
        return Example(name, details, split, setting, "".join(lines).encode())

    return [
        example(EXAMPLE_NAME, "Answers with the titles of the articles listed as evidence.", titles),
        example(OTHER_EXAMPLE_NAME, "Answers with the words of the question.", words),
    ]


def examples_of_samples() -> Iterator[Example]:
    """The example systems of the sample benchmarks."""
    systems = tomllib.loads((INPUTS / "systems.toml").read_text(encoding="utf-8"))
    for folder in sample_folders():
        split = Split.objects.select_related("benchmark").filter(benchmark__slug=folder.name, slug="dev").first()
        if split is None:
            continue
        setting = Setting.objects.get(benchmark=split.benchmark, slug=SAMPLE_SETTING)
        for file in sorted(folder.glob("generations/*.jsonl")):
            system = systems[file.stem]
            yield Example(system["name"], system["details"], split, setting, file.read_bytes())


def write_example_files(directory: Path, example: Example) -> None:
    """Write a generations file, and a part of it with errors that shows how problems are reported."""
    lines = example.content.decode().splitlines()
    (directory / EXAMPLE_FILE).write_bytes(example.content)
    spoilt = lines[:N_MISTAKEN_LINES]
    spoilt[2] = spoilt[2][:-2]  # an incomplete line
    spoilt[4] = spoilt[3]  # a question answered twice
    spoilt[6] = json.dumps({"id": "no-such-question", "answer": "42"})
    spoilt[8] = spoilt[8].replace('"answer"', '"generation"')
    (directory / MISTAKES_FILE).write_text("\n".join(spoilt) + "\n", encoding="utf-8")


def choose_compared_baseline(submission: Submission) -> None:
    """Compare the answers of the sample without references with those of a submission, if no baseline is chosen."""
    split = submission.split
    if task_type_of(split.benchmark.slug).needs_references or hasattr(split, "baseline"):
        return
    choose_baseline(split, submission.files.select_related("answer_set").get().answer_set, by="the Manyhop demo")
    for answer_set in AnswerSet.objects.filter(split=split):
        ensure_runs(answer_set)


def is_settled(submission: Submission) -> bool:
    """Whether no run of a submission is waiting or running."""
    return not _runs(submission).filter(state__in=ACTIVE).exists()


def publish_if_new(submission: Submission) -> bool:
    """Publish an example if it is scored and was never on the board; once taken off, it is not published again. Its
    answers are public where the split's are, so that the pages of questions have something to show. Answers that are
    compared are published without a score if there is no judge, for people to compare."""
    if submission.withdrawn_at is not None or submission.entries.exists():
        return False
    shows_answers = not submission.split.hidden
    if _runs(submission).filter(state=RunState.DONE).exists():
        publish_submission(submission, actor=submission.owner, approved=True, shows_answers=shows_answers)
        return True
    if task_type_of(submission.split.benchmark.slug).needs_references:
        return False
    with transaction.atomic():
        submission = lock_with_party(submission)
        publication = Publication.objects.create(
            submission=submission,
            requested_by=submission.owner,
            state=PublicationState.APPROVED,
            decided_at=timezone.now(),
            shows_answers=shows_answers,
        )
        put_on_board(submission, publication, actor=submission.owner)
    return True


def _runs(submission: Submission) -> QuerySet[Run]:
    return Run.objects.filter(answer_set__submission_file__submission=submission)


# --- People --------------------------------------------------------------------------------------------------------


def load_study(split: Split, owner: User) -> str:
    """Create a study that anybody can join by a link, on the first start; returns the link's path if it is still open.

    The split's questions are those that the demo's encyclopedia has articles for.
    """
    setting = Setting.objects.filter(benchmark=split.benchmark, slug="openbook").first()
    if setting is None:
        return ""
    return _study(split, setting.slug, STUDY_NAME, owner, slug=STUDY_SLUG, questions=3, drawing="balanced")


def load_comparison_study(owner: User) -> None:
    """Create a study in which people compare the published answers of the sample without references, once there are
    two systems."""
    split = Split.objects.filter(benchmark__slug=COMPARED, current_revision__isnull=False).first()
    if split is None or Study.objects.filter(slug=PAIRS_SLUG).exists():
        return
    _study(split, SAMPLE_SETTING, PAIRS_NAME, owner, slug=PAIRS_SLUG, questions=4, kind=Kind.PAIRS)
    study = Study.objects.get(slug=PAIRS_SLUG)
    make_pairs(study, list(comparable_entries(study, owner)), N_PAIRS, by=owner)


def _study(split: Split, setting: str, name: str, owner: User, **options: object) -> str:
    out = StringIO()
    options |= {"owner": owner.get_username(), "seats": 200, "shared_link": 200, "opens": "now", "if_missing": True}
    call_command("create_study", split.benchmark.slug, split.slug, setting, name, stdout=out, **options)
    _, *links = out.getvalue().splitlines()
    return urlsplit(links[0]).path if links else ""


def load_grading_round(submission: Submission, owner: User) -> None:
    """Create a round in which the maintainer grades some answers of a submission."""
    if not GradingRound.objects.filter(name=ROUND_NAME).exists():
        round_ = GradingRound(
            owner=owner,
            name=ROUND_NAME,
            revision=submission.split.current_revision,
            selection=Selection.SAMPLE,
            graders_per_answer=1,
        )
        make_round(round_, graders=[owner], files=list(submission.files.all()), n_answers=N_GRADED_ANSWERS)
