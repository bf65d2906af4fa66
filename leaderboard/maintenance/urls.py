"""URL patterns of the maintainers' console, below ``/maintenance/``."""

from django.urls import path

from leaderboard.maintenance import (
    benchmark_views,
    judge_views,
    quota_views,
    system_views,
    views,
)
from leaderboard.maintenance.moderation import views as moderation

SPLIT = "<slug:benchmark>/<slug:split>/"

urlpatterns = [
    path("quotas/", quota_views.console, name="maintenance-quotas"),
    path("quotas/<int:pk>/end/", quota_views.end, name="maintenance-quota-end"),
    path("systems/", system_views.systems, name="maintenance-systems"),
    path("systems/<int:pk>/split/", system_views.split, name="maintenance-system-split"),
    path("systems/suggestions/", system_views.suggestions, name="maintenance-suggestions"),
    path("systems/facts/", system_views.facts, name="maintenance-facts"),
    path("audit/", views.audit_log, name="maintenance-audit"),
    path("moderation/", moderation.queue, name="maintenance-moderation"),
    path("moderation/<uuid:pk>/", moderation.moderate, name="maintenance-moderate"),
    path("judge/", judge_views.console, name="maintenance-judge"),
    path("judge/release/", judge_views.release, name="maintenance-judge-release"),
    path("", views.index, name="maintenance"),
    path("benchmarks/", benchmark_views.benchmarks, name="maintenance-benchmarks"),
    path("benchmarks/<slug:slug>/phases/", benchmark_views.phases, name="maintenance-benchmark-phases"),
    path("benchmarks/<uuid:pk>/", benchmark_views.benchmark_draft, name="maintenance-benchmark-draft"),
    path("queues/", views.queues_page, name="maintenance-queues"),
    path(f"{SPLIT}import/", views.import_split, name="maintenance-import"),
    path(f"{SPLIT}import/<uuid:pk>/", views.import_draft, name="maintenance-import-draft"),
    path(f"{SPLIT}rescore/", views.rescore, name="maintenance-rescore"),
]

of_a_submission = [
    path("judge/", judge_views.submission, name="submission-judge"),
]
"""URLs below a submission's own page."""
