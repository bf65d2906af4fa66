"""``manage.py create_study BENCHMARK SPLIT SETTING NAME --owner USER``: make a study."""

import datetime
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from humaneval.grading.access import right_to_make_items
from humaneval.models import Invitation, InvitationKind, Kind, SamplingMethod, Study, Withdrawal
from humaneval.participants import invitations
from humaneval.participants.invitation_links import open_links
from humaneval.studies import services
from humaneval.studies.items import ItemsError
from humaneval.studies.kinds import KINDS
from leaderboard.board.addresses import find_split_and_setting
from leaderboard.models import User
from scoring.models import Question, Split

ACTOR = "manage.py create_study"
ITEM_OPTIONS = {
    "qualification-items": ("n_qualification", "items of known outcome that each person gets first"),
    "qualification-threshold": ("qualification_share", "share of them that must be right, 0 to 1"),
    "injected-share": ("injected_share", "wrong answers added, as a share of the items, 0 to 0.5"),
    "checked-share": ("checked_share", "share of the accepted items that the team checks, 0 to 1"),
}
"""Options for checking answers: the study's columns, with what they mean."""


class Command(BaseCommand):
    """Make a study, as a maintainer does on the website."""

    help = "Create a study on a split and setting, optionally with links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name in ("benchmark", "split", "setting", "name"):
            parser.add_argument(name)
        parser.add_argument("--kind", choices=Kind.values, default=Kind.ANSWER, help="what participants do")
        parser.add_argument("--owner", required=True, metavar="USER", help="username of the owner")
        parser.add_argument("--slug", default="", help="slug in the URL (default: made from the name)")
        parser.add_argument("--questions", type=int, default=10, metavar="N", help="questions per participant")
        parser.add_argument("--seats", type=int, default=14, metavar="N", help="maximum number of participants")
        parser.add_argument("--drawing", choices=SamplingMethod.values, default=SamplingMethod.RANDOM)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--answers-per-question",
            type=int,
            default=1,
            metavar="N",
            help="target answers per question, for balanced sampling",
        )
        parser.add_argument(
            "--ids", type=Path, metavar="FILE", help="file with the fixed list: one question ID per line"
        )
        parser.add_argument("--consent", type=Path, metavar="FILE", help="file with the consent text")
        parser.add_argument("--instructions", type=Path, metavar="FILE")
        parser.add_argument(
            "--attention-checks", type=Path, metavar="FILE", help='JSON file: [{"text": …, "answers": […]}]'
        )
        parser.add_argument(
            "--practice", default="", metavar="ID", help="ID of the practice question; its answer must be public"
        )
        parser.add_argument(
            "--encyclopedia", default="", metavar="ADDRESS", help="encyclopedia source (default: the site's)"
        )
        parser.add_argument("--items", type=Path, metavar="FILE", help="file of items to check or to rate, JSON Lines")
        parser.add_argument("--declaration", type=Path, metavar="FILE", help="what participants rate, TOML")
        for name, (field, help_text) in ITEM_OPTIONS.items():
            usual = getattr(Study(), field)
            parser.add_argument(f"--{name}", type=type(usual), default=usual, dest=field, help=help_text)
        parser.add_argument("--on-withdrawal", choices=Withdrawal.values, default=Withdrawal.DELETE)
        parser.add_argument("--reward", default="", metavar="TEXT", help="reward text for participants")
        parser.add_argument("--opens", metavar="WHEN", help='opening time, ISO 8601 or "now" (default: a draft)')
        parser.add_argument("--closes", metavar="WHEN", help="closing time, ISO 8601")
        parser.add_argument("--links", type=int, default=0, metavar="N", help="create N personal links and print them")
        parser.add_argument(
            "--shared-link", type=int, default=0, metavar="N", help="create one shared link for N people and print it"
        )

        parser.add_argument(
            "--if-missing",
            action="store_true",
            help="if the study --slug exists, create nothing and print its shared links that are not full",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["if_missing"]:
            if not options["slug"]:
                raise CommandError("--if-missing needs --slug.")
            known = Study.objects.filter(slug=options["slug"]).first()
            if known is not None:
                self._print(known, list(open_links(known)))
                return
        board = find_split_and_setting(options["benchmark"], options["split"], options["setting"])
        if board is None:
            asked = "/".join(options[name] for name in ("benchmark", "split", "setting"))
            raise CommandError(f"There is no {asked}. Import the benchmark first.")
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no account {options['owner']}. Create it first.")
        fields: dict[str, Any] = {
            **{name: options[name] for name in ("kind", "slug", "seats", "drawing", "seed", "answers_per_question")},
            **{field: options[field] for field, _ in ITEM_OPTIONS.values()},
            "questions_per_participant": options["questions"],
            "question_ids": _text(options["ids"]).split(),
            "consent_text": _text(options["consent"]),
            "instructions": _text(options["instructions"]),
            "attention_checks": _json(options["attention_checks"]),
            "on_withdrawal": options["on_withdrawal"],
            "reward_note": options["reward"],
            "encyclopedia": options["encyclopedia"].strip(),
            "practice_question": _practice(options["practice"], board[0]),
            "opens_at": _moment(options["opens"], "--opens"),
            "closes_at": _moment(options["closes"], "--closes"),
        }
        split, setting = board
        try:
            with transaction.atomic():
                study = services.create_study(
                    owner=owner, split=split, setting=setting, name=options["name"], by=ACTOR, **fields
                )
                _load(study, options["items"], options["declaration"])
                n_personal, n_shared = options["links"], options["shared_link"]
                links = invitations.invite_many(study, by=ACTOR, n=n_personal) if n_personal else []
                if n_shared:
                    shared = InvitationKind.SHARED
                    links.append(invitations.invite(study, by=ACTOR, kind=shared, limit=n_shared))
        except ValidationError as error:
            problems = [f"{field}: {text}" for field, texts in error.message_dict.items() for text in texts]
            raise CommandError("\n".join(problems)) from error
        except ItemsError as error:
            raise CommandError("\n".join(error.problems)) from error
        except (invitations.InvitationError, PermissionDenied) as error:
            raise CommandError(str(error)) from error
        self._print(study, links)

    def _print(self, study: Study, links: list[Invitation]) -> None:
        what = study.get_drawing_display() if KINDS[study.kind].writes_answers else study.get_kind_display()
        self.stdout.write(f"{study.name} ({study.slug}): {what}; {study.state.label.lower()}.")
        for link in links:
            self.stdout.write(invitations.address_of(link))


def _load(study: Study, items: Path | None, declaration: Path | None) -> None:
    """Load the files that are given, as the owner."""
    kind = KINDS[study.kind]
    for name, path in (("declaration", declaration), ("items", items)):
        taking = [other.kind for other in KINDS.values() if other.form is not None and name in other.form.base_fields]
        if path is not None and kind.kind not in taking:
            raise CommandError(f"--{name} needs {' or '.join(f'--kind {kind}' for kind in taking)}.")
    if items is not None or declaration is not None:
        content = _text(declaration).encode() if declaration else None
        kind.load(study, items, content, right=lambda: right_to_make_items(study.owner, study), by=study.owner)


def _practice(qid: str, split: Split) -> Question | None:
    if not qid:
        return None
    question = services.practice_question(split, qid)
    if question is None:
        raise CommandError(f"--practice: no split of {split.benchmark} with public answers has a question {qid}.")
    return question


def _json(path: Path | None) -> Any:
    if path is None:
        return []
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise CommandError(f"{path}: cannot be read as JSON: {error}") from error


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: cannot be read as UTF-8 text: {error}") from error


def _moment(text: str | None, option: str) -> datetime.datetime | None:
    if not text:
        return None
    if text == "now":
        return timezone.now()
    try:
        moment, day = parse_datetime(text), parse_date(text)
    except ValueError as error:
        raise CommandError(f"{option}: {text!r} is not a valid time: {error}.") from error
    if moment is None and day is not None:
        moment = datetime.datetime.combine(day, datetime.time())
    if moment is None:
        raise CommandError(
            f"{option}: {text!r} is not a valid time. Use the form 2027-01-31 or 2027-01-31T09:00+01:00."
        )
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
