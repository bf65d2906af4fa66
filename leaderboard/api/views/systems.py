"""Systems and their scores."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSetMixin

from leaderboard.access import can_read_answers, editable_system, signed_in_user
from leaderboard.api import queries
from leaderboard.api.base import ApiView, documented
from leaderboard.api.paging import PAGING, page_of, page_of_fixed
from leaderboard.api.serializers import systems as serializers
from leaderboard.api.serializers.outcomes import AnswerSerializer, QuestionScoresSerializer
from leaderboard.api.serializers.submissions import FactsRequestSerializer
from leaderboard.api.views import facts
from leaderboard.models import Entry, System, SystemType
from leaderboard.systems import verdicts
from leaderboard.systems.question_scores import rows_of, scored_revision
from leaderboard.systems.questions import explained_entry
from leaderboard.web.http import with_other_arguments
from scoring.generations.citations import of_stored
from scoring.models import AnswerBlock, AnswerSet, CitationBlock, Question, Split

TAGS = ["Systems"]
SYSTEM = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="A system's slug.")
LONGEST_SEARCH = 100


MOVED = OpenApiResponse(
    description="The slug was a pseudonym whose name is now public, or that of a system that was merged into another; "
    "Location has the system's URL."
)


def of_system(get: Callable[[Any, Request, System], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Pass a view's method the system that the URL names. The URL of a pseudonym redirects to the system's own once its
    name is public, and that of a merged system to the one that it was merged into; without any public system it is a
    404."""

    @wraps(get)
    def found(view: Any, request: Request, slug: str) -> HttpResponseBase:
        system = queries.public_systems().filter(slug=slug).first()
        if system is not None:
            return get(view, request, system)
        became = queries.name_of_revealed(slug)
        if became is None:
            raise Http404
        return HttpResponsePermanentRedirect(with_other_arguments(request._request, became))

    return found


class Systems(ApiView):
    @documented(
        tags=TAGS,
        parameters=[
            OpenApiParameter("q", str, description="Words that must all occur in name, authors, citation or slug."),
            OpenApiParameter(
                "type", str, enum=SystemType.values, many=True, description="Only systems of these types."
            ),
            *PAGING,
        ],
        responses=serializers.SystemLineSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List every system that is on a board, ordered by slug."""
        types = [name for text in request.GET.getlist("type") for name in text.split(",") if name]
        systems = queries.public_systems(request.GET.get("q", "")[:LONGEST_SEARCH], types)
        shown, headers = page_of(request, systems, "slug")
        lines = serializers.SystemLineSerializer(shown, many=True, context={"request": request})
        return Response(lines.data, headers=headers)


ON_BOARD = [
    OpenApiParameter("split", str, required=True, description="A split that is not hidden."),
    OpenApiParameter("setting", str, required=True, description="A setting's slug."),
    OpenApiParameter("benchmark", str, description="Needed only if several benchmarks have such a split."),
]


def _entry(request: Request, system: System) -> Entry:
    """The row that a request names by split, setting and benchmark."""
    names = {name: request.GET.get(name, "") for name in ("split", "setting", "benchmark")}
    entry = explained_entry(system.slug, **names)
    if entry is None:
        raise Http404
    return entry


class OfSystem(ViewSetMixin, ApiView):
    @documented(
        tags=TAGS,
        parameters=[SYSTEM],
        responses={200: serializers.SystemSerializer, 301: MOVED},
    )
    @of_system
    def retrieve(self, request: Request, system: System) -> HttpResponseBase:
        """Show a system and the boards that it is on."""
        return self.representation(request, system)

    @extend_schema(
        tags=TAGS,
        operation_id="systems_change",
        parameters=[SYSTEM],
        request=FactsRequestSerializer,
        responses=serializers.SystemSerializer,
    )
    def change(self, request: Request, slug: str) -> Response:
        """Change what a system states of itself: its owner, the members of its team, and maintainers.

        What is left out stays, and null states a fact no more. Scores and ranks stay. With a new name the system has
        another slug, to which the old one redirects. 409 if the name cannot be given.
        """
        if not request.user.is_authenticated:
            raise NotAuthenticated
        system = editable_system(request.user, slug)
        return facts.change(request, system, lambda: self.representation(request, system))

    def representation(self, request: Request, system: System) -> Response:
        context = {"request": request, "boards": queries.entries_of(system)}
        return Response(serializers.SystemSerializer(system, context=context).data)

    @documented(tags=TAGS, parameters=[SYSTEM, *PAGING], responses=serializers.FactsChangeSerializer(many=True))
    def changes(self, request: Request, slug: str) -> Response:
        """List the changes of what a system states of itself, newest first, to those who may change it."""
        return facts.history(request, editable_system(signed_in_user(request), slug))

    @documented(
        tags=TAGS,
        parameters=[SYSTEM],
        responses={200: serializers.ResultSerializer(many=True), 301: MOVED},
    )
    @of_system
    def scores(self, request: Request, system: System) -> HttpResponseBase:
        """List every score of a system with its interval, under every signature; `shown` marks those on the boards.

        Compare only scores with the same signature.
        """
        return Response(serializers.ResultSerializer(queries.results_of(system), many=True).data)

    @documented(
        tags=TAGS,
        parameters=[SYSTEM, *ON_BOARD, *PAGING],
        responses={200: QuestionScoresSerializer(many=True), 301: MOVED},
    )
    @of_system
    def questions(self, request: Request, system: System) -> HttpResponseBase:
        """List the scores of each question that the boards' means are made of.

        404 for a hidden split, for people, and for a result that is not scored.
        """
        entry = _entry(request, system)
        return question_scores_response(request, entry.answer_set, entry.split)

    @documented(
        tags=TAGS,
        parameters=[SYSTEM, *ON_BOARD, *PAGING],
        responses={200: AnswerSerializer(many=True), 301: MOVED},
    )
    @of_system
    def answers(self, request: Request, system: System) -> HttpResponseBase:
        """List the answers of a system whose owner made them public, and your own.

        404 for a hidden split, and where you may not read them.
        """
        entry = _entry(request, system)
        if not can_read_answers(request.user, entry):
            raise Http404
        attempts = AnswerBlock.objects.attempts_of(entry.answer_set_id) if entry.answer_set_id else {}
        qids, headers = page_of_fixed(request, sorted(attempts), of=str(entry.answer_set_id))
        cited = CitationBlock.objects.first_texts_of(entry.answer_set_id, qids) if entry.answer_set_id else {}
        shown = [
            {
                "qid": qid,
                "text": attempts[qid][0] or "",
                "attempts": attempts[qid],
                "citations": list(of_stored(cited.get(qid))),
            }
            for qid in qids
        ]
        return Response(AnswerSerializer(shown, many=True).data, headers=headers)

    @documented(
        tags=TAGS,
        parameters=[SYSTEM, *ON_BOARD, *PAGING],
        responses={200: serializers.QuestionVerdictSerializer(many=True), 301: MOVED},
    )
    @of_system
    def verdicts(self, request: Request, system: System) -> HttpResponseBase:
        """List the verdicts that the shown judge score was computed from, question by question.

        404 for a hidden split, and for a result that is not judged.
        """
        score = verdicts.judge_score(_entry(request, system))
        if score is None:
            raise Http404
        shown, headers = page_of(request, verdicts.questions_of(score), "position", of=str(score.pk))
        rows = verdicts.verdicts_on(shown, score)
        return Response(serializers.QuestionVerdictSerializer(rows, many=True).data, headers=headers)


def question_scores_response(request: Request, answer_set: AnswerSet | None, split: Split) -> Response:
    """A page of the scores of each question of an answer set.

    Raises:
        Http404: it has none that may be shown.
    """
    scored = scored_revision(answer_set, split) if answer_set is not None else None
    if answer_set is None or scored is None:
        raise Http404
    revision, scores = scored
    questions = Question.objects.filter(revision=revision).only("qid", "position")
    shown, headers = page_of(request, questions, "position", of=f"{revision.pk} {sorted(scores.values())}")
    rows = rows_of(shown, answer_set, revision, scores)
    return Response(QuestionScoresSerializer(rows, many=True).data, headers=headers)
