"""Descriptions of the metrics of lists for the page of definitions."""

from collections.abc import Mapping

from scoring.benchmarks.base import MetricExplanation

EXPLANATIONS: Mapping[str, MetricExplanation] = {
    "list-f1": MetricExplanation(
        measures=(
            "Measures how many of a question's gold answers are among the system's predictions. A gold answer is found "
            "if a prediction equals one of its aliases after both are lower-cased and stripped of punctuation and of "
            "the words a, an and the. The scores are identical to those of the published scorer."
        ),
        formula=(
            "recall = found / gold answers\n"
            "precision = found / different predictions\n"
            "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions\n"
            "F1 ≥ .5 and recall ≥ .8: the share of questions"
        ),
        surprises=(
            "Predictions are different by their exact text: “Oslo” and “oslo” count as two in precision.",
            "Only aliases match; the answer's own text does not, unless it is among them.",
            "An alias of several gold answers counts for the last one only.",
            (
                "F1 is computed from rounded precision and recall: 21 of 60 predictions and of 24 gold answers "
                "gives 0.4999999999999999, which is not ≥ .5."
            ),
            "A correct answer that is not among the gold answers lowers precision.",
            "An unanswered question and an empty list score 0 and count.",
        ),
        source="https://aclanthology.org/2023.gem-1.8/",
    ),
    "list-f1-repaired": MetricExplanation(
        measures=(
            "A version of List F1 that corrects the problems listed above. It is shown beside the official one and "
            "never replaces it: published numbers are comparable only with the official one."
        ),
        formula=(
            "m = the largest number of pairs of a prediction and a gold answer with the same name\n"
            "recall = m / gold answers\n"
            "precision = m / different predictions\n"
            "F1 = 2m / (different predictions + gold answers)"
        ),
        surprises=(
            "Predictions are different after their spelling is folded; accents and typographic marks do not matter.",
            "The answer's own text matches as its aliases do.",
            "A prediction finds at most one gold answer, and a gold answer is found at most once.",
            "Hyphens and spaces still matter: “Spider-Man” is “spiderman”, not “spider man”.",
        ),
    ),
    "list-f1-alce": MetricExplanation(
        measures=(
            "Precision and recall as the benchmark ALCE computes them: five found answers are enough for "
            "full recall. There, predictions are read from the first line of a text and divided at commas."
        ),
        formula=(
            "precision = predictions that are an alias of any gold answer / predictions\n"
            "Recall-5 = min(5, found) / min(5, gold answers)\n"
            "F1-5 = 2 · precision · Recall-5 / (precision + Recall-5), for each question; the mean over all questions"
        ),
        surprises=(
            "A repeated prediction counts each time in precision.",
            "An alias that two gold answers share finds both.",
            "If predictions are divided at commas, an answer that contains a comma cannot be found.",
        ),
        source="https://aclanthology.org/2023.emnlp-main.398/",
    ),
    "list-judge": MetricExplanation(
        measures=(
            "Measures how many of a question's gold answers are in the system's answer, and how much of it is correct. "
            "A language model gets one of the benchmark's two prompts: one for questions with one gold answer, one for "
            "lists. It counts the answers and lists the correct ones; precision, recall and F1 are computed from its "
            "counts."
        ),
        formula=(
            "c = correct answers, L = answers (both as the judge counts), G = gold answers\n"
            "recall = min(c, G) / G\n"
            "precision = c / max(L, c)\n"
            "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions\n"
            "one gold answer: precision, recall and F1 are the judge's final precision, 0 to 1"
        ),
        surprises=(
            (
                "Replies are read as the published program reads them: a blank list of correct answers counts as one "
                "answer, one that is listed twice counts twice, and a length of 0 makes all three 0."
            ),
            (
                "A reply on which the published program fails, or which it counts as 0 because it cannot read it, is "
                "asked for again and then shown as unparsed. A run with such a reply has no score."
            ),
            (
                "For a numeric answer the judge computes 1 − |g − p| / max(|g|, |p|) itself, and miscalculates. “F1, "
                "numbers recomputed” uses the value computed by code where both numbers can be read."
            ),
            "The judge gets one answer a line, not the system's own wording.",
            "Scores by different judges or prompts are not comparable; the signature names both.",
            "An unanswered question and an empty list score 0 without a call to the judge.",
        ),
        source="https://arxiv.org/abs/2508.11133",
    ),
    "side-by-side": MetricExplanation(
        measures=(
            "Measures how good a system's answers are beside those of a baseline. A language model gets the question "
            "and both answers, criticises each and gives it a score from 1 to 100. It is asked twice, with each answer "
            "first once, because models prefer an answer for its place."
        ),
        formula=(
            "preference in one order = 1 if the system's score is higher, ½ if they are equal, 0 if it is lower\n"
            "win rate = the mean preference over both orders and all questions\n"
            "mean score = the mean of the system's scores / 100, over both orders and all questions"
        ),
        surprises=(
            "A win rate depends on the baseline; the signature names its answers.",
            "The score of an answer depends on the answer that is shown beside it.",
            "A reply without both scores is asked for again and then shown as unparsed, never counted as a loss.",
            "Judges tend to prefer longer answers.",
        ),
        source="https://arxiv.org/abs/2402.17896",
    ),
    "passage-recall": MetricExplanation(
        measures=(
            "Measures how good the passages are that a system retrieved, in the order in which it ranked them: how "
            "many of a question's gold answers they contain (ARecall@K), and how much of the evidence is among them "
            "(ERecall@K)."
        ),
        formula=(
            "ARecall@K = gold answers in the title or text of one of the first K passages / gold answers\n"
            "ERecall@K = passages of evidence found among the first K / passages of evidence\n"
            "for each question; the mean over all questions"
        ),
        surprises=(
            (
                "A passage contains an answer if the answer's own text is in it, in exactly this spelling and case. An "
                "alias counts only in the columns with aliases: the paper counts aliases, the published code does not."
            ),
            (
                "A passage is evidence if its title is that of the evidence, without regard to case, and the texts "
                "have a common part of more than 0.7 times the length of the shorter one."
            ),
            "The length of passages is not limited: compare systems whose passages have about the same length.",
            "Evidence is scored only if every question of the split has some.",
            "A question without passages scores 0.",
        ),
        source="https://aclanthology.org/2023.gem-1.8/",
    ),
}
