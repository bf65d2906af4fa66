"""Sets of answers to the questions of a split: the input of scoring.

This module does not record who wrote an answer: submissions and studies refer to an `AnswerSet`, never the other way.
"""

import json
import uuid
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

import zstandard
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone

from scoring.generations.keys import answer_key, place_of
from scoring.models.benchmarks import Setting, Split


class AnswerSet(models.Model):
    """The answers that one party gave to the questions of one split in one setting: the unit of scoring."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="answer_sets")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="answer_sets")
    submission_group = models.UUIDField(
        null=True,
        blank=True,
        db_index=True,
        help_text="Equal for answer sets submitted together; the judge budget applies to all of them.",
    )
    party = models.CharField(
        max_length=40,
        blank=True,
        db_default="",
        help_text="Who waits for the scores, as a key that says nothing of them; parties take turns in a queue.",
    )
    n_attempts = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="How often each question was answered; an attempt may have no answer."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="When answers in it were deleted; it is not scored again after that."
    )

    class Meta:
        ordering: ClassVar = ["created_at"]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], name="answerset_created"),
            models.Index(fields=["split"], condition=models.Q(closed_at__isnull=False), name="answerset_closed"),
        ]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.id}"


def passages_path(instance: "PassageFile", filename: str) -> str:
    """The path of a file of passages: unique, and nothing of the client's file name."""
    del instance, filename
    return f"passages/{uuid.uuid4()}.upload"


class PassageFile(models.Model):
    """The passages that a system retrieved for the questions of an answer set: the file as sent, byte for byte."""

    answer_set = models.OneToOneField(AnswerSet, on_delete=models.CASCADE, related_name="passage_file")
    original = models.FileField(upload_to=passages_path)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="In bytes, as sent.")
    sha256 = models.CharField(max_length=64)
    n_questions = models.PositiveIntegerField(help_text="Questions with at least one passage.")
    warnings = models.JSONField(default=list, help_text="The groups of warnings reported when the file was sent.")

    class Meta:
        ordering: ClassVar = ["answer_set"]

    def __str__(self) -> str:
        return f"{self.filename} ({self.answer_set})"


class Usage(models.Model):
    """What the answers of an answer set took: tokens, seconds, US dollars (`scoring.generations.usage`)."""

    answer_set = models.OneToOneField(AnswerSet, on_delete=models.CASCADE, primary_key=True, related_name="usage")
    totals = models.JSONField(default=dict, help_text="Of the whole run, by field.")
    questions = models.JSONField(
        default=dict, help_text="By field, the values of the questions in qids; empty if only totals are stated."
    )

    class Meta:
        ordering: ClassVar = ["answer_set"]

    def __str__(self) -> str:
        return str(self.answer_set)


BLOCK_BYTES: Final = 32 * 1024
"""The mean size of a block before compression: of larger ones a question's page reads too much, smaller ones compress
less."""
MAX_HALVINGS: Final = 16


def _block_of(qid: str, halvings: int) -> int:
    """The number of the block with the answer to a question, in an answer set of ``2 ** halvings`` blocks: 1 and the
    first bits of the id's hash.

    >>> [_block_of("q1", halvings) for halvings in range(4)]
    [1, 2, 5, 11]
    """
    return (1 << halvings) | (zlib.crc32(qid.encode()) >> (32 - halvings))


def packed(answers: Mapping[str, str], n_attempts: int = 1) -> Iterator[tuple[int, bytes]]:
    """The blocks of a system's answers, by their keys (`answer_key`): number and content."""
    halvings = min((sum(map(len, answers.values())) // BLOCK_BYTES).bit_length(), MAX_HALVINGS)
    blocks: dict[int, dict[str, Any]] = defaultdict(dict)
    for key, text in answers.items():
        qid, attempt = (key, 1) if n_attempts == 1 else place_of(key, n_attempts)
        block = blocks[_block_of(qid, halvings)]
        if n_attempts == 1:
            block[qid] = text
        else:
            block.setdefault(qid, [None] * n_attempts)[attempt - 1] = text
    compressor = zstandard.ZstdCompressor()
    for number in sorted(blocks):
        yield number, compressor.compress(json.dumps(blocks[number], ensure_ascii=False).encode())


Attempts = tuple[str | None, ...]
"""The texts of a question's attempts in their order, ``None`` for one without an answer; of most systems one text."""


class BlockManager(models.Manager[Any]):
    """Stores and reads the answers of systems, or their citations.

    A system may answer a question several times (`AnswerSet.n_attempts`). A reader chooses what it needs:

    - `texts` and `texts_of`, every answer by its key: what counts, compares or limits answers;
    - `attempts` and `attempts_of`, the attempts at each question together: what shows a question with its answers;
    - `first_texts` and `first_texts_of`, one answer a question: what people compare or grade.

    Questions without any answer are in none of them.
    """

    def store(self, answer_set: AnswerSet, answers: Mapping[str, str]) -> None:
        """Store a system's answers, by their keys (`answer_key`). One query."""
        self.bulk_create(
            self.model(answer_set=answer_set, number=number, content=content)
            for number, content in packed(answers, answer_set.n_attempts)
        )

    def attempts(
        self, answer_sets: Iterable[AnswerSet | uuid.UUID], qids: Collection[str] | None = None
    ) -> Iterator[tuple[uuid.UUID, str, Attempts]]:
        """The key of an answer set, a question's id and the attempts at it, in the order of sets and of the ids'
        hashes. One query, as each of the others.

        Args:
            qids: the questions, if not all.
        """
        blocks = self.filter(answer_set__in=answer_sets if isinstance(answer_sets, QuerySet) else list(answer_sets))
        if qids is not None:
            numbers = {_block_of(qid, halvings) for qid in qids for halvings in range(MAX_HALVINGS + 1)}
            blocks = blocks.filter(number__in=numbers)
        decompressor = zstandard.ZstdDecompressor()
        rows = blocks.order_by("answer_set", "number").values_list("answer_set", "content")
        for key, content in rows.iterator(chunk_size=100):
            block: dict[str, str | list[str | None]] = json.loads(decompressor.decompress(content))
            for qid in block if qids is None else block.keys() & qids:
                stored = block[qid]
                yield key, qid, (stored,) if isinstance(stored, str) else tuple(stored)

    def attempts_of(
        self, answer_set: AnswerSet | uuid.UUID, qids: Collection[str] | None = None
    ) -> dict[str, Attempts]:
        """The attempts of a system at each question, by the question's id."""
        return {qid: attempts for _, qid, attempts in self.attempts([answer_set], qids)}

    def texts(
        self, answer_sets: Iterable[AnswerSet | uuid.UUID], qids: Collection[str] | None = None
    ) -> Iterator[tuple[uuid.UUID, str, str]]:
        """The key of an answer set, that of an answer (`answer_key`) and its text, in the order of `attempts`."""
        for answer_set, qid, attempts in self.attempts(answer_sets, qids):
            for number, text in enumerate(attempts, start=1):
                if text is not None:
                    yield answer_set, answer_key(qid, number, len(attempts)), text

    def texts_of(self, answer_set: AnswerSet | uuid.UUID, qids: Collection[str] | None = None) -> dict[str, str]:
        """Every answer of a system, by its key (`answer_key`)."""
        return {key: text for _, key, text in self.texts([answer_set], qids)}

    def first_texts(
        self, answer_sets: Iterable[AnswerSet | uuid.UUID], qids: Collection[str] | None = None
    ) -> Iterator[tuple[uuid.UUID, str, str]]:
        """The key of an answer set, a question's id and the answer in the first attempt, in the order of `attempts`."""
        for answer_set, qid, (first, *_) in self.attempts(answer_sets, qids):
            if first is not None:
                yield answer_set, qid, first

    def first_texts_of(self, answer_set: AnswerSet | uuid.UUID, qids: Collection[str] | None = None) -> dict[str, str]:
        """A system's answers in its first attempt, by the questions' ids."""
        return {qid: text for _, qid, text in self.first_texts([answer_set], qids)}


class AnswerBlock(models.Model):
    """Some answers of a system, compressed together, as sent. Which of them, the hashes of the questions' ids say: the
    answers of all systems to a question are found by a few numbers of blocks."""

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    number = models.PositiveIntegerField(help_text="1, and the first bits of the hashes of the questions' ids.")
    content = models.BinaryField(help_text="Texts by the ids of their questions: JSON, compressed by Zstandard.")

    objects: ClassVar = BlockManager()

    class Meta:
        ordering: ClassVar = ["answer_set", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["answer_set", "number"], name="block_unique_in_set")]

    def __str__(self) -> str:
        return f"Block {self.number} of {self.answer_set_id}"


class CitationBlock(models.Model):
    """The citations of some answers of a system (`scoring.generations.citations`), as `AnswerBlock` has the answers.
    Answers without citations are in none."""

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="citation_blocks", db_index=False)
    number = models.PositiveIntegerField(help_text="1, and the first bits of the hashes of the questions' ids.")
    content = models.BinaryField(help_text="Citations by the ids of their questions: JSON, compressed by Zstandard.")

    objects: ClassVar = BlockManager()

    class Meta:
        ordering: ClassVar = ["answer_set", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer_set", "number"], name="citations_unique_in_set")
        ]

    def __str__(self) -> str:
        return f"Citations {self.number} of {self.answer_set_id}"


class Answer(models.Model):
    """An answer of a study's participant, who is named by a code. Several may answer the same question."""

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="answers")
    qid = models.CharField(max_length=64)
    participant = models.CharField(max_length=32, blank=True)
    text = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the participant withdrew. Earlier scores include the answer; new scores do not.",
    )

    class Meta:
        ordering: ClassVar = ["answer_set", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer_set", "qid", "participant"], name="answer_unique_in_set")
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text[:60]}"
