"""The component gallery: every component and every page in every state, with sample data."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tests.gallery.site import components, pages
from tests.made_pictures import png


@require_safe
def gallery(request: HttpRequest) -> HttpResponse:
    """The gallery, or with ``?page=NAME`` a page of the site filled with sample data; htmx gets the page's fragment."""
    known = pages()
    name = request.GET.get("page")
    if name is None:
        return render(request, "gallery/site.html", {"pages": known, **components()})
    if name not in known:
        raise Http404(f"The gallery has no page {name!r}.")
    sample = known[name]
    wants_fragment = sample.fragment and request.headers.get("HX-Request") == "true"
    template = sample.fragment if wants_fragment else sample.template
    return render(request, template, sample.context(request.GET))


@require_safe
def sample_picture(request: HttpRequest, sha256: str) -> HttpResponse:
    """The picture of a sample question."""
    del request, sha256
    return HttpResponse(png(900, 300), content_type="image/png")
