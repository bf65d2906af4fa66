"""Content of the demo: benchmarks, published results, two accounts, an example submission, baselines and a study."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from humaneval.models import Kind, Study
from humaneval.studies.pairs import comparable_entries, make_pairs
from leaderboard.accounts.services import make_account, vouch
from leaderboard.board.write import write_marked
from leaderboard.models import Publication, PublicationState, Submission, User
from leaderboard.project.demo import baselines, samples
from leaderboard.project.demo.environment import stored_secret
from leaderboard.publishing import reported_rows
from leaderboard.publishing.locks import lock_with_party
from leaderboard.publishing.services import publish_submission, put_on_board
from leaderboard.submissions.forms import SubmissionForm, open_settings
from leaderboard.submissions.validation import submit
from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import AnswerSet, Benchmark, Run, Setting, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import task_type_of
from scoring.runs.answer_sets import ensure_runs
from scoring.runs.judging.baselines import choose_baseline

PASSWORD_BYTES = 9
EXAMPLE_NAME = baselines.TITLES.name
EXAMPLE_SETTING = "evidenceprovided"
EXAMPLE_FILE = "example.jsonl"
STUDY_SETTING = "openbook"
STUDY_SLUG = "try-it"
STUDY_NAME = "Try it: answer three questions"
PAIRS_SLUG = "compare-answers"
PAIRS_NAME = "Which answer is better?"
N_PAIR_QUESTIONS = 50
MISTAKES_FILE = "example-with-mistakes.jsonl"
N_MISTAKEN_LINES = 12


# --- Benchmarks ----------------------------------------------------------------------------------------------------


def load_benchmarks() -> None:
    """Imports every benchmark whose questions are installed, or else a declared sample, with its published results,
    and samples whose answers are lists; existing data is not changed."""
    installed = {}
    for slug, definition in packaged_definitions().items():
        with contextlib.suppress(SourceError):  # the package of its questions is not installed
            if definition.packaged():
                installed[slug] = definition
    if not installed:
        import_declaration(read_declaration(template("capitals")))
    for slug, definition in installed.items():
        call_command("import_benchmark", slug, stdout=StringIO())
        published = definition.published_results()
        if published is not None:
            reported_rows.import_published(Benchmark.objects.get(slug=slug), published)
    target = example_target()
    if target is not None:
        samples.load_samples(settings.DATA_DIR, target[0])
    write_marked()


# --- A study to join -----------------------------------------------------------------------------------------------


def load_study(split: Split, owner: User) -> str:
    """Creates a study that anybody can join by a link, on the first start; returns the link's path if it is still open.

    The split's questions are those that the demo's encyclopedia has articles for.
    """
    if not Setting.objects.filter(benchmark=split.benchmark, slug=STUDY_SETTING).exists():
        return ""
    board = (split.benchmark.slug, split.slug, STUDY_SETTING)
    out = StringIO()
    options = {"owner": owner.get_username(), "slug": STUDY_SLUG, "questions": 3, "seats": 200, "drawing": "balanced"}
    call_command(
        "create_study", *board, STUDY_NAME, if_missing=True, opens="now", shared_link=200, stdout=out, **options
    )
    _, *links = out.getvalue().splitlines()
    return urlsplit(links[0]).path if links else ""


def load_pairs(owner: User) -> None:
    """Creates a study of pairs of the published answers of the sample whose answers are compared; on the first start
    alone."""
    split = Split.objects.filter(benchmark__slug=samples.COMPARED["slug"], current_revision__isnull=False).first()
    if split is None or Study.objects.filter(slug=PAIRS_SLUG).exists():
        return
    board = (samples.COMPARED["slug"], split.slug, samples.SETTING)
    options = {"owner": owner.get_username(), "slug": PAIRS_SLUG, "kind": Kind.PAIRS, "opens": "now"}
    call_command("create_study", *board, PAIRS_NAME, stdout=StringIO(), **options)
    study = Study.objects.get(slug=PAIRS_SLUG)
    make_pairs(study, list(comparable_entries(study, owner)), N_PAIR_QUESTIONS, by=owner)


# --- Accounts ------------------------------------------------------------------------------------------------------


def load_accounts(directory: Path) -> list[tuple[User, str, str]]:
    """The maintainer and the submitter, created on the first start with random passwords stored in ``directory``: each
    with the password, empty if its owner has changed it, and the purpose of the account."""
    purposes = {
        "maintainer": "maintains the site; admin site at /admin/",
        "submitter": "uploads generations; owner of the example submission",
    }
    accounts = []
    for name, purpose in purposes.items():
        password = stored_secret(directory / f"password-of-{name}", PASSWORD_BYTES)
        user = User.objects.filter(username=name).first()
        if user is None:
            user = make_account(
                name, f"{name}@manyhop.example", password, verified=True, maintainer=name == "maintainer"
            )
        elif not EmailAddress.objects.filter(user=user).exists():
            vouch(user)  # created by a version that did not require a verified address
        known = user.check_password(password)
        accounts.append((user, password if known else "", purpose))
    return accounts


# --- The example submission ----------------------------------------------------------------------------------------


def example_target() -> tuple[Split, Setting] | None:
    """The split and setting that the example answers: the first split with open answers whose benchmark has the setting
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


def write_example_files(directory: Path, split: Split) -> Path:
    """Writes the example's generations, and a part of them with errors that shows how problems are reported.

    Returns the path of the former, `EXAMPLE_FILE`; the latter is in the same folder as `MISTAKES_FILE`.
    """
    lines = baselines.generations(split, baselines.TITLES, {})
    example = directory / EXAMPLE_FILE
    example.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spoilt = lines[:N_MISTAKEN_LINES]
    spoilt[2] = spoilt[2][:-2]  # an incomplete line
    spoilt[4] = spoilt[3]  # a question answered twice
    spoilt[6] = json.dumps({"id": "no-such-question", "answer": "42"})
    spoilt[8] = spoilt[8].replace('"answer"', '"generation"')
    (directory / MISTAKES_FILE).write_text("\n".join(spoilt) + "\n", encoding="utf-8")
    return example


def find_example(owner: User, split: Split, name: str = EXAMPLE_NAME) -> Submission | None:
    """An example submission, if it was submitted before."""
    return Submission.objects.filter(owner=owner, split=split, name=name).order_by("created_at").first()


def submit_example(
    owner: User, split: Split, submission_settings: Sequence[Setting], content: bytes, system: Mapping[str, str]
) -> Submission:
    """Submits the same answers in some settings, through the form that the page and the API use.

    Raises:
        ValueError: the form or intake found a problem, so it is refused like any other submission.
    """
    files = {
        setting.slug: [SimpleUploadedFile(EXAMPLE_FILE, content, content_type="application/jsonl")]
        for setting in submission_settings
    }
    form = SubmissionForm(
        {**system, "split": split.slug},
        MultiValueDict(files),
        splits=[split],
        submission_settings=submission_settings,
    )
    submission = submit(form.read(), owner)
    if not isinstance(submission, Submission):
        raise ValueError(f"The example submission was rejected: {form.errors.as_text()}")
    return submission


def submit_baselines(owner: User) -> list[Submission]:
    """Submits the baselines of every open split that were not submitted before; returns those of all, with the earlier
    ones. They send no mail."""
    submissions = []
    of_samples = {sample["slug"] for sample in samples.SAMPLES}
    splits = Split.objects.filter(hidden=False, current_revision__isnull=False)
    for split in splits.select_related("benchmark", "current_revision").order_by("benchmark__position", "position"):
        slug = split.benchmark.slug
        references = baselines.items_of(split)
        of_split = (
            *(baselines.OF_LISTS if slug in of_samples else ()),
            *(baselines.OF_REFERENCES if references else ()),
        )
        for baseline in of_split:
            submission = find_example(owner, split, baseline.name)
            if submission is None:
                content = "\n".join(baselines.generations(split, baseline, references)).encode()
                submission = submit_example(owner, split, open_settings(split.benchmark), content, baseline.system)
                Submission.objects.filter(pk=submission.pk).update(notified_at=timezone.now())
            submissions.append(submission)
        # Answers are compared with those of the last system, where answers are compared and no baseline is chosen.
        if of_split and not task_type_of(slug).needs_references and not hasattr(split, "baseline"):
            file = submissions[-1].files.select_related("answer_set").get()
            choose_baseline(split, file.answer_set, by="the Manyhop demo")
            for answer_set in AnswerSet.objects.filter(split=split):
                ensure_runs(answer_set)
    return submissions


def is_settled(submission: Submission) -> bool:
    """Whether no run of a submission is waiting or running."""
    return not _runs_of(submission).filter(state__in=ACTIVE).exists()


def publish_if_new(submission: Submission) -> bool:
    """Publishes the example if it is scored and was never on the board; once taken off, it is not published again. Its
    answers are public where the split's are, so that the pages of questions have something to show. Answers that are
    compared are published without a score, for readers to vote on, if there is no judge."""
    if submission.withdrawn_at is not None or submission.entries.exists():
        return False
    shows_answers = not submission.split.hidden
    if _runs_of(submission).filter(state=RunState.DONE).exists():
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


def _runs_of(submission: Submission) -> QuerySet[Run]:
    return Run.objects.filter(answer_set__submission_file__submission=submission)
