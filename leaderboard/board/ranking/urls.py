"""URL patterns of rankings, below a board's ``ranking/``."""

from django.urls import path

from leaderboard.board.ranking import views

urlpatterns = [
    path("", views.ranking, name="board-ranking"),
    path("export.<slug:extension>", views.ranking_export, name="board-ranking-export"),
    path("matrix/", views.matrix, name="board-matrix"),
    path("matrix/export.csv", views.matrix_export, name="board-matrix-export"),
    path("questions/", views.questions, name="board-questions"),
    path("questions/<int:number>/", views.question, name="board-question"),
]
