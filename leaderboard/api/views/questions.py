"""Questions of open splits: their statistics, and the answers of all systems. 404 for every hidden split."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSetMixin

from leaderboard.api.base import ApiView, documented
from leaderboard.api.paging import PAGING, page_of
from leaderboard.api.serializers import questions as serializers
from leaderboard.api.views.benchmarks import BENCHMARK, SPLIT
from leaderboard.models import Entry
from leaderboard.questions.lookup import DISAGREEMENT, VERDICTS, SettingQuestions, find_questions
from leaderboard.questions.question import QuestionPage, find_question
from leaderboard.web.parameters import NUMBER
from scoring.models import Question

TAGS = ["Benchmarks"]
QUESTION = OpenApiParameter("qid", str, OpenApiParameter.PATH, description="A question's id, as in generations files.")
SETTING = OpenApiParameter(
    "setting",
    str,
    description="The setting whose systems count; by default the benchmark's default setting if it has scored systems "
    "here, or else the one with the most.",
)


def _in_setting(request: Request, asked: SettingQuestions | None) -> SettingQuestions:
    """The questions of the setting that a request names."""
    if asked is None or request.GET.get("setting", asked.setting.slug) != asked.setting.slug:
        raise Http404
    return asked


def _question(request: Request, benchmark: str, split: str, qid: str) -> QuestionPage:
    page = find_question(benchmark, split, qid, request.user, request.GET.dict())
    _in_setting(request, page.asked if page else None)
    assert page is not None  # noqa: S101 - or there would have been no setting
    return page


class Questions(ViewSetMixin, ApiView):
    @documented(
        tags=TAGS,
        parameters=[BENCHMARK, SPLIT, SETTING, *PAGING],
        responses=serializers.QuestionStatisticsSerializer(many=True),
    )
    def statistics(self, request: Request, benchmark: str, split: str) -> Response:
        """List difficulty, discrimination and verdicts of the questions of an open split, in its order.

        404 for a hidden split. Once the scores belong to another revision, cursors from before are refused.
        """
        asked = _in_setting(request, find_questions(benchmark, split, request.GET.get("setting", "")))
        questions = Question.objects.filter(revision=asked.revision).only("qid", "position")
        shown, headers = page_of(request, questions, "position", of=str(asked.revision.pk))
        summaries = {summary.qid: summary for summary in asked.summaries}
        rows = [{"asked": asked, "summary": summaries[question.qid]} for question in shown]
        lines = serializers.QuestionStatisticsSerializer(rows, many=True, context={"request": request})
        return Response(lines.data, headers=headers)

    @documented(
        tags=TAGS,
        parameters=[BENCHMARK, SPLIT, QUESTION, SETTING],
        responses=serializers.QuestionDetailSerializer,
    )
    def retrieve(self, request: Request, benchmark: str, split: str, qid: str) -> Response:
        """Show a question with its statistics, without its reference answer. 404 for a hidden split."""
        page = _question(request, benchmark, split, qid)
        return Response(serializers.QuestionDetailSerializer(page, context={"request": request}).data)

    @documented(
        tags=TAGS,
        parameters=[
            BENCHMARK,
            SPLIT,
            QUESTION,
            SETTING,
            OpenApiParameter(
                "verdict", str, enum=[*VERDICTS, DISAGREEMENT], description="Only answers with this verdict."
            ),
            OpenApiParameter(
                "attempt",
                {"type": "integer", "minimum": 1, "default": 1},
                description="The attempt whose citations and criteria are given, of systems with fewer their last.",
            ),
            *PAGING,
        ],
        responses=serializers.QuestionAnswerSerializer(many=True),
    )
    def answers(self, request: Request, benchmark: str, split: str, qid: str) -> Response:
        """List every system's verdict on a question of an open split, with its answer if that is public.

        404 for a hidden split. `verdict=disagreement` lists answers that one metric counts as right and another as
        wrong.
        """
        if not NUMBER.knows(request.GET.get("attempt", "")):
            raise ParseError("attempt must be a whole number.")
        page = _question(request, benchmark, split, qid)
        by_entry = {page.asked.rows[place][1]: place for place in page.chosen}
        entries = Entry.objects.filter(pk__in=by_entry).only("pk")
        shown, headers = page_of(request, entries, "pk", of=str(page.asked.revision.pk))
        rows = page.shown([by_entry[entry.pk] for entry in shown])
        return Response(serializers.QuestionAnswerSerializer(rows, many=True).data, headers=headers)
