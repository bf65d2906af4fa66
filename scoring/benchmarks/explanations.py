"""Descriptions of the metrics for the page of definitions: what each measures, how it is computed, common surprises.

A benchmark may replace them, or add surprises that concern its own data.
"""

from collections.abc import Mapping

from scoring.benchmarks.base import MetricExplanation

_PAPER = "https://aclanthology.org/2024.acl-short.2/"

EXPLANATIONS: Mapping[str, MetricExplanation] = {
    "accuracy": MetricExplanation(
        measures=(
            "Measures how many of the reference's strings occur in the answer. A reference is a text, a "
            "number, yes or no, or a list or table of these; the items of a list and the keys and values of a "
            "table are searched one by one. Answer "
            "and reference are lower-cased, cleaned of encoding errors (ftfy), and stripped of thousands "
            "separators and of the characters “, . ? ! : ;”. Then every word is replaced by its lemma."
        ),
        formula=(
            "score of a question = (n − missing) / n, with n items at the top level of the reference\n"
            "loose = mean of the scores over all questions\n"
            "strict = share of the questions with nothing missing"
        ),
        surprises=(
            (
                "An item that begins or ends with anything but a letter or digit, such as $5, 12% or C++, is "
                "rarely found, even if the answer contains it."
            ),
            "Periods and colons inside numbers are removed: 5.2 equals 52, and 1:30 equals 130.",
            (
                "In nested references, every missing string is counted, but the count is divided by the number "
                "of items at the top level. A score can therefore be below 0."
            ),
            (
                "Order, repetition and negation do not matter: an item counts as found anywhere in the answer. "
                "An answer that lists everything scores well."
            ),
            "An unanswered question scores 0 and counts towards the mean.",
        ),
        source=_PAPER,
    ),
    "accuracy-repaired": MetricExplanation(
        measures=(
            "A version of string accuracy that corrects several of the problems listed above. An "
            "item is found if its words, numbers and "
            "symbols occur consecutively in the answer, as written or as lemmas. It is shown beside the "
            "official accuracy and never replaces it: published numbers are comparable only with the official "
            "accuracy."
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
                "Items may begin and end with any character, and only match whole words and numbers. $5 is "
                "found in “costs $5.”, but not in $50; 12% is not found in 112%."
            ),
            "Numbers are compared as a whole: 5.2 is neither 52 nor part of 15.2 or 5.25. 1,200 equals 1200.",
            (
                "A currency or percent sign in the reference must occur in the answer with the same number, as "
                "symbol, code or word: $5 million is found in “5 million dollars”, but not in “5 million”. An "
                "extra sign in the answer does no harm."
            ),
            "A reference with no searchable item cannot be scored; an empty item among others is skipped.",
            (
                "Remaining limits: negation is ignored; 5 is found in “5 million”; other spellings of a date "
                "or number are not found."
            ),
        ),
    ),
    "rouge": MetricExplanation(
        measures=(
            "Measures the overlap of the answer with the reference written as text (one item per line; a table "
            "as “key - value” lines): single words (ROUGE-1), word pairs (ROUGE-2), and the longest common "
            "subsequence of words (ROUGE-L). Words are stemmed."
        ),
        formula=(
            "precision = common / in the answer\n"
            "recall = common / in the reference\n"
            "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all "
            "questions"
        ),
        surprises=(
            "Long answers lose precision: a correct answer in full sentences scores below a bare list.",
            "The score is the mean of the F1 values, not the F1 of mean precision and mean recall.",
            "An unanswered question scores 0 and counts.",
        ),
        source="https://aclanthology.org/W04-1013/",
    ),
    "bleurt": MetricExplanation(
        measures=(
            "Measures how well the answer conveys the reference written as text, according to a model trained "
            "on human ratings (BLEURT-20)."
        ),
        formula=("score of a question = output of the model for (reference, answer)\nthe mean over all questions"),
        surprises=(
            "Scores are not limited to the range from 0 to 1, and their absolute values have no fixed meaning.",
            "Reference and answer together are cut to 512 tokens, so the end of a long answer is not read.",
            "An unanswered question is scored as an empty answer, which does not give 0.",
        ),
        source="https://aclanthology.org/2020.acl-main.704/",
    ),
    "judge": MetricExplanation(
        measures=(
            "The share of answers that a language model, given the prompt of its paper (appendix H.3), "
            "considers factually equivalent to the reference. It chooses one of six letters; B (a consistent "
            "superset), C (the same details) and E (differences that do not matter) count as correct."
        ),
        formula=("score of a question = 1 for B, C or E, otherwise 0\nthe mean over all questions"),
        surprises=(
            (
                "Scores vary between runs: judging the same answers again can change the score by 0.005 "
                "or more. Scores by different judges or prompts are not comparable; the signature names both."
            ),
            "Answers are cut to 4,000 characters.",
            "A judge's reply without a verdict is shown as a failure, never counted as 0.",
            "An unanswered question scores 0 without a call to the judge.",
        ),
        source=_PAPER,
    ),
}
