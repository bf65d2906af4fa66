"""API views of studies, for the accounts that own them."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from humaneval.api import serializers
from humaneval.studies import queries
from leaderboard.access import signed_in_user
from leaderboard.api.base import ApiView, documented
from leaderboard.api.paging import PAGING, page_of

TAGS = ["Studies"]
STUDY = OpenApiParameter("study", str, OpenApiParameter.PATH, description="A study's slug.")


class Studies(ApiView):
    """The account's studies."""

    permission_classes = [IsAuthenticated]
    public = False

    @documented(
        tags=TAGS,
        parameters=PAGING,
        responses=serializers.StudyLineSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Every study of the account, the newest first; for maintainers of studies, everybody's."""
        shown, headers = page_of(
            request, queries.studies_maintained_by(signed_in_user(request), right="view"), "-created_at", "-pk"
        )
        lines = serializers.StudyLineSerializer(shown, many=True, context={"request": request})
        return Response(lines.data, headers=headers)


class StudyDetail(ApiView):
    """One study."""

    permission_classes = [IsAuthenticated]
    public = False

    @documented(tags=TAGS, parameters=[STUDY], responses=serializers.StudySerializer)
    def get(self, request: Request, study: str) -> Response:
        """The questions of a study, the number of participants and answers wanted, and its opening times."""
        shown = queries.studies_maintained_by(signed_in_user(request), right="view").filter(slug=study).first()
        if shown is None:
            raise Http404
        return Response(serializers.StudySerializer(shown, context={"request": request}).data)
