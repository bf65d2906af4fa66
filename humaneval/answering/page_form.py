"""The form of the answer page. Without JavaScript, each of its buttons submits the whole form."""

from urllib.parse import parse_qs, urlsplit

from django.http import HttpRequest

from humaneval.answering.decorators import wants_json
from humaneval.answering.question_context import QuestionContext


def is_page_form(request: HttpRequest) -> bool:
    """Whether a request has the whole form, rather than what a script sends of it."""
    return request.method == "POST" and "text" in request.POST and not wants_json(request)


def here_of(request: HttpRequest, context: QuestionContext) -> str:
    """The address of the page that the form was on, if it is a page of this question; else the question's."""
    if request.method != "POST":
        return request.get_full_path()
    here = request.POST.get("here", "")
    return here if here.startswith(context.base) and "\\" not in here and here.isprintable() else context.base


def path_of(address: str) -> str:
    """The article in an address; empty if there is none."""
    return parse_qs(urlsplit(address).query).get("path", [""])[0] if "/article/" in address else ""


def asked_address(request: HttpRequest, context: QuestionContext, name: str) -> str:
    """The address that a search in the form leads to. The form has two fields `q`: the search, then the passages.

    Args:
        name: ``study-search`` or ``study-passages``.
    """
    queries = request.POST.getlist("q") or [""]
    if name == "study-passages":
        return context.url(name, path=request.POST.get("path", ""), q=queries[-1])
    return context.url(name, q=queries[0])


def entered_address(request: HttpRequest, context: QuestionContext) -> str:
    """The address that Enter leads to: a search, if a search field was changed; else empty."""
    if "enter" not in request.POST:
        return ""
    queries = request.POST.getlist("q")
    for name, before, query in (
        ("study-search", "q_shown", queries[0] if queries else ""),
        ("study-passages", "passages_shown", queries[1] if len(queries) > 1 else ""),
    ):
        if query.strip() and query != request.POST.get(before, ""):
            return asked_address(request, context, name)
    return ""
