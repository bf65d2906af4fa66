"""The anomalies of a submission's files, as shown to maintainers."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.models import Anomaly, Submission, SubmissionFile
from leaderboard.publishing.flags import MEANINGS, TITLES


@dataclass(frozen=True)
class OtherFile:
    """A file whose answers another file repeats, with all versions that contain them."""

    name: str
    setting: str
    count: int
    """The number of answers in its current version; if that has too few of them, in the newest that has enough."""
    pk: str
    n_older: int
    """The number of other versions with the same answers, which were replaced by it."""
    replaced: bool
    """Whether the counted version was replaced by another."""


@dataclass(frozen=True)
class AnomalyView:
    """An anomaly of a file, as shown to a maintainer."""

    code: str
    title: str
    meaning: str
    setting: str
    version: int
    count: int
    n_answered: int
    questions: list[str]
    others: list[OtherFile]
    facts: list[tuple[str, int]]
    reason: str = ""
    """Why a maintainer confirmed it."""

    @property
    def n_unnamed(self) -> int:
        """The number of further questions that are not named."""
        return max(0, self.count - len(self.questions))


FACTS = {
    "files": "nearly identical files",
    "differing": "answers that differ, at most",
    "limit": "limit of an answer",
    "most": "largest answer",
}


def anomalies_of(submission: Submission) -> list[AnomalyView]:
    """All anomalies of a submission's current files. Three queries."""
    rows = list(
        Anomaly.objects.filter(file__submission=submission, file__replaced_at=None)
        .select_related("file__setting")
        .order_by("file__setting__position", "code")
    )
    named = {other["submission"] for row in rows for other in row.details.get("others", [])}
    names = {str(pk): name for pk, name in Submission.objects.filter(pk__in=named).values_list("pk", "name")}
    others = SubmissionFile.objects.filter(submission__in=named, replaced_at=None).select_related("setting")
    current = {(str(file.submission_id), file.setting.slug): file for file in others}
    return [
        AnomalyView(
            code=row.code,
            title=TITLES.get(row.code, row.code),
            meaning=MEANINGS.get(row.code, ""),
            setting=row.file.setting.name,
            version=row.file.version,
            count=row.count,
            n_answered=row.file.n_answered,
            questions=list(row.details.get("questions", [])),
            others=_others(row, names, current),
            facts=[(FACTS.get(name, name), value) for name, value in row.details.get("facts", {}).items()],
            reason=row.reason,
        )
        for row in rows
    ]


def _others(
    row: Anomaly, names: Mapping[str, str], current: Mapping[tuple[str, str], SubmissionFile]
) -> list[OtherFile]:
    """The files whose answers a file repeats, most repeated first: one for each other file, whatever its versions."""
    versions: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for other in row.details.get("others", []):
        of_file = versions[other["submission"], other["setting"]]
        # Findings from before versions were stored have none: then the number is known, but not the versions.
        of_file[other.get("version", -len(of_file))] = other["count"]
    others = []
    for (pk, setting), counts in versions.items():
        if pk in names:
            file = current.get((pk, setting))
            newest = file.version if file else None
            shown = newest if newest in counts else max(counts)
            replaced = shown > 0 and shown != newest
            label = file.setting.name if file else setting
            others.append(OtherFile(names[pk], label, counts[shown], pk, len(counts) - 1, replaced))
    return sorted(others, key=lambda other: -other.count)
