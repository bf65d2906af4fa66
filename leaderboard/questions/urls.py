"""URL patterns of questions, below a split's ``questions/``."""

from django.urls import path

from leaderboard.questions import views

urlpatterns = [
    path("", views.questions, name="questions"),
    path("<path:qid>/", views.question, name="question"),
]
