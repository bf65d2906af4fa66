"""The API: thin views over the same services, queries and intake as the pages."""

import uuid
from dataclasses import replace

from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from leaderboard import access, queries
from leaderboard.api import serializers
from leaderboard.api.problems import CONTENT_TYPE, problem
from leaderboard.board import Asked, board_for
from leaderboard.forms import SubmissionForm
from leaderboard.http import signed_in_user
from leaderboard.models import Submission
from leaderboard.submitting import submit
from scoring.benchmarks import definitions
from scoring.models import Benchmark


@extend_schema(responses={200: dict[str, str]})
@api_view(["GET"])
def root(request: Request) -> Response:
    """Where everything is."""
    return Response(
        {
            "submissions": reverse("api-submissions", request=request),
            "board": reverse("api-board", request=request),
            "schema": reverse("api-schema", request=request),
            "documentation": reverse("api-docs", request=request),
        }
    )


class Submissions(APIView):
    """The account's submissions."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=serializers.SubmissionLineSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Every submission of the account, newest first."""
        lines = queries.submissions_of(signed_in_user(request).pk)
        return Response(serializers.SubmissionLineSerializer(lines, many=True).data)

    @extend_schema(
        request={"multipart/form-data": serializers.SubmissionRequestSerializer},
        responses={201: serializers.SubmissionSerializer},
    )
    def post(self, request: Request) -> Response:
        """Submit generations. One problem (422) comes back with everything wrong, by field, file and line."""
        user = signed_in_user(request)
        wanted = request.POST.get("benchmark") or next(iter(definitions()))
        benchmark = Benchmark.objects.filter(slug=wanted).first() if wanted in definitions() else None
        splits = queries.splits_of(benchmark) if benchmark else []
        if benchmark is None or not splits:
            raise Http404
        form = SubmissionForm(
            request.POST,
            request.FILES,
            splits=splits,
            submission_settings=queries.settings_for_submissions(benchmark),
        )
        outcome = submit(form, user)
        if outcome.submission is None:
            body = problem(
                422,
                "The submission has errors; nothing of it was kept.",
                errors={
                    "form" if name == NON_FIELD_ERRORS else name: list(errors) for name, errors in form.errors.items()
                },
                files=[report.as_dict() for report in outcome.reports],
            )
            return Response(body, status=422, content_type=CONTENT_TYPE)
        return _submission(outcome.submission, request, status=201)


class SubmissionDetail(APIView):
    """One submission."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=serializers.SubmissionSerializer)
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        """State, progress and scores, for the submission's owner."""
        return _submission(access.submission_for(signed_in_user(request), pk), request)


def _submission(submission: Submission, request: Request, status: int = 200) -> Response:
    view = queries.submission_view(submission, viewer_id=signed_in_user(request).pk)
    return Response(
        serializers.SubmissionSerializer(view).data,
        status=status,
        headers={"Location": reverse("api-submission", args=[submission.pk], request=request)},
    )


@extend_schema(
    parameters=[
        OpenApiParameter("benchmark", str, description="The first benchmark if not given."),
        OpenApiParameter("split", str, description="The benchmark's first choice if not given."),
        OpenApiParameter("setting", str, description="The benchmark's first choice if not given."),
        OpenApiParameter(
            "sort", str, description="A score's name, name, context or published; - before it: descending."
        ),
    ],
    responses=serializers.BoardSerializer,
)
@api_view(["GET"])
def board(request: Request) -> Response:
    """The rows of one board, in its order, with every column, at full precision."""
    slug = request.GET.get("benchmark") or next(iter(definitions()))
    definition = definitions().get(slug)
    if definition is None:
        raise Http404
    split = request.GET.get("split") or definition.default_split
    setting = request.GET.get("setting") or definition.default_setting
    place = queries.find_place(slug, split, setting)
    if place is None:
        raise Http404
    asked = replace(Asked.of(request.GET, definition), columns="all")
    found = board_for(*place, asked, paged=False)
    return Response(serializers.BoardSerializer(found).data)
