"""The gallery of studies and grading: their pages in states that are seldom met."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tests.gallery.studies import pages


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    """The list of samples, or with ``?page=NAME`` one of them."""
    known = pages()
    name = request.GET.get("page")
    if name is None:
        return render(request, "gallery/studies.html", {"pages": known})
    if name not in known:
        raise Http404(f"The gallery has no page {name!r}.")
    return render(request, known[name].template, known[name].context(request.GET.dict()))
