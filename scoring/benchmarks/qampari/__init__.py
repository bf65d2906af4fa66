"""The importer of QAMPARI: questions with many answers from many paragraphs (Amouyal et al.,
https://aclanthology.org/2023.gem-1.8). ``benchmark.toml`` declares the benchmark.

It reads the JSON Lines files that the authors publish; the project ships none of them.
"""

import re
from pathlib import Path
from typing import Final

from scoring.benchmarks.base import NO_ANSWER, Importer, SourceFile, SourceQuestion
from scoring.files.rows import read_rows
from scoring.metrics.passage_recall import proof_passage
from scoring.task_types.reference_files import QUESTION_EXAMPLE, QuestionRow

_KIND: Final = re.compile(r"(wikidata|wikitables)_(simple|intersection|comp)")
_TRAINING: Final = "__train"
"""Ends the ids of training questions. Their proofs are not stored: most of the text, and of use for no comparison."""
KINDS: Final = {
    ("wikidata", "simple"): "Wikidata, simple",
    ("wikidata", "intersection"): "Wikidata, intersection",
    ("wikidata", "comp"): "Wikidata, composition",
    ("wikitables", "simple"): "Wikipedia tables, simple",
    ("wikitables", "comp"): "Wikipedia tables, composition",
}
"""The question kinds of the paper's Table 2, by the words of an id."""
LAST_BIN: Final = "More than 100 answers"
BINS: Final = (
    (5, "5 answers"),
    (7, "6–7 answers"),
    (15, "8–15 answers"),
    (50, "16–50 answers"),
    (100, "51–100 answers"),
)
"""The bins of the paper's Figure 3a: the largest number of answers in each, and its name."""


def read_file(path: Path) -> SourceFile:
    """Read a file of questions: JSON Lines as QAMPARI publishes them, also as gzip or in a zip archive.

    Raises:
        SourceError: with every mistake, each with its line and key.
    """
    n_unknown = 0
    questions = []
    for qid, row in read_rows(path, QuestionRow, QUESTION_EXAMPLE).items():
        kind = kind_of(qid)
        n_unknown += kind is None
        answers = row.answer_list or []
        pages = dict.fromkeys(proof["found_in_url"] for answer in answers for proof in answer.proofs)
        stored = [answer.stored(with_proofs=not qid.endswith(_TRAINING)) for answer in answers]
        questions.append(
            SourceQuestion(
                qid=qid,
                text=row.question_text,
                categories=(kind,) if kind else (),
                evidence=(),
                answer=stored or NO_ANSWER,
                answer_categories=(bin_of(len(answers)),) if answers else (),
                answer_evidence=tuple(
                    {"pageid": None, "revid": None, "title": proof_passage("", url).title, "url": url} for url in pages
                ),
            )
        )
    remarks = (f"{path.name}: {n_unknown} ids do not say the kind of their question.",) if n_unknown else ()
    return SourceFile(tuple(questions), remarks)


def kind_of(qid: str) -> str | None:
    """The kind of a question, as its id says it; None if it does not.

    >>> kind_of("38__wikitables_composition__dev"), kind_of("366__wikidata_comp__dev"), kind_of("7__other")
    ('Wikipedia tables, composition', 'Wikidata, composition', None)
    """
    words = _KIND.search(qid)
    return KINDS.get((words[1], words[2])) if words else None


def bin_of(n_answers: int) -> str:
    """The bin of the paper's Figure 3a for a number of answers; every question has at least five there.

    >>> bin_of(5), bin_of(8), bin_of(101), bin_of(1)
    ('5 answers', '8–15 answers', 'More than 100 answers', 'Fewer than 5 answers')
    """
    if n_answers < BINS[0][0]:
        return "Fewer than 5 answers"
    return next((name for most, name in BINS if n_answers <= most), LAST_BIN)


IMPORTER: Final = Importer(read_file)
