"""ROUGE with the words of any script."""

from __future__ import annotations

import re
from typing import ClassVar

from scoring.metrics.columns import Explanation
from scoring.metrics.rouge import PARTS, TYPES, Rouge


class RepairedRouge(Rouge):
    """ROUGE-1, ROUGE-2 and ROUGE-L with the words of any script, shown beside the official form and never in its place.

    Based on Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, https://aclanthology.org/W04-1013; the
    published numbers are those of :class:`~scoring.metrics.rouge.Rouge`, not these.

    References and answers: as there. Words are runs of letters, digits and combining marks of any script, without case
    and invisible characters, accents composed; in scripts without spaces between words, each character is a word
    (:mod:`~scoring.metrics.text.scripts`). Words of more than three characters are stemmed, which changes English
    endings alone. For a text of printable ASCII characters, words and scores are those of the official form.

    Each score is from 0 to 1, higher is better; the aggregate is the mean over all questions. Unanswered questions
    score 0 and count; so do answers and references without a single word.

    :raises UnusableReference: from :meth:`prepare`, as the official form.

    >>> metric = RepairedRouge()
    >>> metric.tokens("Столица: Москва, 首都は東京")
    ['столица', 'москва', '首', '都', 'は', '東', '京']
    >>> metric.score(metric.prepare(["東京"]), ["首都は東京"])["rouge1-repaired.recall"].value
    1.0
    """

    name: ClassVar[str] = "rouge-repaired"
    version: ClassVar[str] = "0.7.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(f"{kind}-repaired.{part}" for kind in TYPES for part in PARTS)
    label: ClassVar[str] = "ROUGE, repaired"
    by_default: ClassVar[bool] = False
    repaired_of: ClassVar[str] = "rouge"

    @property
    def word(self) -> re.Pattern[str]:
        """A word of a folded text. Imported here, because reading the tables of scripts takes long."""
        from scoring.metrics.text.token_forms import WORD

        return WORD

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "A version of ROUGE for every script. Words are runs of letters, digits and accents of any script; in "
                "scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), each character counts as a "
                "word. It is shown beside the official ROUGE and never replaces it."
            ),
            formula=(
                "precision = common / in the answer\n"
                "recall = common / in the reference\n"
                "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions"
            ),
            surprises=(
                "For texts of plain English letters, the values are those of the official ROUGE.",
                "Only English endings are removed from words: a Russian word in another case is another word.",
                "Where characters count as words, values are higher than where words do: do not compare languages.",
            ),
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The kinds of overlap, the words, and the stemmer."""
        return ("types:1,2,L", "tokens:unicode", "stem:porter-nltk")

    def folded(self, text: str) -> str:
        """Without case and invisible characters, and with spaces between characters of scripts without spaces."""
        from scoring.metrics.text.token_forms import fold

        return fold(text)
