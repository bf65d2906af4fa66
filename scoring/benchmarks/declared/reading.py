"""A benchmark's files as a declaration: its definition, its questions and its published results, or every mistake."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from scoring.benchmarks import final_part, leaks
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.base import (
    BenchmarkDefinition,
    DataCard,
    Importer,
    PackagedSplit,
    PublishedResults,
    SourceFile,
)
from scoring.benchmarks.columns import GRADED, JUDGES, columns_of
from scoring.benchmarks.declared import crosschecks, folder_checks, warnings
from scoring.benchmarks.declared.building import attributes_of, column_from, definition_from
from scoring.benchmarks.declared.card import read_card
from scoring.benchmarks.declared.files import Files
from scoring.benchmarks.declared.files import opened as stream_of
from scoring.benchmarks.declared.importers import importer_named
from scoring.benchmarks.declared.pictures import Pictures, refused_alone, with_pictures
from scoring.benchmarks.declared.question_rows import KEYS
from scoring.benchmarks.declared.questions import (
    ReadQuestion,
    judge_mistakes,
    missing_answers,
    published_fields,
    read_questions,
    repeated_ids,
    with_answers,
)
from scoring.benchmarks.declared.reported import ReportedRules, read_reported
from scoring.benchmarks.declared.slips import short_limits
from scoring.benchmarks.facts import FACTS, PREFIX
from scoring.benchmarks.form import RESERVED_SETTINGS, SCHEMA_FILE, BenchmarkTable, SplitTable, SubsetTable
from scoring.benchmarks.reference_texts import texts_of_reference, words
from scoring.benchmarks.subsets import PARTS_EXPECTED, refusal, small_parts
from scoring.files.mistakes import (
    CARD,
    DECLARATION,
    Mistake,
    decoded,
    is_id,
    nearest,
    one_of,
    refuse,
    shown,
    shown_id,
    texts_in,
)
from scoring.files.objects import opened
from scoring.files.tables import Fault, mistake_at
from scoring.files.toml_lines import TomlFile, read_toml
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.columns import Column
from scoring.task_types import TASK_TYPES, TaskType

PROMPTS: Final = "prompts/"
_FEWEST_WORDS: Final = 3
_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_OF_MANY: Final = {" true ", " false "}
"""Answers that a sentence about many questions may have."""
_OF_OPEN: Final = "Take one of an open split: everybody can read this text."
MAX_TEXT_BYTES: Final = 2**18
"""The most bytes of each file that is no file of questions."""


@dataclass(frozen=True)
class Declaration:
    """A benchmark as its files declare it."""

    definition: BenchmarkDefinition
    form: BenchmarkTable
    """``benchmark.toml`` as it was read."""
    files: Files
    """The declaration, the data card, the published results and the prompts."""
    questions: Mapping[str, Sequence[ReadQuestion]] = field(default_factory=dict)
    """Those of the folder, by split or subset; none where a declaration is stored."""
    unused: Sequence[str] = ()
    """The names of the other files of the folder."""
    pictures: Pictures = field(default_factory=lambda: Pictures({}))
    """Those of the questions."""
    read_fields: Collection[str] = ()
    """The keys of ``[questions]`` whose fields some question has."""

    def warnings(self) -> list[str]:
        """What is no mistake and probably not meant; for a declaration that was read with its questions."""
        toml = read_toml(DECLARATION, self.files[DECLARATION])
        return [
            *warnings.unused_files(self.unused),
            *warnings.unread_keys(self.questions, self.form.task_type),
            *folder_checks.doubts(self.form, toml, self.files[CARD]),
            *(
                str(doubt)
                for name, prompt in _prompts(self.files).items()
                for doubt in folder_checks.prompt_doubts(PROMPTS + name, prompt)
            ),
            *(str(mistake_at(fault, toml)) for fault in short_limits(self.form, self.questions)),
            *warnings.doubts_of_questions(self.form, self.questions),
            *(warnings.idle_fields(self.form, self.read_fields) if self.questions else ()),
            *warnings.unmet_needs(self.form, self.questions),
            *warnings.odd_rows(self.definition),
            *warnings.idle_categories(self.form.categories, self.questions),
            *warnings.doubtful_results(self.definition, in_percent=_in_percent(self.form)),
            *warnings.unread_answers(self.definition),
        ]


def read_declaration(files: Files, *, with_questions: bool = True) -> Declaration:
    """Read a benchmark's files.

    Args:
        files: by name; see `scoring.benchmarks.declared.files`.
        with_questions: whether the question files are among them. They are not where a declaration is stored. An
            earlier version may have accepted more: mistakes in its data card and published results, and settings with
            reserved names are passed over, so that a stricter check does not take a benchmark off the site.

    Raises:
        SourceError: with every mistake, in the order of files and lines.
    """
    if with_questions:
        # Files that are read as a whole.
        texts = (name for name in files if name in (DECLARATION, CARD) or name.startswith(PROMPTS))
        refuse(_too_large(name, files[name]) for name in texts if len(files[name]) > MAX_TEXT_BYTES)
    reading = _Reading(files, with_questions=with_questions)
    refuse([mistake for mistake in reading.mistakes() if with_questions or not reading.is_tolerated(mistake)])
    used = {DECLARATION, CARD, *reading.reported_files, *reading.prompt_files} - reading.question_files
    kept = {name: files[name] for name in files if name in used}
    form = reading.form

    def read_file(path: Path) -> SourceFile:
        """A file of questions that is imported alone; files that it is joined with are beside it."""

        def beside(name: str) -> BinaryIO | None:
            other = path.parent / name
            return other.open("rb") if other.is_file() else None

        published = published_fields(form, beside)
        with opened(path) as stream:
            questions, mistakes = read_questions(path.name, stream, form, published)
        mistakes += repeated_ids({"": questions})
        mistakes += refused_alone(questions)
        refuse(mistakes)
        refuse(judge_mistakes(questions, TASK_TYPES[form.task_type], reading.judges, is_public=False))
        remarks = (
            *warnings.odd_texts({path.name: questions}, form.task_type),
            *warnings.repeated_questions(form, {path.name: questions}),
        )
        return SourceFile(tuple(read.question for read in questions), remarks)

    definition = definition_from(
        form,
        reading.card,
        reading.results,
        prompts=_prompts(kept),
        importer=(importer_named(form.importer) if form.importer else None) or Importer(read_file),
        questions=reading.splits(),
    )
    others = files.keys() - used - reading.question_files - reading.pictures.names - {SCHEMA_FILE}
    unused = sorted(name for name in others if not name.endswith(".py"))  # a packaged importer is code
    return Declaration(definition, reading.form, kept, reading.questions, unused, reading.pictures, reading.read_fields)


def _too_large(name: str, content: bytes) -> Mistake:
    return Mistake(name, 0, "", f"{len(content):,} bytes", f"at most {MAX_TEXT_BYTES:,} bytes", "Shorten the file.")


def _prompts(files: Files) -> dict[str, str]:
    return {
        name.removeprefix(PROMPTS): content.decode("utf-8-sig")
        for name, content in files.items()
        if name.startswith(PROMPTS)
    }


class _Reading:
    """One reading of all files: first what each says, then whether they agree."""

    def __init__(self, files: Files, *, with_questions: bool) -> None:
        self._files = files
        self._with_questions = with_questions
        self.questions: dict[str, list[ReadQuestion]] = {}
        self.pictures = Pictures(files)
        self.toml = read_toml(DECLARATION, files[DECLARATION]) if DECLARATION in files else TomlFile(DECLARATION)
        self.form, self._faults = BenchmarkTable.read(self.toml.values)
        self._broken = {fault.path for fault in self._faults}
        self._published = published_fields(self.form, self._opened)
        self._wrong_scores: list[int] = []
        self.card = DataCard("", ())
        self.results: PublishedResults | None = None

    def mistakes(self) -> Iterator[Mistake]:
        """Every mistake of every file."""
        if DECLARATION not in self._files:
            actual = "files " + ", ".join(sorted(self._files)[:5]) if self._files else "no file"
            fix = "Give the folder that has it, or begin with: manage.py benchmark new DIR."
            yield Mistake(DECLARATION, 0, "", actual, f"the file {DECLARATION}", fix)
            return
        yield from self.toml.mistakes
        if not self.toml.values:
            if not self.toml.mistakes:
                fix = "Write a template to copy from: manage.py benchmark new DIR."
                yield Mistake(DECLARATION, 0, "", "an empty file", "the declaration of a benchmark", fix)
            return
        # A value of the wrong kind is reported once: the checks between fields pass over it.
        faults = [*map(crosschecks.with_place_of_parameter, self._faults), *crosschecks.faults(self.form, self._broken)]
        if self._with_questions:
            faults += folder_checks.faults(self.form, self.toml, self._broken)
        self._wrong_scores = [
            int(fault.path[1])
            for fault in faults
            if fault.path[::2] == ("columns", "score") and "again" not in fault.found
        ]
        yield from (mistake_at(fault, self.toml) for fault in faults if fault.path not in self.toml.unread)
        self.card, card_mistakes = read_card(self._files.get(CARD))
        yield from card_mistakes
        if self._with_questions:
            yield from folder_checks.card_mistakes(self._files.get(CARD, b""))
            yield from folder_checks.conflicts(self._files, {CARD, *self.reported_files, *self.prompt_files})
        yield from self._prompt_mistakes()
        yield from self._question_mistakes()
        yield from self._reported_mistakes()

    def _prompt_mistakes(self) -> Iterator[Mistake]:
        undecoded: list[Mistake] = []
        if not all(
            decoded(name, content, undecoded) is not None
            for name, content in self._files.items()
            if name.startswith(PROMPTS)
        ):
            yield from undecoded
            return
        for metric in self._judges:
            prompts = _prompts(self._files)
            for name, lacking in metric.lacking_prompts(prompts):
                actual = "a prompt without them" if PROMPTS + name in self._files else "no file"
                yield Mistake(PROMPTS + name, 0, "", actual, f"the prompt of the judge {metric.name}, with {lacking}")
            if self._with_questions:  # earlier versions stored such prompts; their benchmarks stay on the site
                for name, actual, expected in metric.prompt_faults(prompts):
                    line = prompts[name].partition(actual)[0].count("\n") + 1 if actual in prompts[name] else 0
                    yield Mistake(PROMPTS + name, line, "", actual, expected)

    @cached_property
    def _judges(self) -> list[JudgeMetric]:
        """The declared metrics that ask a model, with their parameters, unless these are mistakes."""
        judges = []
        for name, table in self.form.metrics.items():
            if name in JUDGES and table.parameters.keys() <= set(JUDGES[name].parameters()):
                with suppress(TypeError, ValueError):
                    judges.append(JUDGES[name](**table.parameters))
        return judges

    @cached_property
    def judges(self) -> list[JudgeMetric]:
        """The same with the folder's prompts; without those that lack one."""
        judges, prompts = [], _prompts(self._files)
        for judge in self._judges:
            with suppress(ValueError):
                judges.append(type(judge)(prompts, **self.form.metrics[judge.name].parameters))
        return judges

    @property
    def prompt_files(self) -> set[str]:
        """The names of the prompts that the declared metrics read."""
        names = (name.removeprefix(PROMPTS) for name in self._files if name.startswith(PROMPTS))
        read = (name for name in names if any(metric.reads_prompt(name) for metric in self._judges))
        needed = (name for metric in self._judges for name, _ in metric.lacking_prompts({}))
        return {PROMPTS + name for name in (*read, *needed)}

    def is_tolerated(self, mistake: Mistake) -> bool:
        """Whether a stored declaration may have it: it is in a file that decides nothing (no score, no column, no
        question), or the name of a setting that is a field of the submission form."""
        only_shown = {CARD, *self.reported_files}
        return mistake.file in only_shown or mistake.field in {f"settings.{name}" for name in RESERVED_SETTINGS}

    # --- Questions --------------------------------------------------------------------------------------------------

    @property
    def _splits(self) -> dict[str, SplitTable | SubsetTable]:
        """The declared splits, then their subsets."""
        return self.form.splits | {name: own for name, own in self.form.subsets.items() if name not in self.form.splits}

    @property
    def question_files(self) -> set[str]:
        """The names of all files of questions and answers, and of those that are joined with them."""
        mapped = self.form.questions
        joined = {table.file for table in mapped.joined.values()} if mapped is not None else set()
        return joined | {name for split in self._splits.values() for name in (*split.questions, *split.answers)}

    @property
    def read_fields(self) -> Collection[str]:
        """The keys of ``[questions]`` whose fields some question has."""
        return self._published.read_keys if self._published is not None else ()

    @property
    def reported_files(self) -> set[str]:
        """The name of the file of published results, if there is one."""
        return {self.form.reported.file} if self.form.reported is not None else set()

    def splits(self) -> dict[str, PackagedSplit]:
        """The questions by split; none where the files are not given."""
        return {
            name: PackagedSplit(
                SourceFile(tuple(read.question for read in questions)),
                date=self._splits[name].date or datetime.date.min,
                note=self._splits[name].note or f"Version {self.form.version}.",
            )
            for name, questions in self.questions.items()
        }

    def _opened(self, name: str) -> BinaryIO | None:
        return stream_of(self._files, name) if name in self._files else None

    def _question_mistakes(self) -> Iterator[Mistake]:
        if not self._with_questions or any(path[0] == "questions" for path in self._broken):
            return
        splits, subsets = self.form.splits, self.form.subsets
        task = TASK_TYPES.get(self.form.task_type) or next(iter(TASK_TYPES.values()))
        for name, split in self._splits.items():
            kind = "splits" if name in splits else "subsets"
            questions: list[ReadQuestion] = []
            answers: list[ReadQuestion] = []
            broken = misnamed = False
            for key, questions_read in (("questions", questions), ("answers", answers)):
                for file in getattr(split, key):
                    stream = self._opened(file)
                    if stream is None:
                        yield self._no_file((kind, name, key), file)
                        continue
                    with stream:
                        read, mistakes = read_questions(
                            file,
                            stream,
                            self.form,
                            self._published,
                            only_answers=key == "answers",
                            is_public=file not in self._private_files,
                        )
                    broken |= bool(mistakes)
                    misnamed |= any(not mistake.line for mistake in mistakes)  # a field that no question has
                    yield from mistakes
                    read, mistakes = with_pictures(read, self.pictures)
                    questions_read += read
                    yield from map(self._published.under_its_name, mistakes) if self._published else mistakes
            if answers:
                yield from repeated_ids({"": answers})
                questions, mistakes = with_answers(questions, answers, task)
                yield from mistakes
            if not broken:
                files = {*split.questions, *split.answers}
                unjudgeable = judge_mistakes(
                    questions, task, self.judges, is_public=files.isdisjoint(self._private_files)
                )
                yield from map(self._published.under_its_name, unjudgeable) if self._published else unjudgeable
            if isinstance(split, SplitTable) and split.unscored and split.questions:
                yield from self._unscored_mistakes(name, split.unscored, questions)
                questions = [read for read in questions if read.question.qid not in split.unscored]
            of_split = split if isinstance(split, SplitTable) else splits.get(split.split)
            hidden = of_split is None or of_split.hidden or ("splits", name, "hidden") in self._broken
            some_answers = any(read.question.has_answer for read in questions)
            needed = (some_answers and not broken) if hidden else (some_answers or not misnamed)
            if task.needs_references and needed:
                expected = "the reference answer, as other questions have theirs"
                if not hidden:
                    expected = "the reference answer, as the split is not hidden"
                key = f"{kind}.{name}.unscored" if kind == "splits" else ""
                yield from missing_answers(questions, expected, name_unscored=key)
            if isinstance(split, SplitTable) and split.final is not None and not broken:
                n_final = len(final_part.drawn([read.question for read in questions], split.final, secret=b""))
                if small := final_part.refusal(n_final, len(questions)):
                    fix = "Change final, add questions, or remove final."
                    fault = Fault((kind, name, "final"), small, final_part.PARTS_EXPECTED, fix)
                    yield mistake_at(fault, self.toml)
            if split.questions or not (self.form.importer or self.form.questions is not None):
                self.questions[name] = questions
        yield from repeated_ids({name: listed for name, listed in self.questions.items() if name in splits})
        for name, subset in subsets.items():
            if name in self.questions and name not in splits:
                yield from self._subset_mistakes(name, subset.split)
        yield from self._overlap_mistakes()
        yield from self._dimension_mistakes()
        yield from self._leak_mistakes(task)

    def _leak_mistakes(self, task: TaskType) -> Iterator[Mistake]:
        """Public fields of a hidden split that equal its reference answers, and its questions where answers are
        public: in an open split, or as the example."""
        of_split = {name: name for name in self.form.splits} | {
            name: subset.split for name, subset in self.form.subsets.items() if subset.split in self.form.splits
        }
        hidden = {name for name, split in of_split.items() if self.form.splits[split].hidden}
        seen = {
            name: [read.question.in_split(hidden=name in hidden) for read in self.questions[name]]
            for name in of_split
            if name in self.questions
        }
        example = self.form.example
        for name in (name for name in seen if name in hidden):
            if example is not None and words(example.question) in (words(question.text) for question in seen[name]):
                actual, expected = f"a question of the hidden split {name}", "one whose answer may be shown"
                fix = "Take a question of an open split."
                yield mistake_at(Fault(("example", "question"), actual, expected, fix), self.toml)
            yield from self._public_answers(name, task)
            for refused in leaks.refusals(name, seen, hidden, task):
                # A cluster that is the answer's own key is a mistake of benchmark.toml.
                if refused.field != "cluster" or self.form.cluster not in KEYS:
                    place = self.questions[name][refused.position].place
                    yield place.mistake(refused.field, refused.found, refused.expected, refused.fix)

    def _public_texts(self) -> Iterator[tuple[Mistake, str]]:
        """Texts that everybody reads, each with the mistake that it would be: those of benchmark.toml, the paragraphs
        of the data card, and prompts."""
        expected = "a question whose answer may be shown"
        for path, text in folder_checks.texts_at(self.toml.values):
            yield mistake_at(Fault(path, "", expected, _OF_OPEN), self.toml), text
        line = 1
        for paragraph in self._files.get(CARD, b"").decode(errors="ignore").replace("\r", "").split("\n\n"):
            yield Mistake(CARD, line, "", "", expected, _OF_OPEN), paragraph
            line += paragraph.count("\n") + 2
        for name, content in self._files.items() if self._judges else ():
            if name.startswith(PROMPTS):
                yield Mistake(name, 1, "", "", expected, _OF_OPEN), content.decode(errors="ignore")

    def _public_answers(self, name: str, task: TaskType) -> Iterator[Mistake]:
        """Questions of a hidden split, by their text or id, beside their answer in a text that everybody reads."""
        texts = list(self._public_texts())
        everything = "".join(words(text) for _, text in texts)
        known = {word for _, text in texts for word in _WORD.findall(text.lower())}
        for question in (read.question for read in self.questions[name] if read.question.has_answer):
            is_named = is_id(question.qid) and known.issuperset(_WORD.findall(question.qid.lower()))
            # Most questions end here: reading each as metrics do would take longer than all other checks. Other scripts
            # are read, because those without spaces, and full-width letters, have other words here than there.
            is_ascii = question.text.isascii()
            if not is_named and is_ascii and not known.issuperset(_WORD.findall(question.text.lower())):
                continue
            asked = words(question.text)
            if not is_named and asked not in everything:
                continue
            names = texts_of_reference(question.answer, task).parts
            sentences = (part for text in texts_in(question.answer) for part in _SENTENCE.split(text))
            telling = {one for one in names - _OF_MANY if len(one.encode()) >= leaks.LEAST_BYTES + 2}
            telling |= {one for one in map(words, sentences) if one.count(" ") > _FEWEST_WORDS}
            by_id = re.compile(rf"(?<![\w.:-]){re.escape(question.qid)}(?![\w:-])") if is_named else None
            for mistake, text in texts:
                is_prompt, read = mistake.file.startswith(PROMPTS), words(text)
                if asked.count(" ") > _FEWEST_WORDS and asked in read:
                    rest = read if is_prompt else read.replace(asked, " ")
                elif by_id is not None and not is_prompt and by_id.search(text):
                    rest = words(by_id.sub(" ", text))
                else:
                    continue
                if any(one in rest for one in (names if is_prompt else telling)):
                    lines = text.splitlines()
                    at = (n for n, line in enumerate(lines) if asked in words(line) or (by_id and by_id.search(line)))
                    line = mistake.line if mistake.field else mistake.line + next(at, 0)
                    found = f"a question of the hidden split {name} with its answer ({shown_id(question.qid)})"
                    yield replace(mistake, line=line, found=found)

    def _unscored_mistakes(
        self, name: str, unscored: Sequence[str], questions: Sequence[ReadQuestion]
    ) -> Iterator[Mistake]:
        """Questions that are declared as not scored, and that the split does not have or that have an answer."""
        known = {read.question.qid: read for read in questions}
        for place, qid in enumerate(unscored):
            path = ("splits", name, "unscored", place)
            if qid not in known:
                fix = nearest(qid, known) or "Correct or remove it."
                yield mistake_at(Fault(path, shown(qid), "the id of a question of the split", fix), self.toml)
            elif known[qid].question.has_answer:
                expected, fix = "one without a reference answer", "Remove it here, or remove the answer."
                yield mistake_at(Fault(path, f"{shown(qid)}, which has an answer", expected, fix), self.toml)

    def _subset_mistakes(self, name: str, split: str) -> Iterator[Mistake]:
        """Questions of a subset that its split does not have, or that occur twice, and a size that is refused."""
        questions = self.questions[name]
        yield from repeated_ids({name: questions})
        if split not in self.questions:
            return
        known = {read.question.qid for read in self.questions[split]}
        hidden = self.form.splits[split].hidden
        strangers, size = refusal([read.question.qid for read in questions], known, len(known), hidden=hidden)
        for read in questions:
            if read.question.qid in strangers:
                actual = f"{shown_id(read.question.qid)}, which {split} does not have"
                yield read.place.mistake("id", actual, "a question of its split", "Correct or remove it.")
        if size:
            actual, _, expected = size.partition(", expected ")
            yield mistake_at(Fault(("subsets", name, "questions"), actual, expected), self.toml)

    def _overlap_mistakes(self) -> Iterator[Mistake]:
        """Subsets of a hidden split that differ in few questions."""
        qids = {name: [read.question.qid for read in questions] for name, questions in self.questions.items()}
        for split in (name for name, table in self.form.splits.items() if table.hidden and name in qids):
            of_split = [name for name, table in self.form.subsets.items() if table.split == split and name in qids]
            own = {name: qids[name] for name in of_split}
            n_split = len(qids[split])
            large = {name: ids for name, ids in own.items() if not refusal(ids, ids, n_split, hidden=True)[1]}
            for name, actual in small_parts(qids[split], large):
                yield mistake_at(Fault(("subsets", name, "questions"), actual, PARTS_EXPECTED), self.toml)

    def _dimension_mistakes(self) -> Iterator[Mistake]:
        """Dimensions of criteria that are nearly one with a column, and columns of dimensions that no criterion has."""
        for metric, table in self.form.metrics.items():
            declared = table.parameters.get("dimensions")
            if not isinstance(declared, list) or not all(isinstance(name, str) for name in declared):
                continue
            used: set[str] = set()
            for read in chain.from_iterable(self.questions.values()):
                answer = read.question.answer
                criteria = answer.get("criteria") if isinstance(answer, dict) else None
                rows = [one for one in criteria if isinstance(one, dict)] if isinstance(criteria, list) else []
                of_question = {str(row.get("dimension") or "") for row in rows}
                used |= of_question
                for name in sorted(of_question - {"", *declared}):
                    if fix := nearest(name, declared):
                        place = read.answer_place or read.place
                        yield place.mistake("answer", "a criterion of another dimension", one_of(declared), fix)
            for position, name in enumerate(declared if used else ()):
                if name not in used:
                    path = ("metrics", metric, "parameters", "dimensions", position)
                    yield mistake_at(
                        Fault(path, shown(name), "a dimension that a criterion has", "Correct it."), self.toml
                    )

    @property
    def _private_files(self) -> set[str]:
        """The files of hidden splits, of those that do not say whether they are, and of their subsets."""
        broken = {path[1] for path in self._broken if path[0] == "splits" and path[2:] in ((), ("hidden",))}
        hidden = {name for name, table in self.form.splits.items() if table.hidden or name in broken}
        return {
            other
            for name, table in self._splits.items()
            if not {name, getattr(table, "split", "")}.isdisjoint(hidden)
            for other in (*table.questions, *table.answers)
        }

    def _no_file(self, path: tuple[str, ...], file: str) -> Mistake:
        """A file that is not in the folder; one that a hidden split has is never proposed in its place."""
        fix = nearest(file, self._files.keys() - self._private_files) or "Add the file, or correct its name."
        return mistake_at(Fault(path, f"{file!r}, which is not in the folder", "the name of a file", fix), self.toml)

    # --- Published results ------------------------------------------------------------------------------------------

    def _reported_mistakes(self) -> Iterator[Mistake]:
        declared = self.form.reported
        if declared is None or any(path[0] == "reported" for path in self._broken):
            return
        file = declared.file
        if file not in self._files:
            yield self._no_file(("reported", "file"), file)
            return
        if self._with_questions and len(self._files[file]) > MAX_TEXT_BYTES:
            yield _too_large(file, self._files[file])
            return
        wrong = any(path[0] == "attributes" for path in self._broken)
        attributes = () if wrong else attributes_of(self.form)
        on_subsets = crosschecks.scores_on_subsets(self.form, declared.split)
        rules = ReportedRules(
            settings=list(self.form.settings),
            scores=[*self._right_scores(), *on_subsets, *GRADED],
            percent=_in_percent(self.form),
            attributes={
                **OLD_NAMES,
                **{attribute.name: attribute for attribute in attributes},
                **{f"{PREFIX}{fact.name}": fact for fact in FACTS},
            },
            columns={column.score: column for column in (*columns_of(self.form.metrics), *self._right_columns())},
        )
        self.results, mistakes = read_reported(file, self._files[file], declared, rules)
        yield from mistakes

    def _right_scores(self) -> list[str]:
        """The scores that have a column; if a column names one that does not exist, the usual ones of metrics too."""
        wrong = {self.form.columns[place].score for place in self._wrong_scores}
        right = [score for score in crosschecks.declared_scores(self.form) if score not in wrong]
        usual = [column.score for column in columns_of(self.form.metrics)] if wrong else []
        return list(dict.fromkeys([*right, *usual]))

    def _right_columns(self) -> Iterator[Column]:
        broken = {path[1] for path in self._broken if path[0] == "columns" and len(path) > 1}
        return (column_from(column, self.form) for place, column in enumerate(self.form.columns) if place not in broken)


def _in_percent(form: BenchmarkTable) -> bool:
    """Whether the file of published results has per cent."""
    return ((form.reported.scores if form.reported is not None else None) or form.scores) != "share"
