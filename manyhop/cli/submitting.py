"""Commands on one's own submissions: ``submit``, ``status``, ``publish``, ``withdraw``,
``facts``."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from manyhop import calls, records
from manyhop.cli import DONE, REFUSED, WARNED
from manyhop.cli.running import UnusableError, add_json, client_of, new_parser, print_json, print_table
from manyhop.client import Client
from manyhop.errors import NoAnswerError
from scoring.cli.progress import ProgressLine
from scoring.generations.attempts import ANY_NUMBER, AttemptRule, in_words
from scoring.generations.keys import answer_key
from scoring.generations.problems import FROM_LOG, title_of
from scoring.generations.reader import Limits
from scoring.logs.log import LogError
from scoring.logs.reading import read_answers
from scoring.task_types import TASK_TYPES

ONCE = "Run the same command again: the same files and fields are never submitted twice."
LIMIT = 2**32
"""The size of a file that is read; the site's own limit is narrower and is said by the site."""


def parser(command: str) -> argparse.ArgumentParser:
    if command == "submit":
        return _submit_parser()
    if command == "facts":
        return _facts_parser()
    purposes = {
        "status": "List the submissions of your account and teams, or show one with its runs and scores.",
        "publish": "Publish a submission on its leaderboards, exactly as it was just shown. Where a maintainer must "
        "approve, this requests\npublication.",
        "withdraw": "Withdraw a submission for good: it leaves its leaderboards, and is never scored again.",
    }
    examples = {
        "status": "  manyhop status\n  manyhop status 0b9f… --wait\n",
        "publish": "  manyhop publish 0b9f…\n  manyhop publish 0b9f… --anonymous-until 2027-03-01\n",
        "withdraw": "  manyhop withdraw 0b9f… --yes\n",
    }
    made = new_parser(command, purposes[command], examples[command])
    made.add_argument("id", nargs="?" if command == "status" else None, metavar="ID", help="of the submission")
    if command == "status":
        made.add_argument("--wait", action="store_true", help="wait until everything is scored")
    if command == "publish":
        made.add_argument(
            "--anonymous-until",
            type=datetime.date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="show a pseudonym until this day, for double-blind review",
        )
        made.add_argument("--show-answers", action="store_true", help="make the answers public too")
        made.add_argument("--show-traits", action="store_true", help="show type and attributes while it is anonymous")
    if command == "withdraw":
        made.add_argument("--yes", action="store_true", help="do not ask")
    add_json(made)
    return made


def _submit_parser() -> argparse.ArgumentParser:
    submit = new_parser(
        "submit",
        "Check files of answers, submit them, and wait until they are scored. Nothing is sent if a file cannot be\n"
        "used. The log of a framework (.eval of inspect_ai, …) is sent as it is: the site takes its generations and\n"
        "run facts, and stores nothing else of it (`manyhop import` takes them on this computer). Repeating the\n"
        "command with the same files and fields finds the first submission again, after a lost connection or Ctrl-C,\n"
        "and never makes a second one (for seven days).",
        "  manyhop submit openbook=generations.jsonl --benchmark fanoutqa --split test \\\n"
        '      --name "My system" --authors "A. Author" --type PROMPT\n'
        "  manyhop submit closedbook=a.jsonl openbook=b.jsonl.gz … --field context_size=128000 --no-wait --json\n",
    )
    submit.add_argument("files", nargs="+", metavar="SETTING=FILE", help="one file of answers for each setting")
    submit.add_argument("--benchmark", metavar="NAME", help="(default: the site's first)")
    submit.add_argument("--split", required=True, metavar="NAME")
    submit.add_argument("--name", required=True, help="the system's name, as on the leaderboard")
    submit.add_argument("--authors", required=True)
    submit.add_argument("--type", required=True, help="FOUNDATION, FINETUNE, PROMPT or OTHER")
    for name in ("url", "citation", "details", "team", "separator"):
        submit.add_argument(f"--{name}", metavar="TEXT")
    submit.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an attribute that the benchmark declares (`manyhop benchmarks NAME --json` lists them)",
    )
    submit.add_argument("--facts", type=Path, metavar="FILE", help="the run facts, as JSON")
    submit.add_argument("--answer-field", metavar="FIELD", help="where a log has the answers, if not as usual")
    submit.add_argument("--check-only", action="store_true", help="let the site check everything, and store nothing")
    submit.add_argument("--no-wait", action="store_true", help="do not wait for the scores")
    submit.add_argument("--again", metavar="WORD", help="make a second submission of the same content, named by a word")
    add_json(submit)
    return submit


def _facts_parser() -> argparse.ArgumentParser:
    facts = new_parser(
        "facts",
        "Change what a system of yours states of itself: its name, authors, url, citation, type, details, attributes,\n"
        "run facts (run_facts.NAME) and what a run took (usage.BENCHMARK.SPLIT.SETTING.NAME). Scores stay; a new name\n"
        "has a new address, to which the old one redirects.",
        "  manyhop facts my-system run_facts.model=openai/gpt-4o-2024-11-20 run_facts.access=api\n"
        "  manyhop facts my-system usage.fanoutqa.test.openbook.cost_usd=12.5 url=\n",
    )
    facts.add_argument("system", metavar="SYSTEM", help="the slug of its page, or the id of a submission")
    facts.add_argument("facts", nargs="+", metavar="NAME=VALUE", help="without a value: not stated any more")
    add_json(facts)
    return facts


def run(command: str, options: argparse.Namespace) -> int:
    with client_of(options) as client:
        return _COMMANDS[command](client, options)


# Submit ---------------------------------------------------------------------------------------------------------------


def _submit(client: Client, options: argparse.Namespace) -> int:
    files = {name: Path(path) for name, path in (_pair(text, "SETTING=FILE") for text in options.files)}
    benchmark = client.benchmark(options.benchmark or client.benchmarks()[0].slug)
    ids = {question.id for question in client.questions(benchmark.slug, options.split)}
    try:
        facts = json.loads(options.facts.read_bytes()) if options.facts else {}
    except ValueError as error:
        raise UnusableError(
            f"{options.facts}: expected an object of JSON, as manyhop import writes it ({error})"
        ) from None
    exactly = next((split.attempts for split in benchmark.splits if split.slug == options.split), None)
    rule = AttemptRule(exactly or 0, "as this split takes")
    known = benchmark.task_type, ids, options, rule
    usable = [_check(name, path, *known, takes_citations=benchmark.takes_citations) for name, path in files.items()]
    if not all(usable):
        raise UnusableError("Nothing was sent.")
    fields: dict[str, Any] = {"benchmark": benchmark.slug}
    for name in ("split", "name", "authors", "type", "url", "citation", "details", "team", "separator", "answer_field"):
        fields |= {name: getattr(options, name)} if getattr(options, name) is not None else {}
    fields |= ({"run_facts": json.dumps(facts)} if facts else {}) | dict(map(_pair, options.field))
    if options.check_only:
        validation = client.validate(files, **fields)
        if options.json:
            return print_json(validation)
        print("The site would accept this submission.")
        for quota in validation.quotas:
            whose = "your team" if quota.team else "you"
            print(f"Used by {whose} of the quota of {quota.limit} {quota.unit}s ({quota.period}): {quota.used}")
        return DONE
    call = calls.submit(files, **fields)
    if options.again:
        call = replace(call, key=f"{call.key[:32]}-{options.again}")
    try:
        with ProgressLine("Bytes sent", hidden=options.json) as progress:
            submission = client.send(call, progress)
    except NoAnswerError as error:
        raise NoAnswerError(f"{error}\n{ONCE}") from error
    print(f"Submitted: {urljoin(client.site, submission.url)} ({submission.id})", file=sys.stderr)
    if not options.no_wait:
        submission = _wait(client, submission.id, options)
    return _show(submission, options)


def _pair(text: str, expected: str = "NAME=VALUE") -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name or not value:
        raise UnusableError(f"{text}: expected {expected}")
    return name, value


def _check(
    setting: str,
    path: Path,
    task_type: str,
    ids: set[str],
    options: argparse.Namespace,
    attempts: AttemptRule = ANY_NUMBER,
    *,
    takes_citations: bool = False,
) -> bool:
    """Check a file as far as this computer can, and say what is wrong with it; returns whether to send it.

    Ids are left to the site, unless there is not one of this split: the site knows those of earlier revisions.
    """
    task = TASK_TYPES.get(task_type)
    if setting.endswith("_passages") or task is None:
        return True
    with path.open("rb") as stream:
        try:
            report = read_answers(
                stream,
                path.name,
                known=None,
                ids=ids,
                limits=Limits(max_bytes=LIMIT),
                answer_format=replace(task.answer_format(options.separator), takes_citations=takes_citations),
                answer_field=options.answer_field or "",
            ).report
        except LogError as error:
            for problem in error.problems:
                print(f"{path}: error: {problem}", file=sys.stderr)
            return False
    for group in report.groups:
        for line in group.as_lines(in_full=group.code == FROM_LOG):
            print(f"{path}: {group.severity.value}: {line}", file=sys.stderr)
    k = report.n_attempts
    keys = [answer_key(question_id, attempt, k) for question_id in ids for attempt in range(1, k + 1)]
    n_answered = sum(task.is_answered(report.answers.get(key)) for key in keys) // k
    if 0 < n_answered < len(ids):
        title = title_of("missing-answer", len(ids) - n_answered, len(ids))
        print(f"{path}: warning: {title}", file=sys.stderr)
    print(f"{path}: {n_answered:,} of {len(ids):,} questions answered ({setting})", file=sys.stderr)
    if report.ok and report.answers.keys().isdisjoint(keys):
        print(f"{path}: error: none of its ids is a question of this split", file=sys.stderr)
        return False
    if report.ok and attempts.exactly not in (0, k):
        problem = f"{in_words(k)}; expected {attempts.expected}. {attempts.fix}"
        print(f"{path}: error: {problem}", file=sys.stderr)
        return False
    return report.ok


def _wait(client: Client, uuid: str, options: argparse.Namespace) -> records.Submission:
    with ProgressLine("Scored", hidden=options.json) as progress:

        def report(submission: records.Submission) -> None:
            runs = [run for file in submission.files for run in file.runs]
            progress(sum(run.done for run in runs), sum(run.total for run in runs))

        return client.wait(uuid, report)


# The others -----------------------------------------------------------------------------------------------------------


def _status(client: Client, options: argparse.Namespace) -> int:
    if options.id is None:
        lines = client.submissions()
        if options.json:
            return print_json(lines)
        rows = [
            [line.id, line.state, "yes" if line.is_public else "no", f"{line.benchmark}/{line.split}", line.name]
            for line in lines
        ]
        print_table(["ID", "STATE", "PUBLIC", "SPLIT", "NAME"], rows)
        return DONE
    return _show(_wait(client, options.id, options) if options.wait else client.submission(options.id), options)


def _show(submission: records.Submission, options: argparse.Namespace) -> int:
    """Print a submission; the exit code says whether a metric failed."""
    failed = any(run.state == "failed" for file in submission.files for run in file.runs)
    if options.json:
        print_json(submission)
        return WARNED if failed else DONE
    print(f"{submission.name}, {submission.benchmark}/{submission.split}: {submission.state}\n")
    rows: list[list[object]] = []
    for file in submission.files:
        for run in file.runs:
            if not run.scores:
                rows.append([file.setting, run.metric, run.state, None, None, None, run.reason])
            rows += [
                [file.setting, score.name, run.state, score.value, score.low, score.high, score.reason]
                for score in run.scores
            ]
    print_table(["SETTING", "SCORE", "STATE", "VALUE", "LOW", "HIGH", "REASON"], rows)
    for review in submission.reviews:
        print(f"\n{review.setting}: {review.title}. A maintainer decides whether these scores are shown.")
    for hold in submission.holds:
        print(f"\n{hold.setting}: held. A maintainer decides whether these scores are shown.")
    if submission.can_publish and not submission.is_public:
        print(f"\nPublish it with: manyhop publish {submission.id}")
    return WARNED if failed else DONE


def _publish(client: Client, options: argparse.Namespace) -> int:
    before = client.submission(options.id)
    asked: dict[str, Any] = {"seen": before.publication.fingerprint, "shows_answers": options.show_answers}
    if options.anonymous_until is not None:
        asked |= {"anonymous_until": options.anonymous_until.isoformat(), "shows_traits": options.show_traits}
    submission = client.publish(options.id, **asked)
    if options.json:
        return print_json(submission)
    state = submission.publication.state
    print(f"{submission.name}: {'on its leaderboards' if submission.is_public else state}.")
    if submission.is_public:
        for file in submission.files:
            print(f"Show it with: manyhop board {submission.benchmark}/{submission.split}/{file.setting}")
    return DONE


def _withdraw(client: Client, options: argparse.Namespace) -> int:
    before = client.submission(options.id)
    if not options.yes:
        if not sys.stdin.isatty():
            raise UnusableError("This cannot be undone. Confirm it with --yes.")
        answer = input(f"Withdraw {before.name!r} for good? This cannot be undone. Type yes: ")
        if answer.strip().lower() != "yes":
            print("Nothing was changed.", file=sys.stderr)
            return REFUSED
    submission = client.withdraw(options.id)
    if options.json:
        return print_json(submission)
    print(f"{submission.name}: {submission.state}.")
    return DONE


def _facts(client: Client, options: argparse.Namespace) -> int:
    sent: dict[str, Any] = {}
    for text in options.facts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UnusableError(f"{text}: expected NAME=VALUE")
        sent[name] = value or None
    try:
        changed = client.change_submission(str(uuid.UUID(options.system)), **sent)
    except ValueError:
        system = client.change_system(options.system, **sent)
        if options.json:
            return print_json(system)
        print(f"{system.name}: the facts are saved. {urljoin(client.site, system.page)}")
        return DONE
    if options.json:
        return print_json(changed)
    print(f"{changed.name}: the facts are saved. {urljoin(client.site, changed.url)}")
    return DONE


_COMMANDS = {"facts": _facts, "submit": _submit, "status": _status, "publish": _publish, "withdraw": _withdraw}
