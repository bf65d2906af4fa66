"""The addresses of the maintainers' console, below ``/maintenance/``."""

from django.urls import path

from leaderboard.views import console

urlpatterns = [
    path("", console.index, name="maintenance"),
    path("queues/", console.queues_page, name="maintenance-queues"),
    path("<slug:benchmark>/<slug:split>/import/", console.import_split, name="maintenance-import"),
    path("<slug:benchmark>/<slug:split>/import/<uuid:pk>/", console.import_draft, name="maintenance-import-draft"),
]
