"""Benchmarks, their splits, revisions, settings and questions."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSetMixin

from leaderboard import access
from leaderboard.api import queries
from leaderboard.api.base import ApiView, documented
from leaderboard.api.paging import PAGING, page_of
from leaderboard.api.serializers import benchmarks as serializers
from scoring.benchmarks import definitions
from scoring.models import Benchmark, Question, Split

TAGS = ["Benchmarks"]
ENCRYPTED = "The authors publish these questions encrypted. Take them from the authors' files."
BENCHMARK = OpenApiParameter("benchmark", str, OpenApiParameter.PATH, description="A benchmark's slug.")
SPLIT = OpenApiParameter("split", str, OpenApiParameter.PATH, description="A split's slug, such as dev.")


def benchmark_named(request: Request, slug: str) -> Benchmark:
    """An imported benchmark that the request's account sees.

    Raises:
        Http404: no such benchmark has this slug.
    """
    return get_object_or_404(access.benchmarks_visible_to(request.user), slug=slug)


def split_named(request: Request, benchmark: str, slug: str) -> Split:
    """A split of an imported benchmark that the request's account sees.

    Raises:
        Http404: there is none with these slugs.
    """
    splits = access.splits_visible_to(request.user).select_related("benchmark", "current_revision")
    return get_object_or_404(splits.filter(benchmark__slug__in=definitions()), benchmark__slug=benchmark, slug=slug)


class Benchmarks(ViewSetMixin, ApiView):
    """Benchmarks, with their splits and questions."""

    @documented(tags=TAGS, responses=serializers.BenchmarkLineSerializer(many=True))
    def list(self, request: Request) -> Response:
        """List every benchmark of the site."""
        benchmarks = access.benchmarks_visible_to(request.user)
        return Response(
            serializers.BenchmarkLineSerializer(benchmarks, many=True, context={"request": request}).data,
        )

    @documented(tags=TAGS, parameters=[BENCHMARK], responses=serializers.BenchmarkSerializer)
    def retrieve(self, request: Request, benchmark: str) -> Response:
        """Show a benchmark with its splits, its settings and the columns of its boards."""
        fields = queries.benchmark_fields(benchmark_named(request, benchmark), access.splits_visible_to(request.user))
        return Response(serializers.BenchmarkSerializer(fields, context={"request": request}).data)

    @documented(
        tags=TAGS,
        parameters=[BENCHMARK],
        responses=serializers.SettingSerializer(many=True),
    )
    def list_settings(self, request: Request, benchmark: str) -> Response:
        """List a benchmark's settings, in their order: what systems are given in addition to the question."""
        settings = benchmark_named(request, benchmark).settings.all()
        return Response(serializers.SettingSerializer(settings, many=True).data)

    @documented(tags=TAGS, parameters=[BENCHMARK, SPLIT], responses=serializers.SplitDetailSerializer)
    def retrieve_split(self, request: Request, benchmark: str, split: str) -> Response:
        """Show a split with its revisions and the signatures that its boards show."""
        fields = queries.split_fields(split_named(request, benchmark, split))
        return Response(serializers.SplitDetailSerializer(fields, context={"request": request}).data)

    @documented(
        tags=TAGS,
        parameters=[BENCHMARK, SPLIT, *PAGING],
        responses=serializers.QuestionSerializer(many=True),
    )
    def list_questions(self, request: Request, benchmark: str, split: str) -> Response:
        """List the questions of a split's current revision, in its order, without reference answers.

        Once the split has a new revision, cursors from before are refused: start again from the first page.
        """
        chosen = split_named(request, benchmark, split)
        published = definitions()[benchmark].form.questions
        if published is not None and published.decrypts:
            raise PermissionDenied(ENCRYPTED)
        questions = Question.objects.filter(revision=chosen.current_revision_id)
        shown, headers = page_of(request, questions, "position", of=str(chosen.current_revision_id))
        if chosen.hidden:
            for question in shown:
                question.decomposition = []  # the importer stores none of a hidden split; not shown in any case
        lines = serializers.QuestionSerializer(shown, many=True, context={"request": request})
        return Response(lines.data, headers=headers)
