"""Pages for maintainers to delete a study with all its data."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from humaneval.maintenance.study_views import frame
from humaneval.studies import access
from humaneval.studies.deletion import StudyOnBoardError, contents_of, delete_study, on_board
from humaneval.studies.forms import DeleteStudyForm
from leaderboard.access import signed_in_user


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is deleted with a study, and delete it once its slug is typed; an invalid form comes back with status
    422."""
    study = access.study_for(request.user, slug)
    access.require_may_delete(request.user)
    form = DeleteStudyForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        try:
            delete_study(study, by=signed_in_user(request), reason=form.cleaned_data["reason"])
        except StudyOnBoardError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{study.name}” and all its data were deleted.")
            return redirect("manage-studies")
    context = {
        **frame(study, "manage-study-edit"),
        "form": form,
        "contents": contents_of(study),
        "on_board": on_board(study),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "humaneval/maintenance/delete.html", context, status=status)
