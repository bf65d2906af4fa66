"""The anomalies of a submission's files, as shown to maintainers."""

from dataclasses import dataclass

from leaderboard.models import Anomaly, Submission
from leaderboard.publishing.flags import MEANINGS, TITLES
from scoring.models import Setting


@dataclass(frozen=True)
class OtherFile:
    """A file whose answers another file repeats, in any of its versions."""

    name: str
    setting: str
    count: int
    """The number of answers, in the version that has most of them."""
    pk: str


@dataclass(frozen=True)
class AnomalyView:
    """An anomaly of a file, as shown to a maintainer."""

    code: str
    title: str
    meaning: str
    setting: str
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
    named_files = [other for row in rows for other in row.details.get("others", [])]
    named = {other["submission"] for other in named_files}
    names = {str(pk): name for pk, name in Submission.objects.filter(pk__in=named).values_list("pk", "name")}
    of_benchmark = Setting.objects.filter(benchmark=submission.split.benchmark_id)
    settings = dict(
        of_benchmark.filter(slug__in={other["setting"] for other in named_files}).values_list("slug", "name")
    )

    def others_of(row: Anomaly) -> list[OtherFile]:
        counts: dict[tuple[str, str], int] = {}
        for other in row.details.get("others", []):
            key = other["submission"], other["setting"]
            counts[key] = max(other["count"], counts.get(key, 0))
        others = [
            OtherFile(names[pk], settings.get(setting, setting), count, pk)
            for (pk, setting), count in counts.items()
            if pk in names
        ]
        return sorted(others, key=lambda other: -other.count)

    return [
        AnomalyView(
            code=row.code,
            title=TITLES.get(row.code, row.code),
            meaning=MEANINGS.get(row.code, ""),
            setting=row.file.setting.name,
            count=row.count,
            n_answered=row.file.n_answered,
            questions=list(row.details.get("questions", [])),
            others=others_of(row),
            facts=[(FACTS.get(name, name), value) for name, value in row.details.get("facts", {}).items()],
            reason=row.reason,
        )
        for row in rows
    ]
