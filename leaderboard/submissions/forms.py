"""The forms of an upload, for pages and the API alike.

`leaderboard.web.uploads` has written the files of a request to disk. A form parses every field and has every file read
by `leaderboard.submissions.intake`, which makes an `Upload`. Errors of a field are in the form's errors, errors of a
file in its report.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, Final, cast

from django import forms
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard import access
from leaderboard.attributes import accepted, form_field, stated
from leaderboard.board.exports.bibtex import validate_citation
from leaderboard.models import SYSTEM_FIELDS, SystemType, Team
from leaderboard.submissions.intake import (
    PASSAGES,
    CheckedFile,
    FileReport,
    Upload,
    check_answers,
    passages_field,
)
from leaderboard.submissions.json_documents import Document, DocumentError, Problem, kind_of, parse_document
from leaderboard.templatetags.display import moment
from leaderboard.web.visible_text import validate_visible_text
from scoring import queries as scoring_queries
from scoring.benchmarks import definition_of
from scoring.benchmarks.attributes import OLD_NAMES, Attribute
from scoring.benchmarks.facts import FACTS, FROM_LOG, read_facts
from scoring.declarations import known_benchmarks
from scoring.generations.passages import check_file_of_passages
from scoring.generations.problems import clean
from scoring.generations.reader import KnownQuestions, Limits
from scoring.generations.records import USAGE
from scoring.generations.usage import SUMMED, UsageField, read_usage
from scoring.logs.log import LogError
from scoring.models import Benchmark, Question, Setting, Split, SplitPart, SplitPhase
from scoring.queries import shows_earlier_revision
from scoring.registry import task_type_of

RUN_FACTS: Final = "run_facts"
LONGEST_OBJECT: Final = 20_000
SUMS: Final = {known.name: known for known in SUMMED}
TYPED_SUMS: Final = tuple(known for known in SUMMED if known.form_label)
NO_FILE: Final = "No file was uploaded."
SEVERAL_FILES: Final = "Several files were uploaded for this setting. Upload only one."
NOT_IN_TEAM: Final = "You are not in the team “%(value)s”."
PASSAGES_HELP = (
    "The passages that your system retrieved for each question, best first: their recall is scored too. "
    'One object a line, {{"id": "…", "passages": [{{"title": "…", "text": "…"}}]}}, at most {limit} MiB in all.'
)


NO_SUCH_SPLIT: Final = "The split %(value)s does not exist, or it accepts no submissions. Choose one from the list."


class SplitField(forms.ModelChoiceField):  # type: ignore[type-arg] # it has no type arguments at run time
    def label_from_instance(self, obj: Split) -> str:
        return obj.name


def _times(splits: Sequence[Split]) -> Iterator[SafeString]:
    """When some splits accept files, and which of them keep questions for their end, in sentences."""
    for split in splits:
        if split.opens is not None:
            yield format_html("{} accepts files from {}.", split.name, moment(split.opens))
        if split.closes is not None:
            yield format_html("{} accepts files until {}.", split.name, moment(split.closes))
        if split.shown_part == SplitPart.PUBLIC:
            text = "Until then, scores of {} are of its public part; the other questions are kept for the end."
            yield format_html(text, split.name)


class SeparatorField(forms.CharField):
    """Separator of the answers of a list that is sent as one text; only for benchmarks whose answers are lists."""

    def __init__(self) -> None:
        super().__init__(
            max_length=20,
            required=False,
            strip=False,
            help_text="Only if your file has each list as one text: what divides its answers, for example a comma. "
            "Only the first line of a text counts; citations such as [1] and a point at the end are removed.",
        )

    def clean(self, value: str) -> str:
        """The separator; refused with a line break, because only the first line of a text is divided."""
        separator = str(super().clean(value))
        if len(separator.splitlines()) > 1 or separator.endswith(("\n", "\r")):
            raise forms.ValidationError("A separator has no line break. Send each list as a JSON array instead.")
        return separator


class ObjectField(forms.CharField):
    """An object of JSON, as the API and files of metadata send it; its value has no mistake."""

    def __init__(self, name: str, read: Callable[[Document], tuple[dict[str, Any], list[Problem]]]) -> None:
        super().__init__(required=False, max_length=LONGEST_OBJECT)
        self.name, self.read = name, read

    def clean(self, value: Any) -> Any:
        """The object, each of its values read; refused with all mistakes."""
        text = super().clean(value)
        try:
            values, problems = self.read(parse_document(text, self.name)) if text else ({}, [])
        except DocumentError as error:
            problems = [error.problem]
        if problems:
            raise ValidationError([ValidationError(str(problem), code="invalid") for problem in problems])
        return values


def _read_facts(document: Document) -> tuple[dict[str, Any], list[Problem]]:
    values, expected = read_facts(document.values)
    return values, [
        document.problem([clean(key)], kind_of(document.values[key]), text) for key, text in expected.items()
    ]


def _read_totals(document: Document, settings_of_it: Collection[str]) -> tuple[dict[str, Any], list[Problem]]:
    """Totals of what each run took, by setting."""
    totals: dict[str, Any] = {}
    problems: list[Problem] = []
    for setting, given in document.values.items():
        where = [clean(setting)]
        if setting not in settings_of_it:
            problems.append(document.problem(where, "no setting", f"one of {', '.join(settings_of_it)}"))
            continue
        totals[setting], mistakes, extra = read_usage(given, SUMS)
        known = f"one of {', '.join(SUMS)}"
        problems += [document.problem([*where, name], found, expected) for name, found, expected in mistakes]
        problems += [document.problem([*where, clean(key)], "an unknown key", known) for key in extra]
    return totals, problems


class FactsForm(forms.Form):
    """Run facts: a field for each, and one for all of them."""

    def __init__(self, *args: Any, facts: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.facts = [replace(fact, name=f"{RUN_FACTS}.{fact.name}") for fact in FACTS]
        for fact in self.facts:
            self.fields[fact.name] = form_field(fact)
        self.fields[RUN_FACTS] = ObjectField(RUN_FACTS, _read_facts)
        now = {f"{RUN_FACTS}.{name}": value for name, value in (facts or {}).items()}
        self.initial = {**self.initial, **now}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        facts = stated(self.facts, cleaned)
        cleaned[RUN_FACTS] = (cleaned.get(RUN_FACTS) or {}) | {
            name.removeprefix(f"{RUN_FACTS}."): value for name, value in facts.items()
        }
        for fact in self.facts:
            cleaned.pop(fact.name, None)
        return cleaned

    def opens_facts(self) -> bool:
        """Whether a page shows them unfolded: one has an error or a value."""
        names = [name for name in self.fields if name.startswith((RUN_FACTS, USAGE))]
        return any(name in self.errors or self[name].value() for name in names)

    def fact_groups(self) -> dict[str, list[forms.BoundField]]:
        groups: dict[str, list[forms.BoundField]] = {}
        for fact in self.facts:
            groups.setdefault(fact.group, []).append(self[fact.name])
        return groups


class SystemForm(FactsForm):
    """A system's metadata: the fields of the official template, and run facts."""

    name = forms.CharField(
        max_length=200,
        validators=[validate_visible_text],
        help_text="As shown on the board, for example “Qwen3 32B + BM25”.",
    )
    authors = forms.CharField(
        max_length=10_000,
        validators=[validate_visible_text],
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The people, team or company that built the system.",
    )
    url = forms.URLField(
        label="Web page", max_length=500, required=False, assume_scheme="https", help_text="A page about the system."
    )
    citation = forms.CharField(
        max_length=2000,
        required=False,
        validators=[validate_visible_text, validate_citation],
        help_text="For example “Zhu et al., 2024”, or BibTeX, which is exported as you enter it.",
    )
    type = forms.ChoiceField(choices=[("", "Choose a type"), *SystemType.choices])
    details = forms.CharField(
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What others need to reproduce the answers: versions, prompts, retrieval.",
    )

    def __init__(self, *args: Any, attributes: Sequence[Attribute] = tuple(OLD_NAMES.values()), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.attributes = attributes
        for attribute in attributes:
            self.fields[attribute.name] = form_field(attribute)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        cleaned["attributes"] = stated(self.attributes, cleaned)
        for attribute in self.attributes:
            cleaned.pop(attribute.name, None)
        return cleaned

    def clean_name(self) -> str:
        return " ".join(self.cleaned_data["name"].split())


class FilesForm(forms.Form):
    """A split, and up to one file per setting with the answers to its questions."""

    def __init__(
        self, *args: Any, splits: Sequence[Split], submission_settings: Sequence[Setting], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.submission_settings = list(submission_settings)
        self.fields["split"] = SplitField(
            queryset=Split.with_drafts.filter(pk__in=[split.pk for split in splits]),
            to_field_name="slug",
            widget=forms.RadioSelect,
            empty_label=None,
            help_text="The split whose questions the files answer.",
            error_messages={"invalid_choice": NO_SUCH_SPLIT},
        )
        waiting = [split.name for split in splits if shows_earlier_revision(split)]
        if waiting:
            self.fields["split"].help_text += (
                f" Boards of {' and '.join(waiting)} still show an earlier revision of the questions: new submissions "
                "are scored on the current one, and join the boards when these are switched to it."
            )
        unanswered = [split.name for split in splits if not can_be_scored(split)]
        if unanswered:
            self.fields["split"].help_text += (
                f" This site has no reference answers of {' and '.join(unanswered)} yet: files are stored, and scored "
                "once a maintainer has imported them."
            )
        for sentence in _times(splits):
            self.fields["split"].help_text += f" {sentence}"
        self.order_fields(["split"])
        definition = definition_of(splits[0].benchmark.slug)
        self.file_names: list[str] = []
        """The names of the fields for files: of each setting, and of its passages if it takes some."""
        for setting in self.submission_settings:
            self.fields[setting.slug] = _file_field(setting.name, setting.description)
            self.file_names.append(setting.slug)
            if definition.takes_passages(setting.slug):
                name = passages_field(setting)
                self.fields[name] = _file_field(
                    f"{setting.name}: retrieved passages", PASSAGES_HELP.format(limit=settings.PASSAGES_LIMIT_MB)
                )
                self.file_names.append(name)
        if any(task_type_of(split.benchmark.slug).splits_texts for split in splits):
            self.fields["separator"] = SeparatorField()
        self.fields["answer_field"] = forms.CharField(
            label="Field with the answers",
            max_length=200,
            required=False,
            help_text="Only for the log of a framework whose answers are not in the usual field. Check files names the "
            "field that is read, and the others.",
        )
        for setting in self.submission_settings:
            for known in TYPED_SUMS:
                self.fields[f"{USAGE}.{setting.slug}.{known.name}"] = usage_field(known)
        of_settings = [setting.slug for setting in self.submission_settings]
        self.fields[USAGE] = ObjectField(USAGE, partial(_read_totals, settings_of_it=of_settings))

    def file_fields(self) -> list[forms.BoundField]:
        """The fields for files, in the order of the settings."""
        return [self[name] for name in self.file_names]

    def usage_fields(self) -> list[tuple[Setting, list[forms.BoundField]]]:
        return [
            (setting, [self[f"{USAGE}.{setting.slug}.{known.name}"] for known in TYPED_SUMS])
            for setting in self.submission_settings
        ]

    def totals(self, setting: Setting) -> dict[str, Any]:
        """Totals of what the run of a setting took, as far as it is stated for the run as a whole."""
        typed = {known.name: self.cleaned_data.get(f"{USAGE}.{setting.slug}.{known.name}") for known in TYPED_SUMS}
        sent = (self.cleaned_data.get(USAGE) or {}).get(setting.slug, {})
        return {**sent, **{name: value for name, value in typed.items() if value is not None}}

    def chosen_split(self) -> Split | None:
        """The split whose questions the files answer, after the form was validated."""
        return self.cleaned_data.get("split")

    def sent_files(self, part: str = "") -> dict[Setting, UploadedFile[bytes]]:
        """The files of answers in the request, or those of *part*, whether or not the rest of the form is valid."""
        names = {setting: passages_field(setting) if part else setting.slug for setting in self.submission_settings}
        uploads = {setting: self.files.get(name) for setting, name in names.items() if name in self.fields}
        return {setting: upload for setting, upload in uploads.items() if isinstance(upload, UploadedFile)}

    def read(self) -> Upload:
        """Parse the fields and read every file, against the ids of the selected split.

        If a split was selected, files are read even when the rest of the form has errors.
        """
        self.is_valid()
        split = self.chosen_split()
        upload = Upload(self, split)
        answers, passages = self.sent_files(), self.sent_files(PASSAGES)
        if split is None or not answers:
            return upload
        known = known_questions(split)
        definition = definition_of(split.benchmark.slug)
        answer_format = definition.answer_format(self.cleaned_data.get("separator") or None)
        limits = Limits(
            max_bytes=settings.UPLOAD_LIMIT_BYTES,
            max_answer_length=definition.form.limits.answer_length,
        )
        facts: dict[str, Any] = {}
        for setting, sent in answers.items():
            try:
                report, stream, of_log = check_answers(
                    sent,
                    setting,
                    known=known,
                    limits=limits,
                    answer_format=answer_format,
                    answer_field=self.cleaned_data.get("answer_field", ""),
                )
            except LogError as error:
                self.add_error(setting.slug, list(error.problems))
                continue
            facts |= of_log
            of_file = None
            if (sent_passages := passages.get(setting)) is not None:
                size = Limits(max_bytes=settings.PASSAGES_LIMIT_BYTES)
                passages_stream = cast("BinaryIO", sent_passages)
                passages_stream.seek(0)  # its hash may have been taken before, for the idempotency key
                read = check_file_of_passages(passages_stream, known, size)
                of_passages = FileReport.of(read, sent_passages.name or "", setting, PASSAGES)
                of_file = CheckedFile(setting, of_passages, passages_stream)
            upload.files.append(CheckedFile(setting, report, stream, passages=of_file, totals=self.totals(setting)))
        if facts and RUN_FACTS in self.fields:
            # The run facts of a log count where the sender states none; a page with the form shows them, and sends them
            # back as they are.
            of_logs, _ = read_facts(facts)
            stated_facts = self.cleaned_data.get(RUN_FACTS) or {}
            added = sorted(name for name in of_logs if stated_facts.get(name, of_logs[name]) == of_logs[name])
            self.cleaned_data[RUN_FACTS] = of_logs | stated_facts | ({FROM_LOG: " ".join(added)} if added else {})
            data = cast("QueryDict", self.data).copy()
            for name in added:
                data[f"{RUN_FACTS}.{name}"] = str(of_logs[name])
            self.data = data
        return upload

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in self.file_names:
            if len(cast("MultiValueDict[str, Any]", self.files).getlist(name)) > 1:
                self.add_error(name, SEVERAL_FILES)
        if not self.sent_files():
            names = ", ".join(setting.name.lower() for setting in self.submission_settings)
            text = f"{NO_FILE} Choose a generations file for at least one setting: {names}."
            self.add_error(None, ValidationError(text, code="no_file"))
        for setting in self.sent_files(PASSAGES):
            if setting not in self.sent_files():
                text = f"Choose the answers too ({setting.name.lower()})."
                self.add_error(passages_field(setting), ValidationError(text, code="no_answers"))
        for setting in self.submission_settings:
            if self.totals(setting) and setting not in self.sent_files():
                text = f"Choose the answers too ({setting.name.lower()}): what they took is stated with them."
                self.add_error(setting.slug, ValidationError(text, code="no_answers"))
        return cleaned


class SubmissionForm(SystemForm, FilesForm):
    """A system's metadata, the split, the team, and up to one file per setting."""

    def __init__(self, *args: Any, teams: Iterable[Team] = (), **kwargs: Any) -> None:
        """Accept *teams* as the choices of ``team``: the teams that the submitter is in."""
        definition = definition_of(kwargs["splits"][0].benchmark.slug)
        super().__init__(*args, attributes=accepted(definition), **kwargs)
        self.shown_attributes = [self[attribute.name] for attribute in definition.attributes]
        self.fields["team"] = forms.ModelChoiceField(
            label="Belongs to",
            queryset=Team.objects.filter(pk__in=[team.pk for team in teams]),
            to_field_name="slug",
            required=False,
            empty_label="You alone",
            help_text="All members of the team can see, replace, publish and withdraw the submission.",
            error_messages={"invalid_choice": NOT_IN_TEAM},
        )

    def read(self) -> Upload:
        upload = super().read()
        upload.system = {name: value for name, value in self.cleaned_data.items() if name in SYSTEM_FIELDS}
        upload.team = self.cleaned_data.get("team")
        return upload


class _Confirmations(forms.Form):
    """Confirmations that the user has noticed missing answers, doubtful ones, and files that were sent before."""

    confirm_missing = forms.BooleanField(
        label="Submit even if questions are unanswered",
        required=False,
        help_text="A question without an answer scores 0 and is shown as unanswered.",
    )
    confirm_noticed = forms.BooleanField(
        label="Submit the answers as they are",
        required=False,
        help_text="For answers with reasoning in them, one text as many answers, or a log without its end.",
    )
    confirm_same = forms.BooleanField(
        label="Submit the same file again",
        required=False,
        help_text="For a file that was also sent for another setting, or in an earlier submission.",
    )


class PageSubmissionForm(_Confirmations, SubmissionForm):
    idempotency_key = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=uuid.uuid4)
    """Drawn when the form is shown: sending the form again makes no second submission."""

    def draw_key(self) -> None:
        """Show the form with another key: it becomes a submission of its own."""
        data = cast("QueryDict", self.data).copy()
        data["idempotency_key"] = str(uuid.uuid4())
        self.data = data


class ReplacementForm(FactsForm, FilesForm):
    """Newer versions of a submission's files, for the same settings and split."""

    def __init__(self, *args: Any, split: Split, submission_settings: Sequence[Setting], **kwargs: Any) -> None:
        super().__init__(*args, splits=[split], submission_settings=submission_settings, **kwargs)
        self._split = split
        del self.fields["split"]

    def chosen_split(self) -> Split | None:
        return self._split

    def read(self) -> Upload:
        upload = super().read()
        if any(name.startswith(RUN_FACTS) for name in self.data):
            upload.run_facts = self.cleaned_data.get(RUN_FACTS)
        return upload


class PageReplacementForm(_Confirmations, ReplacementForm):
    """A newer version of one file by a page's form."""

    def __init__(self, *args: Any, split: Split, setting: Setting, **kwargs: Any) -> None:
        super().__init__(*args, split=split, submission_settings=[setting], **kwargs)
        self.fields[setting.slug].required = True
        self.fields[setting.slug].error_messages["required"] = f"{NO_FILE} Choose one."

    def clean(self) -> dict[str, Any]:
        """No error of the whole form: a missing file is one of its field."""
        return FactsForm.clean(self) if self.sent_files() else self.cleaned_data


def usage_field(known: UsageField) -> forms.Field:
    kind = forms.IntegerField if known.whole else forms.FloatField
    return kind(label=known.form_label, required=False, min_value=0, max_value=int(known.most))


def _file_field(label: str, help_text: str) -> forms.FileField:
    return forms.FileField(
        label=label,
        required=False,
        allow_empty_file=True,
        help_text=help_text,
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.gz,.txt,.eval"}),
        max_length=None,
    )


def open_benchmarks(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Benchmark]:
    """The benchmarks that accept submissions of *user*: those with a split that does."""
    return known_benchmarks(drafts=True).filter(pk__in=_open_to(user).values("benchmark"))


def open_splits(benchmark: Benchmark, user: AbstractBaseUser | AnonymousUser) -> list[Split]:
    """The splits that accept submissions of *user*: those with questions that are not archived."""
    return list(_open_to(user).filter(benchmark=benchmark).select_related("benchmark", "current_revision"))


def _open_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Split]:
    splits = access.splits_visible_to(user).exclude(phase=SplitPhase.ARCHIVED)
    return splits.filter(current_revision__isnull=False)


def can_be_scored(split: Split) -> bool:
    """Whether this site has what the scores of an open split need."""
    revision, needs_references = split.current_revision, task_type_of(split.benchmark.slug).needs_references
    return revision is not None and (revision.has_references or not needs_references)


def open_settings(benchmark: Benchmark) -> list[Setting]:
    return list(benchmark.settings.filter(accepts_submissions=True))


def known_questions(split: Split) -> KnownQuestions:
    """The ids that files for *split* may use."""
    ids = scoring_queries.split_ids(split)

    def elsewhere(qids: Sequence[str]) -> dict[str, str]:
        """The names of those other benchmarks whose present questions, without those of drafts, have these ids, by id:
        of several benchmarks, the first on pages. One query."""
        others = Split.objects.filter(benchmark__in=known_benchmarks(drafts=True)).exclude(benchmark=split.benchmark_id)
        questions = Question.objects.filter(qid__in=qids, revision__current_of__in=others)
        last_first = questions.order_by("-revision__split__benchmark__position")
        return dict(last_first.values_list("qid", "revision__split__benchmark__name"))

    return replace(ids, elsewhere=elsewhere)
