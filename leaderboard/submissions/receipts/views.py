"""Showing, downloading and verifying receipts."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.access import can_view
from leaderboard.models import Receipt
from leaderboard.submissions.receipts import services
from leaderboard.web.http import file_response
from scoring import receipts as signed
from scoring.cli import verify as cli_verify

OTHER_KEY = "the signing key does not belong to this site, so this site did not issue the receipt"


class VerifyForm(forms.Form):
    """A receipt, and the file that it should belong to."""

    receipt = forms.FileField(
        allow_empty_file=True, help_text="The JSON file.", widget=forms.FileInput(attrs={"accept": ".json"})
    )
    generations = forms.FileField(
        label="Generations file",
        required=False,
        allow_empty_file=True,
        help_text="Upload it to check whether the receipt is for this file, byte for byte and answer by answer.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.gz,.txt"}),
    )


@require_safe
def receipt(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """A receipt, for the submission's owner and maintainers, and for everybody once it is on the board by its name. A
    receipt that names files redirects everybody else to a newer one."""
    found = _find(request, pk)
    if found.pk != pk:
        return redirect(found)
    document = services.as_document(found, with_answers=False)
    statement = document["statement"]
    pairs = [
        ("System", statement["system"]),
        ("Benchmark and split", f"{statement['benchmark']} {statement['split']}"),
        ("Received", found.submission.created_at),
        ("Receipt issued", found.issued_at),
        ("Signed with key", found.key.fingerprint),
    ]
    context = {"receipt": found, "statement": statement, "pairs": pairs, "signature": found.signature}
    context["signatures"] = _signatures(statement["scores"])
    return render(request, "leaderboard/submissions/receipt.html", context)


@require_safe
def document(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The receipt as JSON; it includes the hashes of answers for the submission's owners and for maintainers."""
    found = _find(request, pk)
    if found.pk != pk:
        return redirect("receipt-document", found.pk)
    content = signed.canonical(services.as_document(found, with_answers=can_view(request.user, found.submission)))
    response = file_response(
        request,
        lambda: content,
        tag=hashlib.sha256(content).hexdigest()[:32],
        content_type="application/json",
        filename=f"receipt-{found.pk}.json",
    )
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
def keys(request: HttpRequest) -> JsonResponse:
    """The public keys of this site."""
    del request
    listed = [
        {"fingerprint": key.fingerprint, "algorithm": "Ed25519", "public_key": key.public_key, "since": key.since}
        for key in services.published_keys()
    ]
    return JsonResponse({"keys": listed, "current": services.current_key().fingerprint})


@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest) -> HttpResponse:
    """Verify a receipt, with the file that it should belong to. Nothing is stored."""
    if request.method != "POST":
        return render(request, "leaderboard/submissions/receipt_verify.html", {"form": VerifyForm()})
    form = VerifyForm(request.POST, request.FILES)
    result: dict[str, Any] = {}
    if form.is_valid():
        result = _verified(form, may_open=request.user.has_perm("leaderboard.view_submission"))
    problems = result.get("problems")
    status = 422 if form.errors or problems else 200
    return render(
        request, "leaderboard/submissions/receipt_verify.html", {"form": form, "result": result}, status=status
    )


def _wrong_openings(given: Mapping[str, Any]) -> list[str]:
    """Exact values in this site's database that differ from those that the receipt commits to."""
    issued = Receipt.objects.filter(statement_json=signed.canonical(given["statement"]).decode()).first()
    if issued is None or not issued.openings_json:
        return []
    wrong = signed.wrong_openings(given, services.openings_of(issued))
    return [f"the exact value of {name} is not the one that the receipt commits to" for name in wrong]


def _verified(form: VerifyForm, *, may_open: bool) -> dict[str, Any]:
    """The result of verifying a receipt.

    Args:
        may_open: whether its commitments are compared with the exact values, for a maintainer.
    """
    try:
        given = signed.read(_content(form.cleaned_data["receipt"]))
    except signed.ReceiptError as error:
        form.add_error("receipt", f"This file is not a receipt: {error}.")
        return {}
    generations = form.cleaned_data["generations"]
    content = _content(generations) if generations else None
    limit = settings.UPLOAD_LIMIT_BYTES
    if content is not None and len(content) > limit:
        form.add_error("generations", f"The file is larger than the limit of {settings.UPLOAD_LIMIT_MB} MiB.")
        return {}
    said, problems = cli_verify.verify(given, content, max_bytes=limit)
    ours = {key.public_key for key in services.published_keys()}
    if given["public_key"] not in ours:
        problems.append(OTHER_KEY)
    if may_open:
        problems += _wrong_openings(given)
    lines = [line for line in said if line != cli_verify.WHOSE_KEY and not line.startswith("  ")]
    scores = given["statement"]["scores"]
    return {
        "lines": lines,
        "problems": problems,
        "scores": scores,
        "signatures": _signatures(scores),
        "holds": not problems,
    }


def _signatures(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(score.get("signature")) for score in scores))


def _content(upload: UploadedFile[bytes]) -> bytes:
    upload.seek(0)
    return bytes(upload.read(settings.UPLOAD_LIMIT_BYTES + 1))


def _find(request: HttpRequest, pk: uuid.UUID) -> Receipt:
    """The receipt, or the one to show in its place."""
    found = Receipt.objects.select_related("submission__split__benchmark", "key").filter(pk=pk).first()
    if found is not None and not services.may_see(request.user, found):
        found = services.in_place_of(found)
    if found is None or not services.may_see(request.user, found):
        raise Http404("This receipt does not exist, or you do not have access to it.")
    return found
