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

from humaneval.grading.access import right_to_make_items
from humaneval.models import Invitation, InvitationKind, Study
from humaneval.participants import invitations
from humaneval.participants.invitations import open_links
from humaneval.studies import services
from humaneval.studies.form_fields import moment_field
from humaneval.studies.items import ItemsError
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning_forms import entries_from
from leaderboard.board.lookup import find_split_and_setting
from leaderboard.models import User
from scoring.models import Question, Split

ACTOR = "manage.py create_study"
COLUMNS = {
    "kind": "kind",
    "slug": "slug",
    "questions": "questions_per_participant",
    "seats": "seats",
    "drawing": "drawing",
    "seed": "seed",
    "answers-per-question": "answers_per_question",
    "release-hours": "release_hours",
    "encyclopedia": "encyclopedia",
    "qualification-items": "n_qualification",
    "qualification-threshold": "qualification_share",
    "test-attempts": "test_attempts",
    "injected-share": "injected_share",
    "checked-share": "checked_share",
    "on-withdrawal": "on_withdrawal",
    "reward": "reward_note",
    "keeps-texts-days": "keeps_texts_days",
    "keeps-codes-days": "keeps_codes_days",
}
"""Options that set a column of the study as it is; type, default, choices and help are the column's."""


class Command(BaseCommand):
    """Make a study, as a maintainer does on the website."""

    help = "Create a study on a split and setting, optionally with links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name in ("benchmark", "split", "setting", "name"):
            parser.add_argument(name)
        parser.add_argument("--owner", required=True, metavar="USER", help="username of the owner")
        columns = {field.name: field for field in Study._meta.fields}
        for option, column in COLUMNS.items():
            field, default = columns[column], getattr(Study(), column)
            choices = [value for value, _ in field.choices or ()] or None
            about = str(field.help_text or field.verbose_name)
            parser.add_argument(
                f"--{option}",
                dest=column,
                type=int if default is None else type(default),
                default=default,
                choices=choices,
                help=about,
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
            "--learning", type=Path, metavar="FILE", help="JSON file with examples, practice and test: docs/studies.md"
        )
        parser.add_argument(
            "--practice", default="", metavar="ID", help="ID of the practice question; its answer must be public"
        )
        parser.add_argument("--items", type=Path, metavar="FILE", help="file of items to check or to rate, JSON Lines")
        parser.add_argument("--declaration", type=Path, metavar="FILE", help="what participants rate, TOML")
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
            **{column: options[column] for column in COLUMNS.values()},
            "question_ids": _text(options["ids"]).split(),
            "consent_text": _text(options["consent"]),
            "instructions": _text(options["instructions"]),
            "attention_checks": _json(options["attention_checks"]),
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
                _write_entries(study, options["learning"])
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


def _write_entries(study: Study, path: Path | None) -> None:
    """Store the examples, the practice and the test of a file, as the form of the study does."""
    if path is None:
        return
    try:
        filled = entries_from(study, _json(path))
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from error
    problems = [f"{where}: {text}" if where else text for _, where, text in filled.problems(study.test_attempts)]
    if problems:
        raise CommandError("\n".join(problems))
    services.update_study(study, {"learning": filled.entries}, by=ACTOR)


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
        content = json.loads(_text(path))
        json.dumps(content, ensure_ascii=False).encode()  # half of a surrogate pair cannot be stored
        return content
    except (ValueError, RecursionError) as error:
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
        moment: datetime.datetime = moment_field().clean(text)
    except ValidationError as error:
        form = "Use the form 2027-01-31 or 2027-01-31T09:00+01:00."
        raise CommandError(f"{option}: {text!r} is not a valid time. {form}") from error
    return moment
