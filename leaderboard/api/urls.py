"""URL patterns of the API, below ``/api/v1/``."""

from django.urls import path
from rest_framework.permissions import IsAuthenticated

from leaderboard.api import docs, schema
from leaderboard.api.views import benchmarks, boards, comparisons, questions, rankings, root, submissions, systems

SPLIT = "benchmarks/<slug:benchmark>/splits/<slug:split>"
SYSTEM, SUBMISSION = "systems/<slug:slug>", "submissions/<uuid:pk>"
of_benchmark, of_questions = benchmarks.Benchmarks, questions.Questions
of_system, of_submission = systems.OfSystem, submissions.OfSubmission

urlpatterns = [
    path("", root.Root.as_view(), name="api-root"),
    path("benchmarks/", of_benchmark.as_view({"get": "list"}), name="api-benchmarks"),
    path("benchmarks/<slug:benchmark>/", of_benchmark.as_view({"get": "retrieve"}), name="api-benchmark"),
    path("benchmarks/<slug:benchmark>/settings/", of_benchmark.as_view({"get": "list_settings"}), name="api-settings"),
    path(f"{SPLIT}/", of_benchmark.as_view({"get": "retrieve_split"}), name="api-split"),
    path(f"{SPLIT}/questions/", of_benchmark.as_view({"get": "list_questions"}), name="api-questions"),
    path(f"{SPLIT}/question-statistics/", of_questions.as_view({"get": "statistics"}), name="api-question-statistics"),
    path(
        f"{SPLIT}/questions/<path:qid>/answers/", of_questions.as_view({"get": "answers"}), name="api-question-answers"
    ),
    path(f"{SPLIT}/questions/<path:qid>/", of_questions.as_view({"get": "retrieve"}), name="api-question"),
    path("systems/", systems.Systems.as_view(), name="api-systems"),
    path(f"{SYSTEM}/", of_system.as_view({"get": "retrieve", "patch": "change"}), name="api-system"),
    path(
        f"{SYSTEM}/changes/",
        of_system.as_view({"get": "changes"}, permission_classes=[IsAuthenticated], public=False),
        name="api-system-changes",
    ),
    *(
        path(f"{SYSTEM}/{name}/", of_system.as_view({"get": name}), name=f"api-system-{name}")
        for name in ("scores", "questions", "answers", "verdicts")
    ),
    path("board/", boards.BoardView.as_view(), name="api-board"),
    path("comparison/", comparisons.ComparisonView.as_view(), name="api-comparison"),
    path("ranking/", rankings.RankingView.as_view(), name="api-ranking"),
    path("submissions/", submissions.Submissions.as_view(), name="api-submissions"),
    path("submissions/validate/", submissions.Validate.as_view(), name="api-validate"),
    path(f"{SUBMISSION}/", of_submission.as_view({"get": "retrieve", "patch": "change"}), name="api-submission"),
    path(f"{SUBMISSION}/changes/", of_submission.as_view({"get": "changes"}), name="api-submission-changes"),
    path(f"{SUBMISSION}/questions/", of_submission.as_view({"get": "questions"}), name="api-submission-questions"),
    path(f"{SUBMISSION}/publish/", of_submission.as_view({"post": "publish"}), name="api-publish"),
    path(f"{SUBMISSION}/reveal/", of_submission.as_view({"post": "reveal"}), name="api-reveal"),
    path(f"{SUBMISSION}/unpublish/", of_submission.as_view({"post": "unpublish"}), name="api-unpublish"),
    path(
        f"{SUBMISSION}/replace/",
        of_submission.as_view({"post": "replace"}, scopes={"POST": "submit"}),
        name="api-replace",
    ),
    path(f"{SUBMISSION}/retry/", of_submission.as_view({"post": "retry"}), name="api-retry"),
    path(f"{SUBMISSION}/withdraw/", of_submission.as_view({"post": "withdraw"}), name="api-withdraw"),
    path("docs/", docs.page, name="api-docs"),
    path("benchmark.schema.json", schema.BenchmarkSchema.as_view(), name="api-benchmark-schema"),
    path("schema/", schema.SchemaView.as_view(), name="api-schema"),
]
