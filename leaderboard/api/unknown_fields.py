"""Fields and files of a request that the API does not read: refused by name, with the nearest known one."""

from collections.abc import Collection, Iterable
from typing import Any

from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import clean

MAX_COMPARISONS = 10_000
MAX_LISTED = 100
MAX_NAME_CHARACTERS = 80


def unknown_fields(
    sent: Iterable[str], sent_files: Iterable[str] = (), *, texts: Collection[str], files: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The fields of a request that are not read: at most `MAX_LISTED`, each name once, with the nearest known name.

    Their ``code`` is ``unknown-field``, ``sent-as-text`` (where a file is expected) or ``sent-as-file``.
    """
    nearest = NearestId((*files, *texts), MAX_COMPARISONS)
    unknown: dict[str, dict[str, Any]] = {}
    for names, here, there, code, advice in (
        (sent, texts, files, "sent-as-text", "Send it as a file, with a file name."),
        (sent_files, files, texts, "sent-as-file", "Send it as a field, without a file name."),
    ):
        for name in names:
            if name in here or len(unknown) == MAX_LISTED:
                continue
            shown = clean(name, MAX_NAME_CHARACTERS)
            field: dict[str, Any] = {
                "name": shown,
                "code": code,
                "nearest": name,
                "message": f"This is not read. {advice}",
            }
            if name not in there:
                near = nearest.find(name)
                hint = f"Did you mean `{near}`?" if near else "Remove it."
                field |= {"code": "unknown-field", "nearest": near, "message": f"This field does not exist. {hint}"}
            unknown[shown] = field
    return list(unknown.values())
