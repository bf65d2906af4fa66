"""The glossary: every term of the field and of the site, once.

`docs/glossary.md` is generated from this module, because a deployed site has no ``docs/``:
``python -m leaderboard.pages.glossary`` writes the file again, and a test compares the two.
"""

from pathlib import Path
from typing import Final

DOCUMENT: Final = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"

INTRODUCTION: Final = """\
# Glossary

Each term of the field and of the site, once. Every site shows the same list at `/definitions/#glossary`. This file is
generated from `leaderboard/pages/glossary.py`: edit the terms there and run `python -m leaderboard.pages.glossary`.
"""


GLOSSARY: Final = {
    "Adjudication": "A maintainer's decision on an answer that graders graded differently. It decides the answer's "
    "grade; the graders' own grades are stored unchanged.",
    "Anomaly": "Something unusual in a submitted file that a maintainer should review, such as answers identical to "
    "those of another submission. It does not change any score.",
    "Answer": "The text that a system or a participant gives to one question.",
    "Answer set": "The answers of one system, or of one study, to one revision of a split in one setting. Metrics "
    "score answer sets.",
    "Attempt": "One of several answers that a system gives to the same question, with a number from 1. A question's "
    "value is the mean of its attempts.",
    "Attention check": (
        "A question in a study whose answer shows whether the participant reads the questions. It is never scored."
    ),
    "Audit log": "The list of changes by maintainers and management commands, with user and time. Entries cannot be "
    "edited or deleted on the site.",
    "Benchmark": "A set of questions with reference answers, its settings, and the metrics that score answers to them.",
    "Calibration answer": "An answer in a grading round whose correct grade is already known. Graders cannot see "
    "which answers these are; they show how closely a grader's grades match the known ones.",
    "Citation": (
        "A source that an answer names for a sentence, by [1] and so on. A judge may decide whether it supports the "
        "sentence."
    ),
    "Column": "One score on a leaderboard, such as loose accuracy or ROUGE-1 F1. A metric can have several columns.",
    "Confidence interval": "A range around a score that shows how much the score would vary with other questions of "
    "the same kind. All intervals here are 95 % intervals; they are within the range of the score, and people "
    "are their unit in studies.",
    "Consent": (
        "A participant's agreement to the consent text of a study. Without consent, a participant sees no question."
    ),
    "Corrected score": "A judge's score, corrected for the judge's errors on a random sample of answers that people "
    "graded. It is shown beside the judge's own score.",
    "Criterion": (
        "What a judge or a grader decides about a report, with a weight. One with a weight below 0 is negative: it "
        "names a fault. An optional one is not required."
    ),
    "Difficulty": (
        "How hard a question is for the systems of a setting: the mean of their scores on it. The lower, the harder."
    ),
    "Discrimination": "How well a question tells better systems from worse ones: over systems, the correlation of the "
    "score on it with the mean score on all other questions. Below 0, better systems do worse, and the reference "
    "answer may be wrong.",
    "Draft": "A study without an opening time, which nobody can join yet; or an import that a maintainer has not "
    "confirmed yet.",
    "Encyclopedia": "The collection of articles that participants and graders search and read on the site.",
    "Evidence": "The articles that are necessary to answer a question, as listed by the benchmark.",
    "Export": "Data as files: a leaderboard as CSV, JSON, LaTeX, BibTeX or Markdown; a study or a grading round with "
    "all of its tables.",
    "Final part": "Questions of a hidden split that are kept until it closes: the site draws them and tells nobody "
    "which they are. Until then, boards show scores on the others, the public part; afterwards, systems are ranked by "
    "the final part alone.",
    "Generations file": (
        "The file with a system's answers in one setting: one JSON object with question id and answer per line."
    ),
    "Grade": "A grader's decision on one answer: which items of the reference it contains, and what else is right or "
    "wrong with the answer, from which the site derives a letter from A to F; of a report, whether it meets each "
    "criterion.",
    "Grader": (
        "A person who compares answers with the reference in a grading round, without seeing whose answers they are."
    ),
    "Grading round": (
        "A set of answers of systems or participants that named graders compare with the reference, item by item."
    ),
    "Hidden split": (
        "A split whose reference answers are not published. Its scores are never shown question by question."
    ),
    "Human performance": "How well the participants of a study answer: their score by people's grades, or by the same "
    "metrics as any system.",
    "Inter-annotator agreement": "How far graders agree beyond what chance would produce: Krippendorff's alpha, and "
    "Cohen's kappa for two graders.",
    "Item": "One part of a reference answer: a text, a number, yes or no. A reference that is a list or a table has "
    "several.",
    "Judge": "A language model that compares an answer with the reference and gives a verdict.",
    "Judge validation": "The comparison of the judge's verdicts with the grades that people gave to the same answers.",
    "Leaderboard": "A table of systems with their scores, for one split in one setting. Short: board.",
    "Lemmatiser": "The component that reduces words to their dictionary form before string accuracy compares them.",
    "Maintainer": "A person with the right to change what is scored and shown: data, queues, moderation, studies. A "
    "study's owner maintains that study alone.",
    "Metric": (
        "A procedure that scores answers against the reference answers: string accuracy, ROUGE, BLEURT, the judge."
    ),
    "Moderation flag": "A finding about a submission that a maintainer should look at, such as answers equal to those "
    "of another submission. It changes no score.",
    "Owner": "The account or team that sent a submission, the account that manages a study, or a member of a team who "
    "may invite and remove members.",
    "P-value": (
        "The probability of a difference at least as large as the observed one if two systems were equally good."
    ),
    "Participant": "A person who answers questions in a study. They join with a link and need no account.",
    "pass@k and pass^k": "Of several attempts: the chance that at least one of k attempts at a question is right, and "
    "the chance that all of k are. Both are given where an answer is right or wrong as a whole.",
    "Passage": "A part of an article of up to 1,024 characters. Passages can be ranked by how well they match a query.",
    "Practice question": (
        "A question that a participant answers before the study's own questions, with feedback. It is not scored."
    ),
    "Pseudonym": "The made-up name of a system that is published anonymously, until its name is revealed.",
    "Queue": (
        "What waits for a worker. Each kind of worker has its own queue: cpu, bleurt, judge, site (for housekeeping)."
    ),
    "Quota": "The maximum number of submissions to a benchmark scored for a team or person in seven days.",
    "Rank range": "The ranks that a system can have by its true score, over all questions of the same kind. With 95 % "
    "confidence the ranges of all systems hold at once.",
    "Rate limit": (
        "The maximum number of requests, or tries to sign in, by one account or address in a period of time."
    ),
    "Reference answer": "The correct answer to a question, as the benchmark gives it. Short: reference.",
    "Reference report": "A report to which a benchmark compares others on every criterion of a question.",
    "Reported row": "A row of a leaderboard whose numbers come from a publication and were not computed on the site. "
    "It has no rank.",
    "Retraction": "The removal of a row from the leaderboards by a maintainer, with a public note.",
    "Revision": "A dated version of the questions and reference answers of a split. Scores of different revisions are "
    "not ranked together.",
    "Rubric": "The weighted criteria of a question.",
    "Run": "The computation of one metric for one answer set. A run is queued, running, done, or ended without a "
    "score for a reason: incomplete, failed, not configured, over budget or cancelled.",
    "Run fact": "What a submission states of how its answers were made, whatever the benchmark: model, size, tokens, "
    "seconds, cost. Each has its source: stated by the sender, or computed here.",
    "Score": "A metric's number for an answer set: the mean over all questions of the split; in a study, over all "
    "answers given.",
    "Setting": "What systems are given besides the question: nothing (closed book), an encyclopedia (open book), or "
    "the evidence.",
    "Signature": "A line that names everything a score depends on: metric, versions, model, revision of the data. "
    "Only scores with the same signature are compared.",
    "Snapshot": "A dated copy of a leaderboard at a permanent address, for citations. Its numbers never change.",
    "Split": "A part of a benchmark with its own questions, such as development and test.",
    "Spread": "Of several attempts: the standard deviation of their means. It says how far one attempt at all "
    "questions is from another.",
    "Statistically tied": "Not significantly worse than the best system of the column: the rank range begins at 1. It "
    "does not mean equally good: more questions may show a difference.",
    "Study": "A human evaluation: participants answer questions of a benchmark with an encyclopedia, and the site "
    "records what they search and read.",
    "Submission": "A system's generations files for one split, one per setting, with a description of the system.",
    "Submitter": "The person who sent a submission.",
    "Subset": "Some questions of a split with reference answers of their own. The boards of the split show the scores "
    "on them beside its own.",
    "System": (
        "What produced the answers: a model, a pipeline or a group of people. A leaderboard has one row per system."
    ),
    "Team": "Accounts that share submissions: every member can see, replace, publish and withdraw them.",
    "Token": "A secret that lets a program use the API as an account, within a scope and until it expires. To a "
    "language model, a token is a piece of a word.",
    "Verdict": "The judge's decision on one answer: a letter from A to F (B, C and E count as correct), of a list the "
    "number of correct answers, or of a short answer whether it is correct.",
    "Visit": "An article that was shown to a participant, with the time and duration. Reloads are part of the visit.",
    "Win rate at equal length": "The share of questions on which a system would win against the baseline if their "
    "answers were equally long. It is estimated with all systems of a board together and belongs to that board.",
    "Withdrawal": "Of a submission: its owner removes it from the leaderboards permanently; snapshots keep what they "
    "showed. Of a participant: leaving a study, with their answers deleted or anonymised as the consent text "
    "says.",
    "Worker": "A process that takes runs from a queue and computes their scores.",
}
"""Definitions by term."""


def as_markdown() -> str:
    """The glossary as the text of ``docs/glossary.md``."""
    return INTRODUCTION + "".join(f"\n## {term}\n\n{meaning}\n" for term, meaning in GLOSSARY.items())


if __name__ == "__main__":
    DOCUMENT.write_text(as_markdown(), encoding="utf-8")
