"""Text pages: about the site, how to submit, a benchmark's data card, and where to report vulnerabilities."""

import datetime
import hashlib
import json
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation, ValidationError
from django.core.validators import validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.static import serve

from leaderboard import access
from leaderboard.board.lookup import first_split
from leaderboard.board.table import board_url
from leaderboard.pages import croissant as croissants
from leaderboard.pages import data_card as data_cards
from leaderboard.pages.definitions import definitions_page
from leaderboard.pages.glossary import GLOSSARY
from leaderboard.web.http import file_response
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.declared.template import documented_definitions
from scoring.declarations import known_benchmarks
from scoring.generations.records import Limits
from scoring.models import Split
from scoring.task_types import TASK_TYPES


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """An introduction to the site for new readers. One query in addition to those of every page."""
    benchmark = known_benchmarks().first()
    context = {
        "benchmark": benchmark,
        "definition": definition_of(benchmark.slug) if benchmark else None,
        "operator": settings.SITE_OPERATOR,
        "contact": settings.SITE_CONTACT,
    }
    return render(request, "leaderboard/pages/about.html", context)


@require_safe
def docs(request: HttpRequest, page: str = "index.html") -> HttpResponseBase:
    """A page of the documentation, as `make docs` built it; 404 where it was not built."""
    try:
        response = serve(request, page, document_root=str(settings.DOCS_DIR))
    except SuspiciousFileOperation as error:
        raise Http404("There is nothing outside of the documentation.") from error
    response.headers["Cache-Control"] = "public, max-age=300"
    return response


SECURITY_TXT_DAYS = 180
"""Days for which a copy of ``security.txt`` is valid; RFC 9116 recommends less than a year."""


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Where to report vulnerabilities of this site (RFC 9116); 404 if ``SITE_CONTACT`` is no email or https address."""
    contact: str = settings.SITE_CONTACT
    if not contact.startswith("https://"):
        try:
            validate_email(contact)
        except ValidationError as error:
            raise Http404("The operator of this site has not provided contact details.") from error
        contact = f"mailto:{quote(contact, safe='@+')}"
    midnight = timezone.now().astimezone(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expires = midnight + datetime.timedelta(days=SECURITY_TXT_DAYS)
    lines = [f"Contact: {contact}", f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: en"]
    if settings.SITE_URL.startswith("https://"):
        lines.append(f"Canonical: {at_site(request.path)}")
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


SAMPLES = {
    "shell": "submit.sh",
    "python": "submit.py",
    "ci": "ci.yml",
    "offline": "offline.sh",
    "inspect_ai": "inspect_log.py",
    "lm_eval": "lm_eval_samples.py",
    "batch": "batch_output.py",
    "table": "table.py",
}


@require_safe
def how_to_submit(request: HttpRequest) -> HttpResponse:
    """How to get on the board, by form, shell, Python or a CI job. One query in addition to those of every page."""
    splits = Split.objects.filter(benchmark__slug__in=list(definitions())).exclude(current_revision=None)
    splits_of: dict[str, list[Split]] = {}
    for split in splits.select_related("benchmark", "current_revision"):
        splits_of.setdefault(split.benchmark.slug, []).append(split)
    benchmarks = [(definitions()[slug], of_benchmark) for slug, of_benchmark in splits_of.items()]
    shown = [definition for definition, _ in benchmarks]
    shown = shown or [definition_of(benchmark.slug) for benchmark in known_benchmarks()]
    first = next(iter(shown), documented_definitions()[0])
    offered = next((of_benchmark for _, of_benchmark in benchmarks), first.splits)
    default = first_split(first, [split.slug for split in offered])
    public = next((split.slug for split in offered if not split.hidden), default)
    sample = {
        "submissions_url": request.build_absolute_uri(reverse("api-submissions")),
        "validate_url": request.build_absolute_uri(reverse("api-validate")),
        "setting": first.settings_for_submissions[0].slug,
    }
    names: dict[str, list[str]] = {}  # by task type, of the benchmarks with its format of answers
    for definition in shown:
        names.setdefault(definition.task_type, []).append(definition.name)
    context = {
        "benchmarks": benchmarks,
        "formats": [(", ".join(alike), TASK_TYPES[task].answer_format(None)) for task, alike in names.items()],
        "cited": ", ".join(benchmark.name for benchmark in shown if benchmark.answer_format().takes_citations),
        "limits": Limits(),
        "upload_mb": settings.UPLOAD_LIMIT_MB,
        "samples": {
            name: render_to_string(
                f"leaderboard/pages/samples/{file}",
                sample | {"split": public if name == "offline" else default},
            ).strip()
            for name, file in SAMPLES.items()
        },
    }
    return render(request, "leaderboard/pages/how_to.html", context)


@require_safe
def definitions_of_scores(request: HttpRequest) -> HttpResponse:
    """Every metric in words, with its signatures; published beside recomputed scores; the glossary."""
    context = {"benchmarks": definitions_page(), "glossary": GLOSSARY}
    return render(request, "leaderboard/pages/definitions.html", context)


@require_safe
def data_card(request: HttpRequest, benchmark: str) -> HttpResponse:
    """The origin and properties of a benchmark's questions. Four queries in addition to those of every page, one fewer
    if the revisions are cached."""
    known = access.benchmarks_visible_to(request.user).filter(slug=benchmark).first()
    if known is None:
        raise Http404("This benchmark does not exist.")
    definition = definition_of(benchmark)
    splits = data_cards.splits_facts(
        known, access.splits_visible_to(request.user), for_maintainer=access.is_maintainer(request.user)
    )
    topics, n_other_topics = data_cards.topics_of(split["contents"] for split in splits)
    first = first_split(definition, [split["slug"] for split in splits])
    context = {
        "structured_data": data_cards.structured_data_of(known, at_site(request.path), splits),
        "benchmark": known,
        "card": definition.card,
        "definition": definition,
        "splits": splits,
        "topics": topics,
        "n_other_topics": n_other_topics,
        "first_split": first,
        "board_url": board_url(benchmark, first, definition.default_setting),
    }
    return render(request, "leaderboard/pages/data_card.html", context)


@require_safe
def croissant(request: HttpRequest, benchmark: str, split: str = "") -> HttpResponse:
    """A benchmark, or one of its splits, in Croissant. Three queries, and one for each open split."""
    known = known_benchmarks().filter(slug=benchmark).first()
    splits = data_cards.splits_facts(known, Split.objects.all()) if known is not None else []
    splits = [facts for facts in splits if split in ("", facts["slug"])]
    if known is None or not splits:
        raise Http404("This benchmark or this split does not exist, or it has no questions.")
    url = at_site(reverse("data-card", args=[benchmark]))
    content = json.dumps(croissants.croissant_of(known, url, splits), ensure_ascii=False, indent=1).encode()
    name = "-".join(filter(None, (benchmark, split, "croissant.json")))
    tag = hashlib.sha256(content).hexdigest()[:32]
    return file_response(request, lambda: content, tag=tag, content_type="application/ld+json", filename=name)


@require_safe
def questions_file(request: HttpRequest, benchmark: str, split: str) -> HttpResponse:
    """The questions of an open split as the file that Croissant describes. Two queries."""
    known = Split.objects.filter(benchmark__slug=benchmark, slug=split, hidden=False).select_related("current_revision")
    known_split = known.first()
    if known_split is None or known_split.current_revision is None:
        raise Http404("This split does not exist, or its questions are no open file.")
    revision = known_split.current_revision
    return file_response(
        request,
        lambda: croissants.questions_file(revision),
        tag=revision.content_hash[:32],
        content_type=croissants.JSON_LINES,
        filename=f"{benchmark}-{split}-{revision.short_hash}.jsonl",
    )
