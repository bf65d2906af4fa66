"""URL patterns that programs read to see how the site is."""

from django.urls import path

from leaderboard.operations import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
