"""The metrics in words, for the page of definitions: what each measures, how it is computed, what surprises."""

from collections.abc import Mapping

from scoring.benchmarks.base import MetricExplanation

_PAPER = "https://aclanthology.org/2024.acl-short.2/"

EXPLANATIONS: Mapping[str, MetricExplanation] = {
    "accuracy": MetricExplanation(
        measures=(
            "How many of the reference's strings occur in the answer. A reference is a text, a number, "
            "yes or no, or a list or table of these; the items of a list and the keys and values of a "
            "table are looked for one by one. Both sides are lower-cased, repaired (ftfy), rid of "
            "thousands commas and of , . ? ! : ; and every word is replaced by its lemma. The numbers "
            "equal those of the benchmark's own scorer to the last bit, given the same lemmatiser."
        ),
        formula=(
            "score of a question = (n − missing) / n, with n items at the top level of the reference\n"
            "loose = mean of the scores over all questions\n"
            "strict = share of the questions with nothing missing"
        ),
        surprises=(
            (
                "A perfect answer does not get full marks: the development split's references, copied "
                "word for word, score 0.977 loose and 0.910 strict (with lemmas by lookup, revision of "
                "July 2026)."
            ),
            (
                "An item that begins or ends with anything but a letter or digit, such as $5, 12% or C++, "
                "is hardly ever found."
            ),
            "Points go after numbers were read: 5.2 equals 52, and 1:30 equals 130.",
            (
                "In nested references everything missing counts, but is divided by the number of items at "
                "the top; so a score can fall below 0."
            ),
            (
                "Found is found: in any order, any number of times, denied or not. An answer that names "
                "everything scores well."
            ),
            "An unanswered question scores 0 and counts.",
        ),
        source=_PAPER,
    ),
    "accuracy-repaired": MetricExplanation(
        measures=(
            "The same, as a careful reader would look for the strings. An item is found if its words, "
            "numbers and symbols stand one after the other in the answer, as written or by their lemmas. "
            "It stands beside the official accuracy, never in its place: published numbers are comparable "
            "with the official one alone."
        ),
        formula=(
            "score of a question = found / all, over every text, number, yes or no in the reference at "
            "any depth\n"
            "repaired loose = mean of the scores over all questions\n"
            "repaired strict = share of the questions with everything found"
        ),
        surprises=(
            "A reference copied word for word scores exactly 1.",
            (
                "Items may begin and end with any character; no word and no number is cut. $5 is found in "
                "“costs $5.”, not in $50; 12% is not found in 112%."
            ),
            "Numbers stay whole: 5.2 is neither 52 nor part of 15.2 or 5.25. 1,200 equals 1200.",
            (
                "A currency or percent sign of the reference has to be in the answer, at the same number, "
                "as symbol, code or word: $5 million is found in “5 million dollars”, not in “5 million”. "
                "A sign that only the answer has does no harm."
            ),
            "A reference with nothing to find is refused; an empty item among others is left out.",
            (
                "Still: found is found, denied or not; 5 is found in “5 million”; other spellings of a "
                "date or number are not found."
            ),
        ),
    ),
    "rouge": MetricExplanation(
        measures=(
            "How much the answer and the reference written as text (an item a line; a table as “key - "
            "value” lines) have in common: single words (ROUGE-1), word pairs (ROUGE-2), and the longest "
            "sequence of words in the same order (ROUGE-L). Words are stemmed."
        ),
        formula=(
            "precision = common / in the answer\n"
            "recall = common / in the reference\n"
            "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all "
            "questions"
        ),
        surprises=(
            "Long answers lose precision: a correct answer in full sentences scores below a bare list.",
            "The mean of the F1 values is shown, which is not the F1 of the mean precision and recall.",
            "An unanswered question scores 0 and counts.",
        ),
        source="https://aclanthology.org/W04-1013/",
    ),
    "bleurt": MetricExplanation(
        measures=(
            "How well the answer renders the reference written as text, as a model trained on human "
            "ratings sees it (BLEURT-20)."
        ),
        formula=("score of a question = output of the model for (reference, answer)\nthe mean over all questions"),
        surprises=(
            "Nothing keeps it between 0 and 1, and its unit means nothing by itself.",
            "Reference and answer are cut to 512 tokens together, so the end of a long answer is not seen.",
            "An unanswered question is scored as the empty answer, which is not 0.",
        ),
        source="https://aclanthology.org/2020.acl-main.704/",
    ),
    "judge": MetricExplanation(
        measures=(
            "The share of answers that a language model, asked with the paper's prompt (appendix H.3), "
            "finds factually equivalent to the reference. It chooses one of six letters; B (a consistent "
            "superset), C (the same details) and E (differences that do not matter) count as correct."
        ),
        formula=("score of a question = 1 for B, C or E, otherwise 0\nthe mean over all questions"),
        surprises=(
            (
                "It is noisy: the same answers judged again may move by half a point or more. Numbers by "
                "different judges or prompts are not comparable; the signature names both."
            ),
            "Answers are cut to 4,000 characters.",
            "A reply without a verdict is a failure that is shown, never a zero.",
            "An unanswered question scores 0 without being asked about.",
        ),
        source=_PAPER,
    ),
}
