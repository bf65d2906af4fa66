"""The gallery of studies and grading: their pages in states that are seldom met."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from tests import pseudo_language
from tests.gallery.studies import grading, pages, volunteers


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    """The list of samples, or with ``?page=NAME`` one of them; with ``language``, in a pseudo-language."""
    known = pages()
    name = request.GET.get("page")
    if name is None:
        return render(
            request,
            "gallery/studies.html",
            {"pages": known, "translated": volunteers.pages() | grading.graders_pages()},
        )
    if name not in known:
        raise Http404(f"The gallery has no page {name!r}.")
    language = request.GET.get("language")
    if language not in pseudo_language.LETTERS:
        language = settings.LANGUAGE_CODE
    else:
        pseudo_language.write_once(settings.LOCALE_PATHS[0])
    with translation.override(language):
        return render(request, known[name].template, known[name].context(request.GET.dict()))
