"""The parameters of a URL that a view reads: the API and files refuse others, pages name them.

A view declares the parameters that it reads (`reads`); the others of a query string are named in words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase

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

    def knows(self, part: str) -> bool:
        """Whether a value, or one of those that it lists, is known."""
        if self.accepts is not None and part:
            return bool(self.accepts(part))
        return not part or not self.values or part in self.values


Known = Mapping[str, Parameter]
TEXT: Final = Parameter()
NUMBER: Final = Parameter(
    accepts=lambda text: text.isascii() and text.isdecimal() and len(text) < 10, expected="a whole number"
)


class Unknown(NamedTuple):
    """A parameter of a URL that is not read."""

    name: str
    value: str
    problem: str = ""
    """What is wrong and what is known, in a sentence."""

    def __str__(self) -> str:
        text = f"{self.name}={self.value}" if self.value else self.name
        return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def unknown_parameters(query: QueryDict, known: Known) -> list[Unknown]:
    """The parameters of a query string that are not known, by name or by value, in its order; `MOST_SHOWN` at most."""
    unknown = []
    for name, texts in query.lists():
        if name not in known:
            problem = f"There is no parameter “{name[:LONGEST_SHOWN]}”; known: {_in_words([*known])}."
            unknown.append(Unknown(name, "".join(texts[:1]), problem))
            continue
        parameter = known[name]
        expected = parameter.expected or _in_words(parameter.values)
        for part in chain.from_iterable(text.split(",") if parameter.listed else [text] for text in texts):
            if not parameter.knows(part):
                problem = f"{name} has no value “{part[:LONGEST_SHOWN]}”; known: {expected}."
                unknown.append(Unknown(name, part, problem))
    return list(dict.fromkeys(unknown))[:MOST_SHOWN]


def _in_words(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_KNOWN_SHOWN} more" if len(names) > MOST_KNOWN_SHOWN else ""
    return (", ".join(names[:MOST_KNOWN_SHOWN]) + more) or "none"


View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def reads(known: Known | Callable[..., Known], *, refuses: bool = False) -> Callable[[View], View]:
    """For a view: declares the parameters of its URL, so that its page names those that it does not read.

    Args:
        known: them, or a function of the view's arguments that returns them.
        refuses: whether the view answers 400 instead, because its answer is a file, where nothing can be said.

    The page finds them in ``request.ignored``.
    """

    def declaring(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            unknown = []
            if request.GET:
                unknown = unknown_parameters(request.GET, known(*args, **kwargs) if callable(known) else known)
            if refuses and unknown:
                return problem_response(400, " ".join(parameter.problem for parameter in unknown))
            request.ignored = [one for one in unknown if not one.name.startswith(OF_OTHERS)]  # type: ignore[attr-defined]
            return view(request, *args, **kwargs)

        return checked  # type: ignore[return-value]

    return declaring


def name_ignored(request: HttpRequest, **shown: str) -> None:
    """Have a page name those parameters of its URL that ask for something else than it shows.

    Args:
        request: of a view with `reads`.
        shown: what the page shows for parameters whose known values are in the database.
    """
    asked = {name: request.GET.get(name, "") for name in shown}
    ignored = [Unknown(name, value) for name, value in asked.items() if value not in ("", shown[name])]
    request.ignored += ignored  # type: ignore[attr-defined]
