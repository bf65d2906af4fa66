"""Health checks of the site, for load balancers, Prometheus and operators."""

import hmac
import os
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from leaderboard.operations.metrics.requests import exposition
from leaderboard.operations.metrics.site import SiteCollector
from scoring.models.workers import ALIVE_SECONDS, ages_by_queue, differing_clocks, overdue_sweep, sweep_age
from scoring.workers.broker import SITE, UNREACHABLE, RefusesWritesError, reach_broker

NO_WORKER = "no worker has reported yet, or all have stopped"
NO_SITE_WORKER = f"no worker of the queue {SITE} has reported: workers of the queue cpu do its work between runs"
NEEDED_QUEUE = "cpu"
"""The queue without whose workers nothing is scored; the others may have no workers on purpose."""


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    del request
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The database and the broker respond, files can be written, and a worker has reported recently; otherwise 503,
    with what is missing, and the version of this process.

    A stopped scheduler, a missing worker of housekeeping and clocks that differ are named, but the answer stays 200:
    pages and scoring work.
    """
    del request
    states = {"database": "ok", "queue": "ok", "workers": "ok", "files": "ok"}
    scheduler = housekeeping = clocks = "unknown"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        ages_of = ages_by_queue()
        ages = ages_of.get(NEEDED_QUEUE, [])
        if not ages:
            states["workers"] = NO_WORKER
        elif min(ages) > ALIVE_SECONDS:
            states["workers"] = f"no heartbeat for {min(ages):.0f} s"
        scheduler = overdue_sweep(sweep_age()) or "ok"
        housekeeping = "ok" if min(ages_of.get(SITE, [ALIVE_SECONDS])) < ALIVE_SECONDS else NO_SITE_WORKER
        clocks = "; ".join(differing_clocks()) or "ok"
    except DatabaseError:
        states["database"] = "does not answer"
        states["workers"] = "unknown"
    folders = {"data directory": Path(settings.DATA_DIR)}
    if settings.STORAGE_URL:
        try:
            default_storage.exists("readyz")
        except OSError:
            states["files"] = "the object storage does not answer"
    else:
        folders["uploads"] = Path(settings.MEDIA_ROOT)
    closed = [name for name, folder in folders.items() if folder.exists() and not os.access(folder, os.W_OK | os.X_OK)]
    if closed:
        states["files"] = f"cannot be written: {', '.join(closed)}"
    states["queue"] = queue_state()
    well = all(state == "ok" for state in states.values())
    content = {
        "status": "ok" if well else "unavailable",
        "version": settings.MANYHOP_VERSION,
        **states,
        "scheduler": scheduler,
        "housekeeping": housekeeping,
        "clocks": clocks,
    }
    return JsonResponse(content, status=200 if well else 503)


def queue_state() -> str:
    """Whether the broker can be reached and takes messages; waits for a second at most."""
    try:
        reach_broker()
    except RefusesWritesError:
        return "refuses writes"
    except UNREACHABLE:
        return "does not answer"
    return "ok"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus, which sends ``METRICS_TOKEN``, and for maintainers; everybody else gets 404."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    token = settings.METRICS_TOKEN
    by_token = bool(token) and hmac.compare_digest(given.encode(), token.encode())
    if not by_token and not (request.user.is_superuser and request.user.is_staff):
        raise Http404
    response = HttpResponse(exposition(SiteCollector()), content_type=CONTENT_TYPE_LATEST)
    response["Cache-Control"] = "no-store"
    return response
