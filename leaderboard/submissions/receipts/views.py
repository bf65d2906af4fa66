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
    issued = _find(request, pk)
    if issued.pk != pk:
        return redirect(issued)
    document = services.as_document(issued, with_answers=False)
    statement = document["statement"]
    pairs = [
        ("System", statement["system"]),
        ("Benchmark and split", f"{statement['benchmark']} {statement['split']}"),
        ("Received", issued.submission.created_at),
        ("Receipt issued", issued.issued_at),
        ("Signed with key", issued.key.fingerprint),
    ]
    context = {"receipt": issued, "statement": statement, "pairs": pairs, "signature": issued.signature}
    context["signatures"] = _signatures(statement["scores"])
    return render(request, "leaderboard/submissions/receipt.html", context)


@require_safe
def document(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The receipt as JSON; it includes the hashes of answers for the submission's owners and for maintainers."""
    issued = _find(request, pk)
    if issued.pk != pk:
        return redirect("receipt-document", issued.pk)
    content = signed.canonical(services.as_document(issued, with_answers=can_view(request.user, issued.submission)))
    response = file_response(
        request,
        lambda: content,
        tag=hashlib.sha256(content).hexdigest()[:32],
        content_type="application/json",
        filename=f"receipt-{issued.pk}.json",
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
    limit = settings.UPLOAD_LIMIT_BYTES
    if form.is_valid():
        try:
            given = signed.read(_content(form.cleaned_data["receipt"]))
        except signed.ReceiptError as error:
            form.add_error("receipt", f"This file is not a receipt: {error}.")
        generations = form.cleaned_data.get("generations")
        content = _content(generations) if generations else None
        if content is not None and len(content) > limit:
            form.add_error("generations", f"The file is larger than the limit of {settings.UPLOAD_LIMIT_MB} MiB.")
    if not form.errors:
        said, problems = cli_verify.verify(given, content, max_bytes=limit)
        if given["public_key"] not in {key.public_key for key in services.published_keys()}:
            problems.append(OTHER_KEY)
        issued = Receipt.objects.filter(statement_json=signed.canonical(given["statement"]).decode()).first()
        # Maintainers may know the exact values, so for them the receipt's commitments are compared with these.
        if issued is not None and issued.openings_json and request.user.has_perm("leaderboard.view_submission"):
            wrong = signed.wrong_openings(given, services.openings_of(issued))
            problems += [f"the exact value of {name} is not the one that the receipt commits to" for name in wrong]
        scores = given["statement"]["scores"]
        result = {
            "lines": [line for line in said if line != cli_verify.WHOSE_KEY and not line.startswith("  ")],
            "problems": problems,
            "scores": scores,
            "signatures": _signatures(scores),
            "holds": not problems,
        }
    status = 422 if form.errors or result["problems"] else 200
    return render(
        request, "leaderboard/submissions/receipt_verify.html", {"form": form, "result": result}, status=status
    )


def _signatures(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(score.get("signature")) for score in scores))


def _content(upload: UploadedFile[bytes]) -> bytes:
    upload.seek(0)
    return bytes(upload.read(settings.UPLOAD_LIMIT_BYTES + 1))


def _find(request: HttpRequest, pk: uuid.UUID) -> Receipt:
    """The receipt, or the one to show in its place."""
    issued = Receipt.objects.select_related("submission__split__benchmark", "key").filter(pk=pk).first()
    if issued is not None and not services.may_see(request.user, issued):
        issued = services.in_place_of(issued)
    if issued is None or not services.may_see(request.user, issued):
        raise Http404("This receipt does not exist, or you do not have access to it.")
    return issued
