"""Submissions in the API: submit, validate, follow, replace files, publish, withdraw, retry.

A request with a form or JSON is answered by the submission as JSON, or by a problem document with every problem. An
upload is processed as one from a page: `forms`, `intake`, `storage`.
"""

import math
import uuid
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.utils import ErrorList
from django.http import Http404
from django.utils import timezone
from django.utils.decorators import method_decorator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import AuthenticationFailed, ParseError
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.viewsets import ViewSetMixin

from leaderboard import access
from leaderboard.access import is_slug, signed_in_user
from leaderboard.api.base import ApiView, RefusedError, documented
from leaderboard.api.paging import PAGING, page_of
from leaderboard.api.serializers import submissions as serializers
from leaderboard.api.serializers.outcomes import QuestionScoresSerializer
from leaderboard.api.serializers.systems import FactsChangeSerializer
from leaderboard.api.unknown_fields import unknown_fields
from leaderboard.api.views import facts
from leaderboard.api.views.systems import question_scores_response
from leaderboard.models import ApiToken, Submission, User
from leaderboard.publishing import requests
from leaderboard.publishing import services as publishing
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.facts import subject_of
from leaderboard.submissions import intake, queries, quotas, services, storage
from leaderboard.submissions.forms import FilesForm, ReplacementForm, SubmissionForm, open_settings, open_splits
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.page import submission_view
from leaderboard.submissions.storage import SameFileError
from leaderboard.web import idempotency
from leaderboard.web.rate_limits import address_of, counts_processor_time

TAGS = ["Submissions"]
ID = OpenApiParameter("id", uuid.UUID, OpenApiParameter.PATH, description="The id of the submission.")
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": idempotency.MAX_KEY_CHARACTERS, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="A unique key for this request, for example a UUID. Repeating the request with the same key "
    "and content returns the first submission (200) instead of creating a second one. Keys are "
    "stored for a week.",
)
STATEMENT = ("name", "authors", "type")
"""Fields that a submission requires, and a validation of its files does not."""


class CheckForm(SubmissionForm):
    """A submission that is only validated: an omitted field is reported as missing, not as an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.missing():
            self.fields[name].required = False

    def missing(self) -> list[str]:
        """The fields that a submission would still need."""
        return [name for name in STATEMENT if name not in self.data]


class Submissions(ApiView):
    permission_classes = [IsAuthenticated]
    public = False
    scopes: ClassVar = {"POST": "submit"}

    @documented(
        tags=TAGS,
        parameters=PAGING,
        responses=serializers.SubmissionLineSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List every submission of your account and of your teams, newest first."""
        submissions = access.submissions_visible_to(signed_in_user(request))
        shown, headers = page_of(request, submissions, "-created_at", "-pk")
        on_page = Submission.objects.filter(pk__in=[submission.pk for submission in shown])
        lines = queries.submission_rows(on_page)
        return Response(serializers.SubmissionLineSerializer(lines, many=True).data, headers=headers)

    @extend_schema(
        tags=TAGS,
        operation_id="submissions_create",
        parameters=[IDEMPOTENCY_KEY],
        request={"multipart/form-data": serializers.SubmissionRequestSerializer},
        responses=dict.fromkeys((201, 200), serializers.SubmissionSerializer),
    )
    @method_decorator(counts_processor_time())
    def post(self, request: Request) -> Response:
        """Submit generations: the system's metadata, and up to one file per setting, in the field named after it.

        If anything is invalid, nothing is stored. A problem document (422) lists every error by field, file and line.
        Unknown fields are refused. A file that was also sent for another setting, or before, has a warning.
        """
        user = signed_in_user(request)
        form = _form(request, SubmissionForm)
        key, content = _idempotency(request)
        try:
            first = idempotency.first_of(owner=user, key=key, content=content) if key else None
            if first is not None:
                return _submission(first, request, replayed=True)
            checked = intake.check(form.read(), user)
            _require_no_errors(checked, _refuse_unknown(form, request))
            token = _token(request)
            submission, replayed = storage.create(checked, user, key=key, content=content, token=token)
            return _submission(submission, request, status=200 if replayed else 201, replayed=replayed)
        except access.TokenError as error:
            raise AuthenticationFailed(str(error)) from error
        except idempotency.KeyReusedError as error:
            raise RefusedError(422, str(error)) from error
        except quotas.QuotaExceededError as error:
            raise _OverQuotaError(error.quota) from error
        except SubmissionError as error:
            raise RefusedError(422, str(error), errors={"form": [str(error)]}) from error


class Validate(ApiView):
    public = False
    scopes: ClassVar = {"POST": "validate"}
    reading = (*SAFE_METHODS, "POST")

    @extend_schema(
        tags=TAGS,
        operation_id="submissions_validate",
        request={"multipart/form-data": serializers.ValidationRequestSerializer},
        responses=serializers.ValidationSerializer,
    )
    @method_decorator(counts_processor_time(address_of))
    def post(self, request: Request) -> Response:
        """Validate files in the same way as a submission's, without storing anything. No account is needed.

        Name, authors and type may be omitted; if you send them, they are validated too.
        """
        form = _form(request, CheckForm)
        user = request.user if isinstance(request.user, User) else None
        checked = intake.check(form.read(), user)
        _require_no_errors(checked, _refuse_unknown(form, request))
        split = checked.split
        limits = quotas.active_limits(user, split, checked.team) if user is not None and split else []
        body = {
            "valid": True,
            "missing": form.missing(),
            "files": [report.as_dict() for report in checked.reports],
            "quotas": [dict(serializers.QuotaSerializer(quota).data) for quota in limits],
        }
        return Response(body)


_View = TypeVar("_View", bound=Callable[..., Response])


def _change_schema(name: str, **options: Any) -> Callable[[_View], _View]:
    """The schema of a change of a submission, with its request if it has one."""
    return extend_schema(
        tags=TAGS,
        operation_id=f"submissions_{name}",
        parameters=[ID],
        responses=serializers.SubmissionSerializer,
        **{"request": None, **options},
    )


class OfSubmission(ViewSetMixin, ApiView):
    """One submission, for its owner and the members of its team."""

    permission_classes = [IsAuthenticated]
    public = False

    @documented(tags=TAGS, parameters=[ID], responses=serializers.SubmissionSerializer)
    def retrieve(self, request: Request, pk: uuid.UUID) -> Response:
        """Show state, progress and scores to the submission's owner and the members of its team."""
        return _submission(access.submission_for(signed_in_user(request), pk), request)

    @_change_schema("change", request=serializers.FactsRequestSerializer)
    def change(self, request: Request, pk: uuid.UUID) -> Response:
        """Change what a submission states of its system; once it was published by name, this changes the system.

        What is left out stays, and null states a fact no more. Nothing is scored again. While a maintainer reviews its
        publication the name cannot change (409).
        """
        submission = access.editable_submission(signed_in_user(request), pk)

        def changed() -> Response:
            submission.refresh_from_db()
            return _submission(submission, request)

        return facts.change(request, subject_of(submission), changed)

    @documented(tags=TAGS, parameters=[ID, *PAGING], responses=FactsChangeSerializer(many=True))
    def changes(self, request: Request, pk: uuid.UUID) -> Response:
        """List the changes of what a submission states of its system, newest first, to those who may change it; once it
        was published by name, those of the system."""
        return facts.history(request, subject_of(access.editable_submission(signed_in_user(request), pk)))

    @documented(
        tags=TAGS,
        operation_id="submissions_questions",
        parameters=[
            ID,
            OpenApiParameter("setting", str, required=True, description="A setting of the submission."),
            *PAGING,
        ],
        responses=QuestionScoresSerializer(many=True),
    )
    def questions(self, request: Request, pk: uuid.UUID) -> Response:
        """List the scores of each question, of a submission that need not be on a board.

        404 for a hidden split, and while nothing is scored.
        """
        file = access.submission_file_for(request.user, pk, request.GET.get("setting", ""))
        return question_scores_response(request, file.answer_set, file.submission.split)

    @_change_schema("withdraw", request=serializers.ConfirmationSerializer)
    def withdraw(self, request: Request, pk: uuid.UUID) -> Response:
        """Withdraw a submission permanently: it is removed from the board, and its remaining runs are not scored.

        This cannot be undone, so `confirm` must be true. The submission's data stays stored for its owner. Repeating
        the request changes nothing.
        """
        access.own_submission(signed_in_user(request), pk)
        if unknown := unknown_fields(request.data, texts={"confirm"}):
            errors = {field["name"]: [field["message"]] for field in unknown}
            raise RefusedError(422, "The request has unknown fields; nothing was changed.", errors=errors)
        if (request.data if isinstance(request.data, dict) else {}).get("confirm") not in (True, "true", "True", "1"):
            what = (
                "The withdrawal was not confirmed, and nothing was changed. Send `confirm` with the value "
                "true; a withdrawal cannot be undone."
            )
            raise RefusedError(
                422, "The withdrawal was not confirmed; nothing was changed.", errors={"confirm": [what]}
            )
        return _changed(request, pk, services.withdraw_submission)

    @_change_schema("publish", request=serializers.PublicationSerializer)
    def publish(self, request: Request, pk: uuid.UUID) -> Response:
        """Publish a scored submission on the board under its system's name, or request a maintainer's approval.

        With `anonymous_until`, the board shows a pseudonym until that day (UTC). With `shows_answers`, everybody can
        also read the answers and their scores; this is not possible on a hidden split. If the benchmark requires a
        maintainer's approval, `publication.state` is `pending` in the response and later shows the decision. Unknown
        fields are refused, so that a typing error cannot reveal a name. For the same reason, `anonymous_until` is
        required if the submission is off the board and was to be anonymous until a day that is still in the future;
        null publishes it by name. With `seen`, a submission that changed since you read it is not published (409);
        `seen` is required if somebody else has sent a file of the submission.
        """
        user = signed_in_user(request)
        submission = access.own_submission(user, pk)
        data = request.data if isinstance(request.data, dict) else {}
        asked = serializers.PublicationSerializer(data=data)
        errors = {} if asked.is_valid() else dict(asked.errors)
        errors |= {field["name"]: [field["message"]] for field in unknown_fields(data, texts=asked.fields)}
        now = requests.fingerprint(
            submission
        )  # read first: a file that somebody sends meanwhile is not published unseen
        if "anonymous_until" not in data and (until := requests.requested_day(submission)) is not None:
            until_text = f"This submission was to be anonymous until {until}."
            errors["anonymous_until"] = [f"{until_text} Give that day or another one, or null to publish it by name."]
        if "seen" not in data and access.has_files_of_others(user, submission):
            whose = "Somebody else has sent a file of this submission."
            errors["seen"] = [f"{whose} Read the submission, and send its publication.fingerprint as seen."]
        if errors:
            raise RefusedError(422, "The request to publish is ambiguous; nothing was changed.", errors=errors)
        return _changed(request, pk, publishing.publish_submission, **{"seen": now, **asked.validated_data})

    @_change_schema("reveal")
    def reveal(self, request: Request, pk: uuid.UUID) -> Response:
        """Reveal the name of an anonymous submission on the board before its day. This cannot be undone."""
        return _changed(request, pk, publishing.reveal_submission)

    @_change_schema("unpublish")
    def unpublish(self, request: Request, pk: uuid.UUID) -> Response:
        """Take a submission off the board, or withdraw its pending publication request. It can be published again.
        Repeating this changes nothing."""
        return _changed(request, pk, publishing.unpublish_submission)

    @_change_schema("retry")
    def retry(self, request: Request, pk: uuid.UUID) -> Response:
        """Queue failed metrics again."""
        return _changed(request, pk, services.retry_failed_runs)

    @_change_schema("replace", request={"multipart/form-data": serializers.ReplacementRequestSerializer})
    @method_decorator(counts_processor_time())
    def replace(self, request: Request, pk: uuid.UUID) -> Response:
        """Replace files of a submission with newer versions, each in the field named after its setting.

        The new versions are scored; the old versions and their scores stay stored. A row on the board does not change
        until the submission is published again. Sending an identical file changes nothing. Without `run_facts` the
        facts of the submission stay as they are.
        """
        user = signed_in_user(request)
        submission = access.own_submission(user, pk)
        settings_of_it = [file.setting for file in submission.files.filter(replaced_at=None).select_related("setting")]
        form = ReplacementForm(request.POST, request.FILES, split=submission.split, submission_settings=settings_of_it)
        checked = intake.check(form.read(), user, submission)
        _require_no_errors(checked, _refuse_unknown(form, request))
        try:
            facts = checked.run_facts
            storage.replace_files(submission, files=checked.files, actor=user, run_facts=facts, token=_token(request))
        except access.TokenError as error:
            raise AuthenticationFailed(str(error)) from error
        except SameFileError:
            return _submission(submission, request)
        except quotas.QuotaExceededError as error:
            raise _OverQuotaError(error.quota) from error
        except SubmissionError as error:
            raise RefusedError(409, str(error)) from error
        return _submission(submission, request)


def _changed(request: Request, pk: uuid.UUID, change: Callable[..., object], **options: Any) -> Response:
    """Change a submission of the requesting account, and answer with its new state, or 409."""
    user = signed_in_user(request)
    submission = access.own_submission(user, pk)
    try:
        change(submission, actor=user, **options)
    except SubmissionError as error:
        raise RefusedError(409, str(error)) from error
    submission.refresh_from_db()
    return _submission(submission, request)


def _token(request: Request) -> ApiToken | None:
    return request.auth if isinstance(request.auth, ApiToken) else None


class _OverQuotaError(RefusedError):
    """A quota is used up: until when, and what counts."""

    def __init__(self, quota: quotas.Quota) -> None:
        body = dict(serializers.QuotaSerializer(quota).data) | {"frees_at": quota.frees_at}
        super().__init__(429, quota.refusal, quota=body)
        if quota.frees_at is not None:
            self.wait = max(1, math.ceil((quota.frees_at - timezone.now()).total_seconds()))
            """Seconds, which REST framework sends as Retry-After."""


def _form(request: Request, kind: type[SubmissionForm]) -> Any:
    """The form with the request's data, for the benchmark that it names or the first one."""
    visible = access.benchmarks_visible_to(request.user)
    slug = request.POST.get("benchmark")
    if slug and not is_slug(slug):
        raise Http404
    benchmark = (visible.filter(slug=slug) if slug else visible).first()
    splits = open_splits(benchmark, request.user) if benchmark is not None else []
    if benchmark is None or not splits:
        raise Http404
    return kind(
        request.POST,
        request.FILES,
        splits=splits,
        submission_settings=open_settings(benchmark),
        teams=access.teams_of(request.user),
    )


def _idempotency(request: Request) -> tuple[str, str]:
    """The request's idempotency key and fingerprint; both empty without a key."""
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return "", ""
    try:
        key = idempotency.key_of(header)
    except ValueError as error:
        raise ParseError(str(error)) from error
    return key, idempotency.content_of(request.POST, request.FILES)


def _refuse_unknown(form: FilesForm, request: Request) -> list[dict[str, Any]]:
    """Add an error for each field and file of the request that the form does not have."""
    files = set(form.file_names)
    known = (form.fields.keys() - files) | {"benchmark", "csrfmiddlewaretoken"}
    if request.POST.keys() <= known and request.FILES.keys() <= files:
        return []
    unknown = unknown_fields(request.POST, request.FILES, texts=known, files=files)
    for field in unknown:
        form.errors.setdefault(field["name"], ErrorList()).append(field["message"])
    return unknown


def _require_no_errors(checked: Upload, refused: Sequence[dict[str, Any]]) -> None:
    """Refuse an upload that has errors, with all of them in one problem document."""
    if not checked.form.errors:
        return
    errors = {
        "form" if name == NON_FIELD_ERRORS else name: list(messages) for name, messages in checked.form.errors.items()
    }
    files = [report.as_dict() for report in checked.reports]
    text = "The submission has errors and was not stored."
    raise RefusedError(422, text, errors=errors, files=files, fields=list(refused))


def _submission(submission: Submission, request: Request, *, status: int = 200, replayed: bool = False) -> Response:
    user = signed_in_user(request)
    view = submission_view(
        submission,
        viewer_id=user.pk,
        can_edit=access.can_edit(user, submission),
        for_maintainer=access.is_maintainer(user),
    )
    headers = {"Location": reverse("api-submission", args=[submission.pk], request=request)}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return Response(serializers.SubmissionSerializer(view).data, status=status, headers=headers)
