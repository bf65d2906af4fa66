"""URL patterns of the home page, benchmarks and boards."""

from django.urls import include, path

from leaderboard.board import export_views, snapshot_views, views
from leaderboard.board.charts.views import charts, picture

BOARD = "<slug:benchmark>/<slug:split>/<slug:setting>/"
STATE = f"{BOARD}states/<slug:name>/"

urlpatterns = [
    path("", views.home, name="home"),
    path("<slug:benchmark>/", views.benchmark, name="benchmark"),
    path(BOARD, views.board, name="board"),
    path(f"{BOARD}pictures/", charts, name="board-pictures"),
    path(f"{BOARD}pictures/<slug:name>.svg", picture, name="board-picture"),
    path(f"{BOARD}ranking/", include("leaderboard.board.ranking.urls")),
    path(f"{BOARD}export.<slug:extension>", export_views.board_export, name="board-export"),
    path(f"{BOARD}systems/<slug:system>/<str:name>", export_views.system_export, name="board-system-export"),
    path(f"{BOARD}states/", snapshot_views.board_snapshots, name="board-states"),
    path(STATE, snapshot_views.board_snapshot, name="board-state"),
    path(f"{STATE}export.<slug:extension>", snapshot_views.board_snapshot_export, name="board-state-export"),
]
