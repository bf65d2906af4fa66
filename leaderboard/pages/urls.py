"""URL patterns of text pages."""

from django.urls import path

from leaderboard.pages import views

urlpatterns = [
    path("about/", views.about, name="about"),
    path(".well-known/security.txt", views.security_txt, name="security-txt"),
    path("how-to-submit/", views.how_to_submit, name="how-to-submit"),
    path("docs/", views.docs, name="docs"),
    path("docs/<path:page>", views.docs, name="docs-page"),
    path("definitions/", views.definitions_of_scores, name="definitions"),
]

of_a_benchmark = [
    path("data-card/", views.data_card, name="data-card"),
    path("croissant.json", views.croissant, name="croissant"),
    path("<slug:split>/croissant.json", views.croissant, name="split-croissant"),
    path("<slug:split>/questions.jsonl", views.questions_file, name="questions-file"),
]
"""URLs below a benchmark's own page."""
