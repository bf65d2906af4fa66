"""URL patterns of the site."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from leaderboard.board import export_views, snapshot_views
from leaderboard.board import views as board
from leaderboard.board.charts import views as charts
from leaderboard.maintenance import audit_views, comparison_views, judge_views, quota_views, system_views
from leaderboard.maintenance.moderation import views as moderation
from leaderboard.operations import health
from leaderboard.pages import definition_views
from leaderboard.pages import views as pages
from leaderboard.submissions import publish_views
from leaderboard.submissions import views as submissions
from leaderboard.submissions.receipts import views as receipts
from leaderboard.systems import views as systems
from leaderboard.systems.comparison import views as comparison

urlpatterns: list[URLPattern | URLResolver] = [
    path("", board.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("about/", pages.about, name="about"),
    path("how-to-submit/", pages.how_to_submit, name="how-to-submit"),
    path("receipts/verify/", receipts.verify, name="receipt-verify"),
    path("receipts/keys/", receipts.keys, name="receipt-keys"),
    path("receipts/<uuid:pk>/", receipts.receipt, name="receipt"),
    path("receipts/<uuid:pk>/receipt.json", receipts.document, name="receipt-document"),
    path("definitions/", definition_views.definitions, name="definitions"),
    path("systems/<slug:slug>/", systems.system, name="system"),
    path("systems/<slug:slug>/questions/", systems.questions, name="system-questions"),
    path("systems/<slug:slug>/questions/verdicts.csv", systems.verdicts_csv, name="system-verdicts"),
    path("systems/<slug:slug>/against/", systems.against, name="system-against"),
    path("compare/", comparison.compare, name="compare"),
    path("submit/", submissions.submit, name="submit"),
    path("check/", submissions.check, name="check"),
    path("submissions/", submissions.my_submissions, name="my-submissions"),
    path("submissions/<uuid:pk>/", submissions.submission, name="submission"),
    path("submissions/<uuid:pk>/progress/", submissions.progress, name="submission-progress"),
    path("submissions/<uuid:pk>/publish/", publish_views.publish, name="submission-publish"),
    path("submissions/<uuid:pk>/reveal/", publish_views.reveal, name="submission-reveal"),
    path("submissions/<uuid:pk>/answers/", publish_views.answers, name="submission-answers"),
    path("submissions/<uuid:pk>/unpublish/", publish_views.unpublish, name="submission-unpublish"),
    path("submissions/<uuid:pk>/withdraw/", submissions.withdraw, name="submission-withdraw"),
    path("submissions/<uuid:pk>/retry/", submissions.retry, name="submission-retry"),
    path("submissions/<uuid:pk>/judge/", judge_views.submission, name="submission-judge"),
    path("submissions/<uuid:pk>/judge/repeats/", judge_views.request_repeats, name="submission-judge-repeats"),
    path("submissions/<uuid:pk>/files/<slug:setting>/", submissions.original_file, name="submission-file"),
    path("submissions/<uuid:pk>/files/<slug:setting>/replace/", submissions.replace, name="submission-replace"),
    path("", include("leaderboard.accounts.urls")),
    path("studies/", include("humaneval.urls")),
    path("maintenance/studies/", include("humaneval.maintenance.urls")),
    path("grading/", include("humaneval.grading.urls")),
    path("maintenance/quotas/", quota_views.console, name="maintenance-quotas"),
    path("maintenance/quotas/<int:pk>/end/", quota_views.end, name="maintenance-quota-end"),
    path("maintenance/systems/", system_views.systems, name="maintenance-systems"),
    path("maintenance/systems/<int:pk>/split/", system_views.split, name="maintenance-system-split"),
    path("maintenance/audit/", audit_views.audit_log, name="maintenance-audit"),
    path("maintenance/moderation/", moderation.queue, name="maintenance-moderation"),
    path("maintenance/moderation/<uuid:pk>/", moderation.moderate, name="maintenance-moderate"),
    path("maintenance/judge/", judge_views.console, name="maintenance-judge"),
    path("maintenance/judge/<uuid:pk>/release/", judge_views.release, name="maintenance-judge-release"),
    path("maintenance/", include("leaderboard.maintenance.urls")),
    path(
        "maintenance/<slug:benchmark>/<slug:split>/comparisons/",
        comparison_views.console,
        name="maintenance-comparisons",
    ),
    path("maintenance/<slug:benchmark>/<slug:split>/rescore/", audit_views.rescore, name="maintenance-rescore"),
    path("api/v1/", include("leaderboard.api.urls")),
    path("api/v1/studies/", include("humaneval.api.urls")),
    path("admin/", admin.site.urls),
    # Last, because any path of one or three segments could be a benchmark's or a board's.
    path("<slug:benchmark>/", board.benchmark, name="benchmark"),
    path("<slug:benchmark>/data-card/", pages.data_card, name="data-card"),
    path("<slug:benchmark>/<slug:split>/<slug:setting>/", board.board, name="board"),
    path("<slug:benchmark>/<slug:split>/<slug:setting>/pictures/", charts.charts, name="board-pictures"),
    path("<slug:benchmark>/<slug:split>/<slug:setting>/ranking/", include("leaderboard.board.ranking.urls")),
    path(
        "<slug:benchmark>/<slug:split>/<slug:setting>/export.<slug:extension>",
        export_views.board_export,
        name="board-export",
    ),
    path("<slug:benchmark>/<slug:split>/<slug:setting>/states/", snapshot_views.board_snapshots, name="board-states"),
    path(
        "<slug:benchmark>/<slug:split>/<slug:setting>/states/<slug:name>/",
        snapshot_views.board_snapshot,
        name="board-state",
    ),
    path(
        "<slug:benchmark>/<slug:split>/<slug:setting>/states/<slug:name>/export.<slug:extension>",
        snapshot_views.board_snapshot_export,
        name="board-state-export",
    ),
]

handler400 = "leaderboard.web.error_pages.bad_request"
handler404 = "leaderboard.web.error_pages.not_found"
handler500 = "leaderboard.web.error_pages.server_error"
