"""Issuing receipts for scored submissions, and showing them to those who may see them."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from functools import cache
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from leaderboard.access import can_view
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Anomaly, Receipt, ReceiptKey, Submission, SubmissionFile, User
from leaderboard.publishing.flags import WITHHOLDING
from scoring import receipts
from scoring.declarations import known_benchmarks
from scoring.models import AnswerBlock, Run, Score, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.queries import column_of, on_one_revision

STEP: Final = "ladder_step"
"""In a statement: the step of the Ladder by which its scores are given, if it was on."""


@cache
def _key_of(given: str, secret: str) -> Ed25519PrivateKey:
    return receipts.key_from_text(given) if given else receipts.key_from_secret(secret)


def site_key() -> Ed25519PrivateKey:
    """The site's private key: ``RECEIPT_KEY``, or one derived from ``SECRET_KEY``."""
    return _key_of(settings.RECEIPT_KEY, settings.SECRET_KEY)


def current_key() -> ReceiptKey:
    """The record of the site's public key, created on first use."""
    public = receipts.public_text(site_key())
    key, _ = ReceiptKey.objects.get_or_create(fingerprint=receipts.fingerprint(public), defaults={"public_key": public})
    return key


def published_keys() -> list[ReceiptKey]:
    """Every public key that a receipt of this site may have been signed with, oldest first."""
    current_key()
    return list(ReceiptKey.objects.all())


# --- Issuing -------------------------------------------------------------------------------------------------------


def due() -> list[Submission]:
    """Submissions with scores that no receipt covers yet, and without unfinished runs. Two queries.

    Not those whose scores wait for a maintainer.

    A receipt that names files, or is withheld as those with exact values of a hidden split, does not count.
    """
    of_submission = Run.objects.counting().filter(
        answer_set__submission_file__submission=OuterRef("pk"), answer_set__submission_file__replaced_at=None
    )
    held = Anomaly.objects.filter(file__submission=OuterRef("pk"), file__replaced_at=None, code__in=WITHHOLDING)
    submissions = Submission.objects.filter(withdrawn_at=None, split__benchmark__in=known_benchmarks())
    # Whatever the revision, first: few submissions are left for the query that compares the runs of revisions.
    scored = _without_receipt(submissions, of_submission).values_list("pk", flat=True)
    runs = on_one_revision(of_submission)
    return list(
        _without_receipt(submissions.filter(pk__in=list(scored)), runs)
        .filter(~Exists(runs.filter(state__in=ACTIVE)), ~Exists(held))
        .order_by("created_at")
    )


def _without_receipt(submissions: QuerySet[Submission], runs: QuerySet[Run]) -> QuerySet[Submission]:
    """The submissions of which one of these runs was done after the latest receipt."""
    done = runs.filter(state=RunState.DONE).order_by("-finished_at")
    counting = Q(receipts__names_files=False, receipts__has_exact_values=False)
    return (
        submissions.annotate(
            scored_at=Subquery(done.values("finished_at")[:1]), receipt_at=Max("receipts__issued_at", filter=counting)
        )
        .filter(scored_at__isnull=False)
        .filter(Q(receipt_at=None) | Q(receipt_at__lt=F("scored_at")))
    )


def issue_due() -> int:
    """Issue every due receipt; returns how many were new. Repeating the call changes nothing.

    Receipts of hidden splits that show more than is disclosed now are withheld first, as those with exact values. These
    are of before the split was hidden, of before the Ladder or its current step, or have scores that are not shown any
    more. That takes one query for each hidden split, and one more.
    """
    hidden = Split.objects.filter(hidden=True, benchmark__in=known_benchmarks()).select_related("benchmark")
    for split in hidden:
        earlier = Q(openings_json="")
        if split.ladder is not None:
            earlier |= ~Q(statement_json__contains=f'"{STEP}":{split.ladder!r},')
        undisclosed = DisclosureRule.of_benchmark(split.benchmark.slug, hidden=True).undisclosed
        if undisclosed:
            # In canonical JSON, a score without a value has its "reason" between these two keys.
            names = "|".join(map(re.escape, sorted(undisclosed)))
            earlier |= Q(statement_json__regex=f'"name":"({names})(@[^"]*)?","scored_at"')
        Receipt.objects.filter(earlier, submission__split=split, has_exact_values=False).update(has_exact_values=True)
    return sum(issue(submission) is not None for submission in due())


@transaction.atomic
def issue(submission: Submission) -> Receipt | None:
    """Issue a receipt for a submission with its current scores; None if one with the same content exists already."""
    submission = (
        Submission.objects.select_for_update(of=("self",)).select_related("split__benchmark").get(pk=submission.pk)
    )
    current = submission.files.filter(replaced_at=None).select_related("setting", "answer_set__passage_file")
    files = list(current.order_by("setting__position"))
    rule = DisclosureRule.of_submission(submission)
    settings_by_set = {file.answer_set_id: file.setting.slug for file in files}
    runs = on_one_revision(Run.objects.counting().filter(answer_set__in=list(settings_by_set), state=RunState.DONE))
    of_files = Score.objects.filter(run__in=runs).select_related("run").defer("vector")
    scores = sorted(
        ((settings_by_set[score.run.answer_set_id], score) for score in of_files),
        key=lambda pair: (pair[0], pair[1].signature, pair[1].key),
    )
    said: dict[str, Any] = {
        "files": [_file(file) for file in files],
        "scores": [_score(score, setting, rule, submission.split.benchmark.slug) for setting, score in scores],
        **({STEP: rule.step} if rule.step is not None else {}),
    }
    if not said["scores"]:
        return None
    basis = hashlib.sha256(receipts.canonical(said)).hexdigest()
    if rule.hidden and submission.receipts.filter(basis=basis, openings_json="").exists():
        # The same numbers, from before the split was hidden: without commitments, so that receipt stays withheld.
        basis = hashlib.sha256(receipts.canonical({**said, "hidden": True})).hexdigest()
    if Receipt.objects.filter(submission=submission, basis=basis).update(has_exact_values=False):
        return None
    key = current_key()
    receipt = Receipt(submission=submission, key=key, basis=basis)
    if rule.hidden:
        openings = [
            receipts.opening_of(setting, score.key, score.signature, score.value, secrets.token_hex(32))
            for setting, score in scores
        ]
        receipt.openings_json = receipts.canonical(openings).decode()
        for row, opening in zip(said["scores"], openings, strict=True):
            row["commitment"] = receipts.commitment(opening)
    statement = {
        "format": receipts.FORMAT,
        "id": str(receipt.pk),
        "site": settings.SITE_NAME,
        "software": f"manyhop {settings.MANYHOP_VERSION}",
        "issued_at": receipt.issued_at.isoformat(),
        "submission": str(submission.pk),
        "system": submission.name,
        "received_at": submission.created_at.isoformat(),
        "benchmark": submission.split.benchmark.slug,
        "split": submission.split.slug,
        "key": key.fingerprint,
        **said,
    }
    receipt.statement_json = receipts.canonical(statement).decode()
    receipt.signature = receipts.sign(site_key(), statement)
    receipt.save(force_insert=True)
    return receipt


def _file(file: SubmissionFile) -> dict[str, Any]:
    newer = {"version": file.version, "received_at": file.sent_at.isoformat()} if file.version > 1 else {}
    return {
        "setting": file.setting.slug,
        "size": file.size,
        "sha256": file.sha256,
        "n_questions": file.n_questions,
        "n_answered": file.n_answered,
        "answers_sha256": receipts.answers_root(_answer_hashes(file)),
        **newer,
        **({"passages_sha256": file.passages.sha256} if file.passages else {}),
    }


def _answer_hashes(file: SubmissionFile) -> dict[str, str]:
    answers = AnswerBlock.objects.texts_of(file.answer_set_id)
    return {qid: receipts.answer_hash(text) for qid, text in answers.items()}


def _score(score: Score, setting: str, rule: DisclosureRule, benchmark: str) -> dict[str, Any]:
    """A score as the receipt gives it: for a hidden split as it may be disclosed."""
    reason = rule.withheld(score)
    return {
        "setting": setting,
        "name": score.key,
        "value": None if reason else rule.number(score.value, column_of(benchmark, score.key)),
        "n_items": score.n_items,
        "signature": score.signature,
        "scored_at": score.run.finished_at.isoformat() if score.run.finished_at else None,
        **({"reason": reason} if reason else {}),
    }


def openings_of(receipt: Receipt) -> list[dict[str, Any]]:
    """The openings of a receipt's commitments: exact values and salts. For maintainers only."""
    return list(json.loads(receipt.openings_json)) if receipt.openings_json else []


# --- Showing -------------------------------------------------------------------------------------------------------


def _is_withheld(receipt: Receipt) -> bool:
    """Whether it gives exact values of a hidden split, or more than is disclosed now: see `_withhold_earlier`."""
    split = receipt.submission.split
    if receipt.has_exact_values or not split.hidden:
        return receipt.has_exact_values
    statement = json.loads(receipt.statement_json)
    rule = DisclosureRule.of_benchmark(split.benchmark.slug, hidden=True)
    shown = [score["name"] for score in statement["scores"] if score["value"] is not None]
    if not receipt.openings_json or any(map(rule.reason_withheld, shown)):
        return True
    return split.ladder is not None and statement.get(STEP) != split.ladder


def may_see(user: AbstractBaseUser | AnonymousUser, receipt: Receipt) -> bool:
    """Whether a user may see a receipt: its submission's owner and maintainers; everybody, while the submission is on
    the board under its own name and unless the receipt names files. Receipts of a hidden split that give
    more than is disclosed now are for maintainers only."""
    if _is_withheld(receipt):
        return isinstance(user, User) and user.has_perm("leaderboard.view_submission")
    if isinstance(user, (User, AnonymousUser)) and can_view(user, receipt.submission):
        return True
    if receipt.names_files:
        return False
    rows = receipt.submission.entries.filter(replaced_at=None)
    return rows.exists() and not rows.filter(system__is_pseudonym=True).exists()


def in_place_of(receipt: Receipt) -> Receipt | None:
    """The newest receipt of the same submission, for users who may not see one that names files or is withheld; None
    for another receipt, or while there is none. One query."""
    if not (receipt.names_files or _is_withheld(receipt)):
        return None
    newer = Receipt.objects.filter(submission=receipt.submission_id, names_files=False, has_exact_values=False)
    newer = newer.select_related("submission__split")
    return newer.order_by("-issued_at").first()


def as_document(receipt: Receipt, *, with_answers: bool) -> dict[str, Any]:
    """A receipt as the site shows it. The hashes of answers are for users who may read the answers."""
    document: dict[str, Any] = {
        "statement": json.loads(receipt.statement_json),
        "signature": receipt.signature,
        "public_key": receipt.key.public_key,
    }
    if with_answers:
        about = {file["setting"]: file["sha256"] for file in document["statement"]["files"]}
        document["answers"] = {
            file.setting.slug: _answer_hashes(file)
            for file in receipt.submission.files.select_related("setting")
            if about.get(file.setting.slug) == file.sha256
        }
    return document
