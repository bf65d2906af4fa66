"""Quotas: how many uploads a team or a person may have scored per benchmark in any seven days, and how many files for
a hidden split.

The unit is an *upload*: files sent together, as a new submission or as newer versions of its files. It counts once any
of its files is scored, and while one still may be; an upload that failed through the site's fault, was refused, or was
withdrawn before it had a score does not count, and neither does an import by a command. To a hidden split each accepted
upload counts, whatever became of it: whoever withdraws it may have learnt something. It counts for its team and for
its sender, so that several teams do not multiply a person's quota; only an upload for a team with an exception counts
for that team alone.

For a hidden split, files are counted too, because the scores of each setting's file test a guess: in a day, in 30 days
and in all (`HIDDEN_FILES`), for the same teams and persons, by the same rules.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.access import require_enabled, splits_visible_to
from leaderboard.models import QuotaException, Submission, SubmissionFile, Team, User
from leaderboard.operations import audit
from leaderboard.publishing.errors import SubmissionError
from leaderboard.web.dates import moment_in_words
from scoring.benchmarks import definition_of, definitions
from scoring.models import Benchmark, Run, Split
from scoring.models.run_states import ACTIVE, RunState

WEEK: Final = datetime.timedelta(days=7)
FILE_PERIODS: Final = (
    (datetime.timedelta(days=1), "in the last 24 hours"),
    (datetime.timedelta(days=30), "in the last 30 days"),
    (None, "in all"),
)
"""The periods of `HIDDEN_FILES`, in its order."""
COUNTS: Final = (RunState.DONE, *sorted(ACTIVE))
"""The states of a run with which its upload counts."""
UNKNOWN_TEAM = "The team “{}” does not exist."
UNKNOWN_ACCOUNT = "The account “{}” does not exist."


class QuotaExceededError(SubmissionError):
    """The quota of this week is used up; the message says until when."""

    def __init__(self, quota: Quota) -> None:
        self.quota = quota
        super().__init__(quota.refusal)


@dataclass(frozen=True)
class Quota:
    """A quota of the account or of its team, and how much of it is used."""

    holder: Team | User
    benchmark: str
    limit: int | None
    """``None`` is no limit."""
    used: int
    frees_at: datetime.datetime | None
    """When one more upload will be allowed, if none is now and one ever will be."""
    exception: QuotaException | None = None
    """What a maintainer set for this team or person, if they did."""
    unit: str = "submission"
    """What is counted: submissions, or files for a hidden split."""
    period: str = "in the last seven days"
    n_more: int = 1
    """How many of them are to be sent."""

    @property
    def is_team(self) -> bool:
        """Whether the quota belongs to the team."""
        return isinstance(self.holder, Team)

    @property
    def party(self) -> str:
        """The name of the team or person."""
        return self.holder.name if isinstance(self.holder, Team) else self.holder.get_username()

    @property
    def left(self) -> int | None:
        """How many more uploads are allowed now; ``None`` is no limit."""
        return None if self.limit is None else max(self.limit - self.used, 0)

    @property
    def refusal(self) -> str:
        """Why no more uploads are allowed now; empty if one is, or if there is no limit."""
        if self.left is None or self.left >= self.n_more:
            return ""
        who = f"the team {self.party}" if self.is_team else self.party
        if not self.limit:
            return (
                f"Submissions to {self.benchmark} are not allowed for {who} at the moment. Ask a maintainer "
                "of the site."
            )
        when = "Ask a maintainer for more."
        if self.frees_at:  # rounded up to the minute
            when = f"The next one is possible on {moment_in_words(self.frees_at + datetime.timedelta(seconds=59))}."
        many = f"one {self.unit}" if self.used == 1 else f"{self.used:,} {self.unit}s"
        were = "was" if self.used == 1 else "were"
        more = f" You are sending {self.n_more:,} {self.unit}s." if self.n_more > 1 else ""
        return (
            f"Quota reached: {many} to {self.benchmark} {were} scored for {who} {self.period}, "
            f"including new versions of files. The limit is {self.limit:,}.{more} {when}"
        )


def quotas_of(user: User, benchmark: Benchmark, team: Team | None = None) -> list[Quota]:
    """The quotas that apply to an upload by *user*, for *team* or alone, now: the team's, then their own.

    Two queries for each, one for a quota without a limit.
    """
    return [_quota(holder, benchmark, exception) for holder, exception in _holders(user, benchmark, team)]


def file_quotas_of(user: User, split: Split, team: Team | None = None, n_files: int = 1) -> list[Quota]:
    """The quotas of files that apply to an upload of *n_files* by *user* to a hidden split, for *team* or alone: the
    team's, then their own; none for an open split. Two queries for each."""
    holders = _holders(user, split.benchmark, team) if split.hidden else ()
    return [quota for holder, exception in holders for quota in _file_quotas(holder, split, exception, n_files)]


def _holders(
    user: User, benchmark: Benchmark, team: Team | None
) -> Iterator[tuple[Team | User, QuotaException | None]]:
    """The team and the person for which an upload counts, each with its exception. A team with an exception counts
    alone. One query for each."""
    exception = None
    if team is not None:
        exception = _exception(benchmark, team=team)
        yield team, exception
    if exception is None:
        yield user, _exception(benchmark, user=user)


def _file_quotas(holder: Team | User, split: Split, exception: QuotaException | None, n_files: int) -> list[Quota]:
    general: Sequence[int | None] = settings.HIDDEN_FILES
    times: list[datetime.datetime] = []
    if any(general):
        sent = SubmissionFile.objects.filter(submission__split=split, counts_hidden=True)
        times = list(sent.filter(_sent_for(holder)).order_by("sent_at").values_list("sent_at", flat=True))
    now = timezone.now()
    limits = []
    for of_all, (period, words) in zip(general, FILE_PERIODS, strict=True):
        if of_all is not None:
            limit = of_all + (exception.more_files if exception else 0)
            counted = times if period is None else [at for at in times if at > now - period]
            frees_at = _frees_at(counted, limit, period, n_files)
            benchmark = f"{split.benchmark.name}, {split.name.lower()} split"
            limits.append(Quota(holder, benchmark, limit, len(counted), frees_at, exception, "file", words, n_files))
    return limits


def _frees_at(
    counted: Sequence[datetime.datetime], limit: int, period: datetime.timedelta | None, n_more: int = 1
) -> datetime.datetime | None:
    """When *n_more* fit, if they do not now and will: once the oldest of those counted have left the period."""
    too_many = len(counted) + n_more - limit
    return counted[too_many - 1] + period if period is not None and 0 < too_many <= len(counted) else None


def active_limits(user: User, split: Split, team: Team | None = None) -> list[Quota]:
    """The quotas that have a limit and apply to an upload of one file."""
    limits = [*quotas_of(user, split.benchmark, team), *file_quotas_of(user, split, team)]
    return [quota for quota in limits if quota.limit is not None]


def overview(user: User, benchmark: Benchmark, teams: Sequence[Team]) -> list[Quota]:
    """The quotas of *user*, who may submit alone or for any of *teams*: their own, then the teams', if there is a
    limit. Two queries for each, two more for each and each hidden split, and one."""
    limits = [*quotas_of(user, benchmark), *(quotas_of(user, benchmark, team)[0] for team in teams)]
    n_periods = sum(limit is not None for limit in settings.HIDDEN_FILES)
    for split in splits_visible_to(user).filter(benchmark=benchmark, hidden=True).select_related("benchmark"):
        limits += file_quotas_of(user, split)
        for team in teams:
            limits += file_quotas_of(user, split, team)[:n_periods]  # the team's; the person's own are in the list
    return [quota for quota in limits if quota.limit is not None]


def lock(user: User, team: Team | None = None) -> None:
    """Until the end of the caller's transaction, no other upload of the team or person can be counted.

    Raises:
        PermissionDenied: the account was disabled.
    """
    require_enabled(user)
    # Without "no key", the lock would also block everything that inserts a row with a foreign key to the team.
    if team is not None:
        Team.objects.select_for_update(no_key=True).only("pk").get(pk=team.pk)


def consume(user: User, split: Split, team: Team | None = None, *, n_files: int) -> None:
    """Count one more upload; the caller holds `lock`.

    Raises:
        QuotaExceededError: the quota is used up.
    """
    for quota in (*quotas_of(user, split.benchmark, team), *file_quotas_of(user, split, team, n_files)):
        if quota.refusal:
            raise QuotaExceededError(quota)


def counts_for_sender(benchmark: Benchmark, team: Team | None) -> bool:
    """Whether an upload for *team*, or for none, counts for its sender too, now and later. At most one query."""
    return team is None or _exception(benchmark, team=team) is None


def uncounted(submission: Submission) -> QuerySet[SubmissionFile]:
    """The current files of a submission that count against no quota now, because none of their metrics succeeded; to
    score them is to count them. Imported files never count."""
    current = submission.files.filter(replaced_at=None, imported=False)
    return current.exclude(_counts())


def limit_of_all(benchmark: Benchmark) -> int | None:
    """The quota of a benchmark: the settings' for it, or the one that it declares, or the settings' general one."""
    limits: dict[str, int | None] = settings.SUBMISSIONS_PER_WEEK
    declared = definition_of(benchmark.slug).form.limits.submissions_per_week
    return limits.get(benchmark.slug, limits[""] if declared is None else declared)


def _exception(benchmark: Benchmark, *, team: Team | None = None, user: User | None = None) -> QuotaException | None:
    return QuotaException.objects.filter(benchmark=benchmark, team=team, user=user).first()


def _counted_files(benchmark: Benchmark) -> QuerySet[SubmissionFile]:
    """The files of a benchmark whose uploads count now, including withdrawn and replaced files."""
    return SubmissionFile.objects.filter(
        _counts(),
        submission__split__benchmark=benchmark,
        sent_at__gt=timezone.now() - WEEK,
        imported=False,
    )


def _counts() -> Q:
    """The files that count: those for a hidden split, and those with a score or a run that may still give one."""
    runs = Run.objects.counting().filter(answer_set=OuterRef("answer_set"), state__in=COUNTS)
    return Q(submission__split__hidden=True) | Q(Exists(runs))


def _sent_for(holder: Team | User) -> Q:
    return Q(submission__team=holder) if isinstance(holder, Team) else Q(sent_by=holder, counts_for_sender=True)


def _quota(holder: Team | User, benchmark: Benchmark, exception: QuotaException | None) -> Quota:
    limit = exception.per_week if exception else limit_of_all(benchmark)
    times: list[datetime.datetime] = []
    if limit is not None:
        # Files that were sent together have one time: each pair of submission and time is an upload.
        uploads = _counted_files(benchmark).filter(_sent_for(holder)).order_by("sent_at")
        times = [sent_at for _, sent_at in uploads.values_list("submission", "sent_at").distinct()]
    frees_at = None if limit is None else _frees_at(times, limit, WEEK)
    return Quota(holder, benchmark.name, limit, len(times), frees_at, exception)


# --- For maintainers -----------------------------------------------------------------------------------------------


def of_everybody(benchmark: Benchmark) -> list[Quota]:
    """The quota of every team and person with an upload in the last seven days or an exception, the least remaining
    first.

    The number of queries grows with theirs: at most three for each.
    """
    recent = _counted_files(benchmark).order_by()
    exceptions = list(QuotaException.objects.filter(benchmark=benchmark).select_related("team", "user", "made_by"))
    by_team = {exception.team_id: exception for exception in exceptions}
    by_user = {exception.user_id: exception for exception in exceptions}
    teams = Team.objects.filter(Q(pk__in=recent.values("submission__team")) | Q(pk__in=by_team.keys() - {None}))
    users = User.objects.filter(Q(pk__in=recent.values("sent_by")) | Q(pk__in=by_user.keys() - {None}))
    limits = [_quota(team, benchmark, by_team.get(team.pk)) for team in teams]
    # With the exceptions that were read above, whose makers the page names.
    limits += [replace(quotas_of(user, benchmark)[-1], exception=by_user.get(user.pk)) for user in users]
    return sorted(limits, key=lambda quota: (quota.left is None, quota.left or 0, quota.party))


def unknown_benchmarks() -> list[str]:
    """The names in the setting that are no benchmark of this site: a declared one may not be imported yet."""
    return sorted(set(settings.SUBMISSIONS_PER_WEEK) - {"", *definitions()})


class NobodyError(ValueError):
    """There is no such team or person; the message is for the maintainer."""


@transaction.atomic
def make_exception(
    benchmark: Benchmark,
    *,
    actor: User,
    team: str = "",
    user: str = "",
    per_week: int | None,
    more_files: int = 0,
    note: str = "",
) -> QuotaException:
    """Give a team (by its slug) or else a person (by username) a quota of their own, replacing any earlier one.

    Args:
        per_week: the number of uploads in seven days; ``None`` is no limit.
        more_files: added to each limit of `HIDDEN_FILES`.

    Raises:
        NobodyError: there is no such team or person.
    """
    holder_team = Team.objects.filter(slug=team).first() if team else None
    holder = User.objects.filter(username=user).first() if user else None
    if holder_team is None and holder is None:
        raise NobodyError(UNKNOWN_TEAM.format(team) if team else UNKNOWN_ACCOUNT.format(user))
    made, _ = QuotaException.objects.update_or_create(
        benchmark=benchmark,
        team=holder_team,
        user=holder,
        defaults={
            "per_week": per_week,
            "more_files": more_files,
            "note": note,
            "made_by": actor,
            "made_at": timezone.now(),
        },
    )
    audit.record(actor, "quota.excepted", _target(made), f"{made}. {note}".strip())
    return made


@transaction.atomic
def end_exception(exception: QuotaException, *, actor: User) -> None:
    audit.record(actor, "quota.exception_ended", _target(exception), f"Previous exception: {exception}.")
    exception.delete()


def _target(exception: QuotaException) -> str:
    return f"team {exception.team.slug}" if exception.team else f"account {exception.user}"
