"""URL patterns of the maintainers' console, below ``/maintenance/``."""

from django.urls import path

from leaderboard.maintenance import benchmark_views, views

urlpatterns = [
    path("", views.index, name="maintenance"),
    path("benchmarks/", benchmark_views.benchmarks, name="maintenance-benchmarks"),
    path("benchmarks/<uuid:pk>/", benchmark_views.benchmark_draft, name="maintenance-benchmark-draft"),
    path("queues/", views.queues_page, name="maintenance-queues"),
    path("<slug:benchmark>/<slug:split>/import/", views.import_split, name="maintenance-import"),
    path("<slug:benchmark>/<slug:split>/import/<uuid:pk>/", views.import_draft, name="maintenance-import-draft"),
]
