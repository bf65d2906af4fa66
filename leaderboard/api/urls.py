"""URL patterns of the API, below ``/api/v1/``."""

from django.urls import path

from leaderboard.api import benchmark_schema, docs, schema
from leaderboard.api.views import benchmarks, boards, comparisons, questions, rankings, root, submissions, systems

urlpatterns = [
    path("", root.Root.as_view(), name="api-root"),
    path("benchmarks/", benchmarks.Benchmarks.as_view(), name="api-benchmarks"),
    path("benchmarks/<slug:benchmark>/", benchmarks.BenchmarkDetail.as_view(), name="api-benchmark"),
    path("benchmarks/<slug:benchmark>/settings/", benchmarks.Settings.as_view(), name="api-settings"),
    path("benchmarks/<slug:benchmark>/splits/<slug:split>/", benchmarks.SplitDetail.as_view(), name="api-split"),
    path(
        "benchmarks/<slug:benchmark>/splits/<slug:split>/questions/",
        benchmarks.Questions.as_view(),
        name="api-questions",
    ),
    path(
        "benchmarks/<slug:benchmark>/splits/<slug:split>/question-statistics/",
        questions.QuestionStatistics.as_view(),
        name="api-question-statistics",
    ),
    path(
        "benchmarks/<slug:benchmark>/splits/<slug:split>/questions/<path:qid>/answers/",
        questions.QuestionAnswers.as_view(),
        name="api-question-answers",
    ),
    path(
        "benchmarks/<slug:benchmark>/splits/<slug:split>/questions/<path:qid>/",
        questions.QuestionDetail.as_view(),
        name="api-question",
    ),
    path("systems/", systems.Systems.as_view(), name="api-systems"),
    path("systems/<slug:slug>/", systems.SystemDetail.as_view(), name="api-system"),
    path("systems/<slug:slug>/changes/", systems.SystemChanges.as_view(), name="api-system-changes"),
    path("systems/<slug:slug>/scores/", systems.SystemScores.as_view(), name="api-system-scores"),
    path("systems/<slug:slug>/questions/", systems.SystemQuestions.as_view(), name="api-system-questions"),
    path("systems/<slug:slug>/answers/", systems.SystemAnswers.as_view(), name="api-system-answers"),
    path("systems/<slug:slug>/verdicts/", systems.SystemVerdicts.as_view(), name="api-system-verdicts"),
    path("board/", boards.BoardView.as_view(), name="api-board"),
    path("comparison/", comparisons.ComparisonView.as_view(), name="api-comparison"),
    path("ranking/", rankings.RankingView.as_view(), name="api-ranking"),
    path("submissions/", submissions.Submissions.as_view(), name="api-submissions"),
    path("submissions/validate/", submissions.Validate.as_view(), name="api-validate"),
    path("submissions/<uuid:pk>/", submissions.SubmissionDetail.as_view(), name="api-submission"),
    path(
        "submissions/<uuid:pk>/changes/",
        submissions.SubmissionChanges.as_view(),
        name="api-submission-changes",
    ),
    path(
        "submissions/<uuid:pk>/questions/",
        submissions.SubmissionQuestions.as_view(),
        name="api-submission-questions",
    ),
    path("submissions/<uuid:pk>/publish/", submissions.Publish.as_view(), name="api-publish"),
    path("submissions/<uuid:pk>/reveal/", submissions.Reveal.as_view(), name="api-reveal"),
    path("submissions/<uuid:pk>/unpublish/", submissions.Unpublish.as_view(), name="api-unpublish"),
    path("submissions/<uuid:pk>/replace/", submissions.Replace.as_view(), name="api-replace"),
    path("submissions/<uuid:pk>/retry/", submissions.Retry.as_view(), name="api-retry"),
    path("submissions/<uuid:pk>/withdraw/", submissions.Withdraw.as_view(), name="api-withdraw"),
    path("docs/", docs.page, name="api-docs"),
    path("benchmark.schema.json", benchmark_schema.BenchmarkSchema.as_view(), name="api-benchmark-schema"),
    path("schema/", schema.SchemaView.as_view(), name="api-schema"),
]
