"""Pages to make and manage studies, for their owners and maintainers."""

from typing import Final

from csp.decorators import csp_replace
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.answering import cookies
from humaneval.models import InvitationKind, Kind, Study
from humaneval.models.studies import RETENTION, STATEMENT
from humaneval.participants import invitations
from humaneval.results.retention import time_limits
from humaneval.results.stale_results import withdrawn_since
from humaneval.studies import access, queries, services
from humaneval.studies.dashboard import dashboard
from humaneval.studies.deletion import StudyOnBoardError, contents_of, delete_study, on_board
from humaneval.studies.exclusions import exclusions_of
from humaneval.studies.form_steps import FIRST_STEP, STEPS, missing_of, step_url
from humaneval.studies.forms import DeleteStudyForm, StudyForm
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import test_counts
from leaderboard.access import is_maintainer, signed_in_user
from leaderboard.models import User
from scoring.models import Split

FIRST_TABS: Final = (("manage-study", "Overview"), ("manage-study-invitations", "Invitations"))
LAST_TABS: Final = (("manage-study-export", "Export"), ("manage-study-edit", "Settings"))
NO_BENCHMARK: Final = "This site has no benchmark yet. Import one first."
NO_STEP: Final = "No changes were made. Choose whether to open or close the study."


def frame(study: Study, here: str) -> dict[str, object]:
    """The context for the header of each page of a study."""
    tabs = [
        {"label": label, "url": reverse(name, args=[study.slug]), "current": name == here, "count": None}
        for name, label in (*FIRST_TABS, *KINDS[study.kind].tabs, *LAST_TABS)
    ]
    return {"study": study, "tabs": tabs}


def scores_frame(study: Study) -> dict[str, object]:
    """The context that the pages of scores share."""
    return {
        **frame(study, "manage-study-results"),
        "unfinished": queries.unfinished_answers(study),
        "exclusions": exclusions_of(study),
        "test": test_counts(study),
        "n_named": 0 if KINDS[study.kind].writes_answers else queries.named_answers(study).count(),
    }


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """The studies that the user may manage, newest first, with the number of participants."""
    user = access.require_study_maintainer(request.user)
    context = {"studies": queries.study_rows(user), "may_make": access.may_make_studies(user)}
    return render(request, "humaneval/maintenance/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The first page of a new study, which makes a draft; an invalid form comes back with every problem and status
    422."""
    user = access.require_study_maintainer(request.user)
    if not access.may_make_studies(user):
        raise Http404("There is no such page.")
    if not Split.objects.filter(current_revision__isnull=False).exists():
        context = {"title": "No benchmark", "text": NO_BENCHMARK}
        return render(request, "leaderboard/web/message.html", context, status=404)
    form = StudyForm(_posted(request), may_choose_source=is_maintainer(user))
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_study(owner=user, **form.columns())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Draft created. Nobody can join before it opens.")
            return redirect("manage-study-step", made.slug, FIRST_STEP)
    kinds = [{"value": kind, "label": label, "summary": KINDS[kind].summary} for kind, label in Kind.choices]
    status = 422 if request.method == "POST" else 200
    return render(request, "humaneval/maintenance/new.html", {"form": form, "kinds": kinds}, status=status)


def _posted(request: HttpRequest) -> QueryDict | None:
    """The sent data, even if empty; None if the form is only viewed."""
    return request.POST if request.method == "POST" else None


@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The dashboard of a study."""
    shown = access.study_for(request.user, slug)
    context = {
        **frame(shown, "manage-study"),
        "board": dashboard(shown),
        "withdrawn": withdrawn_since(shown),
        "time_limits": time_limits(shown),
    }
    return render(request, "humaneval/maintenance/study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@csp_replace({"frame-src": ["'self'"]})  # type: ignore[arg-type] # its types forget the arguments of views
def edit(request: HttpRequest, slug: str, step: str = FIRST_STEP) -> HttpResponse:
    """One step of a study's settings, with a participant's page beside it; those that affect participants are fixed
    once there are any."""
    shown = access.study_for(request.user, slug)
    if step not in STEPS:
        raise Http404("The settings have no such step.")
    begun = queries.has_begun(shown)
    may_choose_source = is_maintainer(request.user)
    names = list(STEPS)
    following = names[names.index(step) + 1] if step != names[-1] else ""
    form = StudyForm(_posted(request), instance=shown, may_choose_source=may_choose_source, begun=begun, step=step)
    if request.method == "POST" and form.is_valid():
        try:
            changed = services.update_study(shown, form.columns(), by=signed_in_user(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            said = "Changes saved." if changed else "No changes to save."
            if {"consent_text", "on_withdrawal", "reward_note", *STATEMENT, *RETENTION}.intersection(changed):
                shown.refresh_from_db()
                agreed = {"consent__text": shown.consent_in_full, "consent__on_withdrawal": shown.on_withdrawal}
                n_asked = queries.taking_part(shown).exclude(**agreed).count()
                said += f" Participants who must agree to the new consent text before they go on: {n_asked:,}."
            continues = following and "continue" in request.POST
            if changed or not continues:
                messages.success(request, said)
            if form.entries is not None and "another" in request.POST:
                return redirect(step_url(shown, step, f"{form.entries.prefix}-{len(form.entries.entries)}-use"))
            return redirect("manage-study-step", slug, following if continues else step)
    stored = access.study_for(request.user, slug)  # stored values, not submitted ones
    context = {
        **frame(stored, "manage-study-edit"),
        **steps_frame(stored, step),
        "form": form,
        "begun": any(field.disabled for field in form.fields.values()),
        "may_delete": access.may_delete_studies(request.user),
        "n_taking_part": queries.taking_part(stored).count() if begun else 0,
    }
    return render(request, "humaneval/maintenance/form.html", context, status=422 if request.method == "POST" else 200)


def steps_frame(study: Study, here: str) -> dict[str, object]:
    """The context for the steps of a study's settings: links with what is complete, what is missing, what a participant
    sees."""
    missing = missing_of(study)
    unfinished = {row.step for row in missing}
    content = KINDS[study.kind].tabs[0]
    return {
        "step": here,
        "step_title": STEPS[here].title,
        "is_last": here == list(STEPS)[-1],
        "has_link": queries.has_link(study),
        "steps": [
            {"title": step.title, "url": step_url(study, name), "current": name == here, "done": name not in unfinished}
            for name, step in STEPS.items()
        ],
        "missing": [row for row in missing if row.step == here or here == list(STEPS)[-1]],
        "content_tab": None
        if KINDS[study.kind].writes_answers
        else {"label": content[1], "url": reverse(content[0], args=[study.slug]), "n": study.items.count()},
        "shown": STEPS[here].shown,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is deleted with a study, and delete it once its slug is typed; an invalid form comes back with status
    422."""
    shown = access.study_for(request.user, slug)
    if not access.may_delete_studies(request.user):
        raise Http404("There is no such page.")
    form = DeleteStudyForm(_posted(request), study=shown)
    if form.is_valid():
        try:
            delete_study(shown, by=signed_in_user(request), reason=form.cleaned_data["reason"])
        except StudyOnBoardError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{shown.name}” and all its data were deleted.")
            return redirect("manage-studies")
    context = {
        **frame(shown, "manage-study-edit"),
        "form": form,
        "contents": contents_of(shown),
        "on_board": on_board(shown),
    }
    return render(request, "humaneval/maintenance/delete.html", context, status=422 if form.is_bound else 200)


@require_POST
def clone(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a draft with the same settings, to be edited."""
    shown = access.study_for(request.user, slug)
    user = signed_in_user(request)
    if not access.may_make_studies(user):
        raise Http404("There is no such page.")
    try:
        made = services.clone_study(shown, by=user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("manage-study", slug)
    messages.success(request, f"Created a draft from “{shown.name}”, without its participants and dates.")
    return redirect("manage-study-edit", made.slug)


@require_POST
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview the study as a participant sees it, from the start; the session does not count towards the study's limit
    or its results."""
    shown = access.study_for(request.user, slug)
    link = invitations.preview_link(shown, by=signed_in_user(request))
    return cookies.sign_in(redirect("study-home", shown.slug), link)


@require_POST
def dates(request: HttpRequest, slug: str) -> HttpResponse:
    """Open or close a study now."""
    shown = access.study_for(request.user, slug)
    action = request.POST.get("action", "")
    act = {"open": services.open_now, "open-link": open_with_link, "close": services.close_now}.get(action)
    if act is None:
        messages.error(request, NO_STEP)
        return redirect("manage-study", slug)
    try:
        act(shown, by=signed_in_user(request))
    except ValidationError as error:
        messages.error(request, f"No changes were made. {' '.join(error.messages)}")
    else:
        messages.success(request, "Changes saved.")
        if act is open_with_link:
            return redirect("manage-study-invitations", slug)
    return redirect("manage-study", slug)


@transaction.atomic
def open_with_link(study: Study, *, by: User) -> None:
    """Open a study now, and make a link by which as many people as it has seats can join."""
    services.open_now(study, by=by)
    invitations.invite(study, by=by, kind=InvitationKind.SHARED, limit=study.seats)
