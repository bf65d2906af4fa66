"""URL patterns of moderation, below ``/maintenance/moderation/``."""

from django.urls import path

from leaderboard.maintenance.moderation import views

urlpatterns = [
    path("", views.queue, name="maintenance-moderation"),
    path("<uuid:pk>/", views.moderate, name="maintenance-moderate"),
]
