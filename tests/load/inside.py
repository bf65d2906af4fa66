"""What the programs of this folder let a process of the site do: make what people need, and count what is stored."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import django

django.setup()

from django.test import Client  # noqa: E402

from humaneval.answering.consent import consent_digest  # noqa: E402
from humaneval.models import InvitationKind  # noqa: E402
from humaneval.participants.invitations import path_of  # noqa: E402
from leaderboard.accounts.tokens import create_token  # noqa: E402
from leaderboard.models import Receipt, Submission, User  # noqa: E402
from leaderboard.submissions.receipts.services import as_document  # noqa: E402
from scoring.models import Run, Score, Split, Verdict  # noqa: E402
from scoring.models.run_states import RunState  # noqa: E402
from scoring.receipts import signature_holds  # noqa: E402
from tests import factories, volunteers  # noqa: E402
from tests.bench import throughput_site  # noqa: E402
from tests.bench.corpus import N_QUESTIONS as N_HIDDEN  # noqa: E402
from tests.humaneval.grading.ground import ground  # noqa: E402
from tests.reliability.ground import (  # noqa: E402
    N_QUESTIONS,
    SCORED,
    answers_of_words,
    benchmark_of_words,
    questions_of_words,
    undisturbed,
    wait_until,
)

JUDGE = "judge"
N_VARIANTS = 6
PATIENCE_SECONDS = 600.0


def prepare() -> dict[str, Any]:
    """A benchmark, an API token, and files to send."""
    benchmark_of_words()
    _, token = create_token(user=factories.user("sender"), name="load")
    return {"token": token, "files": [factories.generations(answers).decode() for answers in _variants()]}


def people(n: int) -> dict[str, Any]:
    """A board with two systems, files to send, a study that *n* volunteers may join, and a round for *n* graders."""
    place = ground(4, systems=("First", "Second"))
    study = volunteers.open_study(place.maintainer, seats=n)
    graders = [factories.user(f"grader-{number}") for number in range(max(2, n // 5))]
    round_ = place.round(graders=graders, n_answers=None)
    factories.revise(factories.split(place.split.benchmark, "dev"), questions_of_words(N_QUESTIONS))
    _, token = create_token(user=place.ada, name="load")
    return {
        "pages": ["/", "/fanoutqa/", "/fanoutqa/test/openbook/", "/fanoutqa/dev/openbook/", "/fanoutqa/dev/questions/"],
        "token": token,
        "files": [factories.generations(answers).decode() for answers in _variants()],
        "study": f"/studies/{study.slug}/",
        "link": path_of(volunteers.link(study, kind=InvitationKind.SHARED, limit=n)),
        "digest": consent_digest(study),
        "desk": f"/grading/{round_.slug}/desk/",
        "graders": [_session(user) for user in graders],
    }


def senders(n: int) -> dict[str, Any]:
    """A benchmark with as many questions as FanOutQA's hidden split, boards to read, three files to send, and tokens of
    *n* accounts."""
    to, _ = throughput_site.benchmark(N_HIDDEN, "dev")
    ids = tuple(to.current_revision.questions.values_list("qid", flat=True))
    files = {
        setting: factories.generations(dict(throughput_site.answers_of(ids, kind, 0))).decode()
        for setting, kind in throughput_site.SETTINGS.items()
    }
    return {
        "pages": ["/", "/fanoutqa/", *(f"/fanoutqa/dev/{setting}/" for setting in files), "/fanoutqa/dev/questions/"],
        "tokens": [create_token(user=factories.user(f"sender-{number}"), name="load")[1] for number in range(n)],
        "upload": files,
        "graders": [],
    }


def _session(user: User) -> str:
    client = Client()
    client.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    return client.cookies["sessionid"].value


def balance(accepted: Sequence[str]) -> dict[str, Any]:
    """What is stored once every run has ended, and what of it is wrong."""
    runs = Run.objects.filter(metric__in=[*SCORED, JUDGE])
    wait_until("the end of all runs", lambda: not runs.exclude(state=RunState.DONE).exists(), seconds=PATIENCE_SECONDS)
    wait_until("receipts", lambda: Receipt.objects.count() >= len(accepted), seconds=PATIENCE_SECONDS)
    documents = [as_document(receipt, with_answers=True) for receipt in Receipt.objects.all()]
    n_receipts = sum(map(signature_holds, documents))
    problems = [*_lost(accepted), *_wrong_scores(accepted)]
    if not n_receipts == len(documents) == len(accepted):
        problems.append(f"{n_receipts} of {len(documents)} receipts hold, for {len(accepted)} submissions")
    return {
        "scores": Score.objects.filter(run__metric__in=SCORED).count(),
        "verdicts": Verdict.objects.count(),
        "receipts": n_receipts,
        "problems": problems,
    }


def _variants() -> list[dict[str, str]]:
    """The same answers, each to another question in each variant, so that scores and verdicts differ."""
    answers = answers_of_words()
    texts = list(answers.values())
    return [dict(zip(answers, texts[by:] + texts[:by], strict=True)) for by in range(N_VARIANTS)]


def _lost(accepted: Sequence[str]) -> Iterator[str]:
    stored = {str(pk) for pk in Submission.objects.values_list("pk", flat=True)}
    if stored != set(accepted) or len(stored) != len(accepted):
        yield f"accepted, not stored: {set(accepted) - stored}; stored, not accepted: {stored - set(accepted)}"


def _wrong_scores(accepted: Sequence[str]) -> Iterator[str]:
    """Scores that are missing, there twice, or not those of an undisturbed site, to the last bit."""
    split = Split.objects.get(slug="dev")
    expected = [undisturbed(split, answers) for answers in _variants()]
    for number, pk in enumerate(accepted):
        vectors = expected[number % N_VARIANTS]
        scores = Score.objects.filter(run__answer_set__submission_file__submission=UUID(pk), run__metric__in=SCORED)
        names = sorted(score.name for score in scores)
        if names != sorted(vectors):
            yield f"{pk} has the scores {names}"
            continue
        for score in scores:
            if score.per_item.tobytes() != vectors[score.name].per_item.tobytes():
                yield f"{pk} has another {score.name}"


if __name__ == "__main__":
    asked, *rest = sys.argv[1:]
    answers: dict[str, Callable[..., Any]] = {
        "prepare": prepare,
        "people": people,
        "senders": senders,
        "balance": balance,
    }
    sys.stdout.write(json.dumps(answers[asked](*map(json.loads, rest))))
