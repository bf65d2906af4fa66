"""Pages to make and manage studies, for their owners and maintainers."""

from typing import Final

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.answering import cookies
from humaneval.models import Kind, Study
from humaneval.models.studies import STATEMENT
from humaneval.participants import invitations
from humaneval.results.stale_results import withdrawn_since
from humaneval.studies import access, queries, services
from humaneval.studies.dashboard import dashboard
from humaneval.studies.deletion import StudyOnBoardError, contents_of, delete_study, on_board
from humaneval.studies.exclusions import exclusions_of
from humaneval.studies.forms import DeleteStudyForm, StudyForm
from humaneval.studies.kinds import KINDS
from leaderboard.access import is_maintainer, signed_in_user
from scoring.models import Split

FIRST_TABS: Final = (("manage-study", "Overview"), ("manage-study-invitations", "Invitations"))
LAST_TABS: Final = (("manage-study-export", "Export"), ("manage-study-edit", "Settings"))
NO_BENCHMARK: Final = "This site has no benchmark yet. Import one first."
NO_STEP: Final = "No changes were made. Choose whether to open or close the study."


def frame(study: Study, here: str) -> dict[str, object]:
    """The context for the header of each page of a study. No query."""
    tabs = [
        {"label": label, "url": reverse(name, args=[study.slug]), "current": name == here, "count": None}
        for name, label in (*FIRST_TABS, *KINDS[study.kind].tabs, *LAST_TABS)
    ]
    return {"study": study, "tabs": tabs}


def scores_frame(study: Study) -> dict[str, object]:
    """The context that the pages of scores share. Two queries, two with exclusion rules, and one when the page reads
    the unfinished ones."""
    return {
        **frame(study, "manage-study-results"),
        "unfinished": queries.unfinished_answers(study),
        "exclusions": exclusions_of(study),
        "n_named": 0 if KINDS[study.kind].writes_answers else queries.named_answers(study).count(),
    }


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """The studies that the user may manage, newest first, with the number of participants. Three queries at most."""
    user = access.require_study_maintainer(request.user)
    context = {"studies": queries.study_rows(user), "may_make": access.may_make_studies(user)}
    return render(request, "humaneval/maintenance/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """A new study; an invalid form comes back with every problem and status 422."""
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
            messages.success(request, "Study created. Preview it, then invite people.")
            return redirect("manage-study", made.slug)
    kinds = [(label, KINDS[kind]) for kind, label in Kind.choices]
    usual = [
        {"label": label, "consent": kind.consent, "instructions": kind.instructions.format(n_questions="…")}
        for label, kind in kinds
    ]
    return _form_page(request, {"form": form, "study": None, "usual": usual})


def _posted(request: HttpRequest) -> QueryDict | None:
    """The sent data, even if empty; None if the form is only viewed."""
    return request.POST if request.method == "POST" else None


def _form_page(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    status = 422 if request.method == "POST" else 200
    return render(request, "humaneval/maintenance/form.html", context, status=status)


@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The dashboard of a study. Seven queries in addition to finding it, ten after a withdrawal, for any number of
    participants."""
    shown = access.study_for(request.user, slug)
    context = {**frame(shown, "manage-study"), "board": dashboard(shown), "withdrawn": withdrawn_since(shown)}
    return render(request, "humaneval/maintenance/study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """A study's settings; those that affect participants are fixed once there are any."""
    shown = access.study_for(request.user, slug)
    begun = queries.has_begun(shown)
    may_choose_source = is_maintainer(request.user)
    form = StudyForm(_posted(request), instance=shown, may_choose_source=may_choose_source, begun=begun)
    if request.method == "POST" and form.is_valid():
        try:
            changed = services.update_study(shown, form.columns(), by=signed_in_user(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            said = "Changes saved." if changed else "No changes to save."
            if {"consent_text", "on_withdrawal", "reward_note", *STATEMENT}.intersection(changed):
                shown.refresh_from_db()
                agreed = {"consent__text": shown.consent_in_full, "consent__on_withdrawal": shown.on_withdrawal}
                n_asked = queries.taking_part(shown).exclude(**agreed).count()
                said += f" Participants who must agree to the new consent text before they go on: {n_asked:,}."
            messages.success(request, said)
            return redirect("manage-study", slug)
    head = frame(access.study_for(request.user, slug), "manage-study-edit")  # stored values, not submitted ones
    may_delete = access.may_delete_studies(request.user)
    n_taking_part = queries.taking_part(shown).count() if begun else 0
    context = {"form": form, "begun": begun, "may_delete": may_delete, "n_taking_part": n_taking_part}
    return _form_page(request, {**head, **context})


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is deleted with a study, and delete it once its slug is typed; an invalid form comes back with status
    422."""
    shown = access.study_for(request.user, slug)
    access.require_may_delete(request.user)
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
    act = {"open": services.open_now, "close": services.close_now}.get(request.POST.get("action", ""))
    if act is None:
        messages.error(request, NO_STEP)
        return redirect("manage-study", slug)
    try:
        act(shown, by=signed_in_user(request))
    except ValidationError as error:
        messages.error(request, f"No changes were made. {' '.join(error.messages)}")
    else:
        messages.success(request, "Changes saved.")
    return redirect("manage-study", slug)
