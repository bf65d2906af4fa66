"""The parameters of a URL that a view reads: the API and files refuse others, pages name them.

Enters: a query string, and the parameters that a view reads (`reads`). Leaves: those that are not known, in words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse, QueryDict

from leaderboard.web.problem_details import problem_response

MOST_SHOWN: Final = 5
LONGEST_SHOWN: Final = 40
MOST_KNOWN_SHOWN: Final = 60
OF_OTHERS: Final = ("utm_", "fbclid", "gclid")
"""Beginnings of names that mail programs and social networks add to any link: pages say nothing of them."""


@dataclass(frozen=True)
class Parameter:
    """A parameter that a view reads; by default with any text. An empty value asks nothing and is always known."""

    values: tuple[str, ...] = ()
    """The known values, if there are only these."""
    listed: bool = False
    """Whether one value may list several, separated by commas."""
    accepts: Callable[[str], object] | None = None
    """Whether a value is known, where they cannot be listed."""
    expected: str = ""
    """The values in words, where they cannot be listed."""

    def unknown_in(self, text: str) -> list[str]:
        """The parts of a value that are not known."""
        parts = text.split(",") if self.listed else [text]
        return [part for part in parts if part and not self._knows(part)]

    def _knows(self, part: str) -> bool:
        if self.accepts is not None:
            return bool(self.accepts(part))
        return not self.values or part in self.values


Known = Mapping[str, Parameter]
TEXT: Final = Parameter()
NUMBER: Final = Parameter(
    accepts=lambda text: text.isascii() and text.isdecimal() and len(text) < 10, expected="a whole number"
)


@dataclass(frozen=True)
class Unknown:
    """A parameter of a URL that is not read."""

    name: str
    value: str
    known: str
    """What would be known in its place, in words."""
    is_value: bool
    """Whether only the value is not known."""

    def __str__(self) -> str:
        text = f"{self.name}={self.value}" if self.value else self.name
        return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"

    @property
    def problem(self) -> str:
        """What is wrong and what is known, in a sentence."""
        if self.is_value:
            return f"{self.name} has no value “{self.value[:LONGEST_SHOWN]}”; known: {self.known}."
        return f"There is no parameter “{self.name[:LONGEST_SHOWN]}”; known: {self.known}."


def unknown_parameters(query: QueryDict, known: Known) -> tuple[Unknown, ...]:
    """The parameters of a query string that are not known, by name or by value, in its order; `MOST_SHOWN` at most."""
    unknown: dict[Unknown, None] = {}
    for name, texts in query.lists():
        parameter = known.get(name)
        if parameter is None:
            unknown[Unknown(name, texts[0] if texts else "", _in_words(known), is_value=False)] = None
            continue
        expected = parameter.expected or _in_words(parameter.values)
        for text in texts:
            for part in parameter.unknown_in(text):
                unknown[Unknown(name, part, expected, is_value=True)] = None
    return tuple(unknown)[:MOST_SHOWN]


def _in_words(names: Any) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST_KNOWN_SHOWN} more" if len(listed) > MOST_KNOWN_SHOWN else ""
    return (", ".join(listed[:MOST_KNOWN_SHOWN]) + more) or "none"


View = TypeVar("View", bound=Callable[..., HttpResponse])


def reads(known: Known | Callable[..., Known], *, refuses: bool = False) -> Callable[[View], View]:
    """For a view: declares the parameters of its URL, so that its page names those that it does not read.

    Args:
        known: them, or a function of the view's arguments that returns them.
        refuses: whether the view answers 400 instead, because its answer is a file, where nothing can be said.
    """

    def declaring(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if refuses and request.GET:
                unknown = unknown_parameters(request.GET, known(*args, **kwargs) if callable(known) else known)
                if unknown:
                    return problem_response(400, " ".join(parameter.problem for parameter in unknown))
            return view(request, *args, **kwargs)

        checked.known_parameters = known  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return declaring


def unknown_to_page(request: HttpRequest | None) -> tuple[Unknown, ...]:
    """The parameters of a page's URL that its view does not read; none for views without `reads`."""
    match = request.resolver_match if isinstance(request, HttpRequest) else None
    known = getattr(match.func, "known_parameters", None) if match is not None else None
    if request is None or match is None or known is None or not request.GET:
        return ()
    unknown = unknown_parameters(request.GET, known(**match.kwargs) if callable(known) else known)
    return tuple(parameter for parameter in unknown if not parameter.name.startswith(OF_OTHERS))
