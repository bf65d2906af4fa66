"""URL patterns of systems and their comparison."""

from django.urls import path

from leaderboard.systems import views

urlpatterns = [
    path("systems/<slug:slug>/", views.system, name="system"),
    path("systems/<slug:slug>/questions/", views.questions, name="system-questions"),
    path("systems/<slug:slug>/questions/verdicts.csv", views.verdicts_csv, name="system-verdicts"),
    path("systems/<slug:slug>/against/", views.against, name="system-against"),
    path("compare/", views.compare, name="compare"),
]
