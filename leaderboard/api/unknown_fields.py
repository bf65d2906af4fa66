"""Fields and files of a request that the API does not read: refused by name, with the nearest known one."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import clean

MAX_COMPARISONS = 10_000
MAX_LISTED = 100
MAX_NAME_CHARACTERS = 80


@dataclass(frozen=True)
class UnknownField:
    """A field or a file that is not read."""

    name: str
    code: str
    """``unknown-field``, ``sent-as-text`` (where a file is expected) or ``sent-as-file``."""
    nearest: str | None
    """The known name that is nearest to it."""
    message: str

    def as_dict(self) -> dict[str, Any]:
        """The field as JSON-ready data."""
        return asdict(self)


def unknown_fields(
    sent: Iterable[str], sent_files: Iterable[str] = (), *, texts: Collection[str], files: Collection[str] = ()
) -> list[UnknownField]:
    """The fields of a request that are not read: at most `MAX_LISTED`, each name once.

    Args:
        sent: the names of the fields.
        sent_files: the names of the parts with files.
        texts: the known names of fields.
        files: the known names of files.
    """
    nearest = NearestId((*files, *texts), MAX_COMPARISONS)
    found: dict[str, UnknownField] = {}
    for names, here, there, code, advice in (
        (sent, texts, files, "sent-as-text", "Send it as a file, with a file name."),
        (sent_files, files, texts, "sent-as-file", "Send it as a field, without a file name."),
    ):
        for name in names:
            if name in here or len(found) == MAX_LISTED:
                continue
            shown = clean(name, MAX_NAME_CHARACTERS)
            if name in there:
                found[shown] = UnknownField(shown, code, name, f"This is not read. {advice}")
            else:
                near = nearest.find(name)
                hint = f"Did you mean `{near}`?" if near else "Remove it."
                found[shown] = UnknownField(shown, "unknown-field", near, f"This field does not exist. {hint}")
    return list(found.values())
