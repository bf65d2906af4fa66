"""What `tests.load.faults` lets a process of the site do: make a benchmark and an account, and count what is stored."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import django

django.setup()

from leaderboard.accounts.tokens import create_token  # noqa: E402
from leaderboard.models import Receipt, Submission  # noqa: E402
from leaderboard.submissions.receipts.services import as_document  # noqa: E402
from scoring.models import Run, Score, Split, Verdict  # noqa: E402
from scoring.models.run_states import RunState  # noqa: E402
from scoring.receipts import signature_holds  # noqa: E402
from tests import factories  # noqa: E402
from tests.reliability.ground import (  # noqa: E402
    SCORED,
    answers_of_words,
    benchmark_of_words,
    undisturbed,
    wait_until,
)

JUDGE = "judge"
N_VARIANTS = 6
PATIENCE_SECONDS = 600.0


def prepare() -> dict[str, Any]:
    """A benchmark, an API token, and files to send."""
    benchmark_of_words()
    _, token = create_token(user=factories.user(), name="load")
    return {"token": token, "files": [factories.generations(answers).decode() for answers in _variants()]}


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
        scores = Score.objects.filter(run__answer_set__submission_file__submission=pk, run__metric__in=SCORED)
        names = sorted(score.name for score in scores)
        if names != sorted(vectors):
            yield f"{pk} has the scores {names}"
            continue
        for score in scores:
            if score.per_item.tobytes() != vectors[score.name].per_item.tobytes():
                yield f"{pk} has another {score.name}"


if __name__ == "__main__":
    made = prepare() if sys.argv[1] == "prepare" else balance(json.loads(sys.argv[2]))
    sys.stdout.write(json.dumps(made))
