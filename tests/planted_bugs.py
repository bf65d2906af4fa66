"""Plants small bugs one at a time in a copy of the repository, and says which of them the tests do not notice.

Run by hand: ``python -m tests.planted_bugs [WORD …]``, with words to choose bugs by file. Each bug is a text of a file,
replaced by another, and the test files that should fail then; these run on SQLite, without slow tests. Before that, all
of them run once without a bug. Exit status: 0 if every bug is noticed, otherwise 1.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
PASSED, FAILED = 0, 1
"""Exit statuses of pytest: anything else is no result."""


class Bug(NamedTuple):
    """A bug: what it does, where it is planted, and the test files that should notice it."""

    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


BUGS: Final = (
    # --- scoring ---------------------------------------------------------------------------------------------------
    Bug(
        "strict accuracy forgives one missing item",
        "scoring/metrics/string_accuracy.py",
        "return (n_top - missing) / n_top, not missing",
        "return (n_top - missing) / n_top, missing < 2",
        ("tests/scoring/metrics/test_string_accuracy.py",),
    ),
    Bug(
        "underscores join names into one",
        "scoring/analysis/probing.py",
        '_PART: Final = re.compile(r"[^\\W_]+")',
        '_PART: Final = re.compile(r"\\w+")',
        ("tests/leaderboard/publishing/test_flags.py",),
    ),
    Bug(
        "repeated predictions of a list count each time",
        "scoring/metrics/list_f1.py",
        "        different = set(predictions)",
        "        different = predictions",
        ("tests/scoring/metrics/test_list_f1.py",),
    ),
    Bug(
        "the variance over people is not corrected for their number",
        "scoring/statistics/means.py",
        "variance = (sums**2 / (1 - shares)).sum(axis=1) / total**2",
        "variance = (sums**2).sum(axis=1) / total**2",
        ("tests/scoring/statistics/test_means.py",),
    ),
    Bug(
        "corrected scores weight every graded answer alike",
        "scoring/statistics/corrections.py",
        "return indices, 1 / chances[indices]",
        "return indices, np.ones(len(indices))",
        ("tests/scoring/statistics/test_corrections.py",),
    ),
    Bug(
        "a corrected score is shown however few grades there are",
        "scoring/statistics/corrections.py",
        "    if len(sample.grades) < FEWEST_GRADES:",
        "    if len(sample.grades) < 1:",
        ("tests/scoring/statistics/test_corrections.py",),
    ),
    Bug(
        "a worker renews a lease that another one has",
        "scoring/runs/leases.py",
        "    if not _leased_by(run_id, token).update(**changes):",
        "    if not Run.objects.filter(pk=run_id).update(**changes):",
        ("tests/reliability/test_leases.py",),
    ),
    Bug(
        "the cap of a month replaces that of a submission",
        "scoring/runs/judging/budget.py",
        "    return min(bounds, default=UNLIMITED)",
        "    return bounds[-1] if bounds else UNLIMITED",
        ("tests/scoring/runs/judging/test_budget.py",),
    ),
    Bug(
        "the judge is asked again about answers that it refused",
        "scoring/runs/judging/items.py",
        "            if not history.given_up and history.n_against",
        "            if history.n_against",
        ("tests/scoring/runs/judging/test_execution.py",),
    ),
    Bug(
        "an older revision becomes current",
        "scoring/importing/revisions.py",
        "current is None or date >= current.date)",
        "current is None or True)",
        ("tests/scoring/importing/test_revisions.py",),
    ),
    Bug(
        "a subset is as hidden as its own row says",
        "scoring/models/benchmarks.py",
        "return self.hidden if self.subset_of is None else self.subset_of.hidden",
        "return self.hidden",
        ("tests/leaderboard/board/test_subsets.py",),
    ),
    Bug(
        "groups of questions with almost equal outcomes are shown",
        "scoring/analysis/categories.py",
        "    return int((values > 0).sum()) < fewest or int((values < 1).sum()) < fewest",
        "    return int((values > 0).sum()) < fewest",
        ("tests/scoring/analysis/test_categories.py",),
    ),
    Bug(
        "scores on two revisions are shown beside each other",
        "scoring/queries.py",
        "    return runs.exclude(Q(several) & (Q(elsewhere) | (~Q(here) & Q(later))))",
        "    return runs",
        ("tests/leaderboard/maintenance/test_rescoring.py",),
    ),
    Bug(
        "answers to removed questions are unknown ids",
        "scoring/queries.py",
        'sorted(qid for qid in earlier.values_list("qid", flat=True).distinct() if qid not in known), retired_by',
        "(), retired_by",
        ("tests/scoring/importing/test_revisions.py", "tests/leaderboard/submissions/test_intake.py"),
    ),
    Bug(
        "a line has one byte more than allowed",
        "scoring/generations/lines.py",
        '\n        yield Line(number, start, length, line_head, b"".join(parts) if length <= max_line_bytes else',
        '\n        yield Line(number, start, length, line_head, b"".join(parts) if length <= max_line_bytes + 1 else',
        ("tests/scoring/generations/test_limits.py", "tests/scoring/generations/test_reader.py"),
    ),
    Bug(
        "any number of lines that are not JSON is explained",
        "scoring/files/json_values.py",
        "        if len(mistakes) > MAX_MISTAKES:\n            return\n        if line.content is None:",
        "        if line.content is None:",
        ("tests/scoring/benchmarks/test_declared.py",),
    ),
    # --- leaderboard -----------------------------------------------------------------------------------------------
    Bug(
        "everybody learns which hidden questions a metric misreads",
        "leaderboard/pages/data_card.py",
        "if for_maintainer or not split.hidden else []",
        "if True else []",
        ("tests/scoring/benchmarks/test_copies.py",),
    ),
    Bug(
        "an email is sent although its kind is turned off",
        "leaderboard/accounts/mails.py",
        "mail.kind in {*kinds_for(user)} - {*user.muted_mails}",
        "mail.kind in {*kinds_for(user)}",
        ("tests/leaderboard/accounts/test_mails.py",),
    ),
    Bug(
        "an email is deleted before it is sent",
        "leaderboard/accounts/mails.py",
        "        try:\n            user = mail.user",
        "        Mail.objects.filter(pk=mail.pk).delete()\n        try:\n            user = mail.user",
        ("tests/leaderboard/accounts/test_mails.py",),
    ),
    Bug(
        "the list of one's submissions shows scores that wait for a maintainer",
        "leaderboard/submissions/queries.py",
        "DisclosureRule.of_submissions(split, of_split)",
        "DisclosureRule.of(split)",
        ("tests/leaderboard/submissions/test_queries.py",),
    ),
    Bug(
        "who sent a team's submission may change it after leaving the team",
        "leaderboard/access.py",
        "    if submission.team_id is None:\n        return submission.owner_id == user.pk",
        "    if submission.team_id is None or submission.owner_id == user.pk:\n        return True",
        ("tests/leaderboard/accounts/teams/test_teams.py",),
    ),
    Bug(
        "private answers can become public",
        "leaderboard/access.py",
        "    if entry.shows_answers and not entry.split.hidden:",
        "    if entry.shows_answers:",
        ("tests/leaderboard/publishing/test_publishing.py",),
    ),
    Bug(
        "an invitation to a team never expires",
        "leaderboard/models/people.py",
        'can no longer be accepted."""\n        return self.expires_at <= timezone.now()',
        'can no longer be accepted."""\n        return self.expires_at is None',
        ("tests/leaderboard/accounts/teams/test_teams.py",),
    ),
    Bug(
        "a quota admits one submission too many",
        "leaderboard/submissions/quotas.py",
        "return None if self.limit is None else max(self.limit - self.used, 0)",
        "return None if self.limit is None else max(self.limit + 1 - self.used, 0)",
        ("tests/leaderboard/submissions/test_quotas.py",),
    ),
    Bug(
        "numbers of hidden splits keep all their digits",
        "leaderboard/disclosure.py",
        "        return round(value, column.digits) + 0.0  # no -0.0",
        "        return value + 0.0",
        ("tests/leaderboard/test_disclosure.py",),
    ),
    Bug(
        "rank ranges of a hidden split are those of an open one",
        "leaderboard/board/standings.py",
        "            caution=inputs.rule.rank_caution(keys),\n",
        "",
        ("tests/leaderboard/test_disclosure.py",),
    ),
    Bug(
        "pass@k of a hidden split is shown before a maintainer approves it",
        "leaderboard/disclosure.py",
        'return BEST_OF_K_WITHHELD if self.hidden and not self.pass_at_approved else ""',
        'return ""',
        ("tests/leaderboard/board/test_attempts.py",),
    ),
    Bug(
        "scores of mostly empty files are shown",
        "leaderboard/disclosure.py",
        "if n_answered is not None and n_items and n_answered < settings.MIN_ANSWERED_SHARE * n_items:",
        "if n_answered is not None and n_items and n_answered < 0.1 * settings.MIN_ANSWERED_SHARE * n_items:",
        ("tests/leaderboard/test_disclosure.py",),
    ),
    Bug(
        "twice as many requests pass around the boundary of a window",
        "leaderboard/web/rate_limits.py",
        "        used = previous * (1 - passed) + current",
        "        used = current",
        ("tests/leaderboard/web/test_rate_limits.py",),
    ),
    Bug(
        "a row without numbers replaces one with numbers",
        "leaderboard/board/sources.py",
        "                *(entry.pk not in keys for keys in numbers),\n",
        "",
        ("tests/leaderboard/board/test_sources.py",),
    ),
    Bug(
        "the oldest of a system's sources is its row",
        "leaderboard/board/sources.py",
        "                -entry.published_at.timestamp(),",
        "                entry.published_at.timestamp(),",
        ("tests/leaderboard/board/test_sources.py",),
    ),
    Bug(
        "a switch takes scores away from rows without being forced",
        "leaderboard/maintenance/rescoring.py",
        "        if lost and not even_if_incomplete:",
        "        if len(lost) > 1 and not even_if_incomplete:",
        ("tests/leaderboard/maintenance/test_rescoring.py",),
    ),
    Bug(
        "people and systems can be merged",
        "leaderboard/publishing/merges.py",
        "    if system.is_human != target.is_human:",
        "    if system.pk == target.pk:",
        ("tests/leaderboard/board/test_sources.py",),
    ),
    Bug(
        "re-scoring counts the runs of withdrawn submissions",
        "leaderboard/maintenance/rescoring.py",
        "counting().filter(answer_set__in=scorable, revision__in=revisions)",
        "counting().filter(revision__in=revisions)",
        ("tests/leaderboard/maintenance/test_rescoring.py",),
    ),
    Bug(
        "senders to a hidden split learn the number of criteria",
        "leaderboard/maintenance/judge_spending.py",
        '"shows_counts": not is_private,',
        '"shows_counts": True,',
        ("tests/leaderboard/maintenance/test_judge_spending.py",),
    ),
    Bug(
        "the name of another's system needs no approval",
        "leaderboard/publishing/flags.py",
        "    return bool(same) or names.is_published(name)",
        "    return names.is_published(name)",
        ("tests/leaderboard/publishing/test_flags.py",),
    ),
    Bug(
        "an account may look like another",
        "leaderboard/accounts/adapters.py",
        "        if not shallow and User.look_alikes(cleaned).exists():",
        "        if shallow and User.look_alikes(cleaned).exists():",
        ("tests/leaderboard/accounts/test_accounts.py",),
    ),
    Bug(
        "a spreadsheet runs a formula in an exported name",
        "leaderboard/board/exports/csv.py",
        '_FORMULA.sub(r"\\1\\2\'", text.replace("\\0", ""))',
        'text.replace("\\0", "")',
        ("tests/leaderboard/board/exports/test_exports.py",),
    ),
    Bug(
        "a publication that waits for the switch never joins the board",
        "leaderboard/publishing/services.py",
        "requests.newest_publication(submission) and not requests.awaits_switch(submission):",
        "requests.newest_publication(submission) and requests.awaits_switch(submission):",
        ("tests/leaderboard/maintenance/test_rescoring.py",),
    ),
    Bug(
        "an anonymous row can be hidden for longer than allowed",
        "leaderboard/publishing/requests.py",
        "    if not today < day <= today + datetime.timedelta(days=MAX_ANONYMOUS_DAYS):",
        "    if not today < day:",
        ("tests/leaderboard/publishing/test_publishing.py",),
    ),
    # --- humaneval -------------------------------------------------------------------------------------------------
    Bug(
        "a grader's first grade counts instead of the newest",
        "humaneval/grading/current_grades.py",
        '.order_by("graded_answer__position", "slot__grader__number", "version")',
        '.order_by("graded_answer__position", "slot__grader__number", "-version")',
        ("tests/humaneval/grading/test_desk.py",),
    ),
    Bug(
        "drafts are scored as answers",
        "humaneval/studies/queries.py",
        "COMPLETE: Final = HAS_TEXT & (FINISHED | Q(participant__study__counts_unfinished=True))",
        "COMPLETE: Final = HAS_TEXT",
        ("tests/humaneval/results/test_results.py",),
    ),
    Bug(
        "undecided items do not lower the share of accepted ones",
        "humaneval/results/item_votes.py",
        "    voted = [row for row in rows if row.votes.total()]",
        "    voted = [row for row in rows if row.by_votes is not None]",
        ("tests/humaneval/test_items.py",),
    ),
    Bug(
        "a participant's later deadline is ignored",
        "humaneval/answering/session.py",
        "        closes = max(closes, participant.extended_until)",
        "        pass",
        ("tests/humaneval/participants/test_invitations.py", "tests/humaneval/answering/test_pages.py"),
    ),
    Bug(
        "answers can be changed after the study was finished",
        "humaneval/answering/session.py",
        "    if participant.finished_at:\n        raise",
        "    if participant.finished_at and participant.is_preview:\n        raise",
        ("tests/humaneval/answering/test_pages.py",),
    ),
    Bug(
        "a text that another tab saved is overwritten",
        "humaneval/answering/answers.py",
        "    if base_version != row.version:",
        "    if base_version > row.version:",
        ("tests/humaneval/answering/test_answers.py",),
    ),
    Bug(
        "graders grade their team's answers",
        "humaneval/grading/desk/services.py",
        'Q(**{f"{of}__owner": grader.user_id}) | Q(**{f"{of}__team__memberships__user": grader.user_id})',
        'Q(**{f"{of}__owner": grader.user_id})',
        ("tests/humaneval/grading/test_desk.py",),
    ),
    Bug(
        "a wrong statement costs no letter",
        "humaneval/grading/grade_scores.py",
        "        if self.contradicts or self.extra_wrong:",
        "        if self.contradicts:",
        ("tests/humaneval/grading/test_grade_scores.py",),
    ),
    Bug(
        "articles with equal titles are the same, whatever their ids",
        "humaneval/studies/evidence_measures.py",
        "    if page_id is not None and other_page_id is not None:\n        return page_id == other_page_id\n",
        "",
        ("tests/humaneval/studies/test_evidence_measures.py",),
    ),
)


def main(words: list[str]) -> int:
    """Plant the bugs whose file contains one of the words, or all; print each with what the tests say."""
    bugs = [bug for bug in BUGS if not words or any(word in bug.file for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        _copy_repository(copy)
        tests = sorted({name for bug in bugs for name in bug.tests})
        if (status := _run(copy, tests)) != PASSED:
            print(f"Without a bug, the tests fail (pytest exits with {status}). Repair them first.")
            return 1
        survivors = [bug for bug in bugs if not _is_noticed(copy, bug)]
    print(f"{len(bugs) - len(survivors)} of {len(bugs)} bugs were noticed.")
    for bug in survivors:
        print(f"survived: {bug.what} ({bug.file})")
    return 1 if survivors else 0


def _copy_repository(to: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def _is_noticed(copy: Path, bug: Bug) -> bool:
    file = copy / bug.file
    text = file.read_text(encoding="utf-8")
    if text.count(bug.old) != 1:
        raise SystemExit(f"{bug.file} has {bug.old!r} {text.count(bug.old)} times, expected once. Correct the table.")
    file.write_text(text.replace(bug.old, bug.new), encoding="utf-8")
    began = time.monotonic()
    status = _run(copy, bug.tests)
    file.write_text(text, encoding="utf-8")
    said = {PASSED: "SURVIVED", FAILED: "noticed"}.get(status, f"NO RESULT, pytest exits with {status}")
    print(f"{said:8}  {time.monotonic() - began:4.0f} s  {bug.what} ({bug.file})", flush=True)
    return status == FAILED


def _run(copy: Path, tests: "list[str] | tuple[str, ...]") -> int:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
