"""The data card of MoNaCo: facts from its paper and its repository, each with its source section.

The paper is Wolfson, Trivedi, Geva, Goldberg, Roth, Khot, Sabharwal and Tsarfaty, TACL 2025,
https://arxiv.org/abs/2508.11133.
"""

from scoring.benchmarks.base import CardSection, DataCard, Licence

_REPOSITORY = "https://github.com/tomerwolgithub/monaco"

CARD = DataCard(
    lede=(
        "Questions that people would ask and that take long to answer: each needs facts from dozens of Wikipedia "
        "pages, which are filtered, compared and counted."
    ),
    example=None,
    sections=(
        CardSection(
            "origin",
            "How the questions were made",
            (
                (
                    "24 crowd workers wrote questions that would interest one of 28 given personas, such as a history "
                    "professor or an amateur chef, without templates. Of 1,851 questions, 1,315 remained after "
                    "decomposition, annotation and validation."
                ),
                (
                    "Four expert workers decomposed each question into steps. Ten workers answered the 90,773 "
                    "intermediate questions from the English Wikipedia, with page, section and sentence or table. A "
                    "program derives the follow-up questions, and computes the answer of steps that filter, compare or "
                    "aggregate."
                ),
            ),
            source="Paper, sections 2, 3.1 and 3.2, and appendix B.1",
        ),
        CardSection(
            "validation",
            "Validation",
            (
                (
                    "Two workers answered each intermediate list question; their lists count as correct if more than "
                    "77 % of the items agree and the lengths differ by less than 25 %. Single answers were compared "
                    "with those of GPT-4o, and answered again where the two differ. The authors reviewed all questions "
                    "and decompositions, and checked the final answers."
                ),
            ),
            source="Paper, section 3.3",
        ),
        CardSection(
            "numbers",
            "Numbers",
            points=(
                "1,315 questions with 14.5 words and 5.1 steps on average; 45.3 % aggregate.",
                "43.3 Wikipedia pages per question on average, 12 in the median; 36,194 different pages in all.",
                "66.5 intermediate questions (median 23) and 152.5 intermediate answers (median 53) per question.",
                "Evidence is a sentence (29.5 %), a table (67.8 %) or a list (2.7 %).",
            ),
            source="Paper, table 2",
        ),
        CardSection(
            "splits",
            "Splits and categories",
            (
                (
                    "The gold answers of the test split are private here. The authors publish the questions in "
                    "protected form, so that models are not trained on them; a maintainer imports the unprotected "
                    "file. The development split is for questions whose answers may be shown, and is empty unless a "
                    "maintainer imports some."
                ),
                (
                    "Boards show scores by number of evidence pages, as the paper's figure 7 does. On a split with "
                    "public answers there are also the kind of answer (single answer, number, list), the number of "
                    "gold answers (recall falls with it, as in figure 8), the number of intermediate answers and the "
                    "time-dependence. The bins are those of table 5."
                ),
            ),
            source="This site; paper, sections 5.3 and 8",
        ),
        CardSection(
            "time",
            "Answers that change",
            (
                (
                    "The authors labelled each question: 49.8 % of the answers remain as they are, 34.1 % change every "
                    "few years, 16.1 % each year. The answers are those of the time of annotation."
                ),
            ),
            source="Paper, section 8",
        ),
        CardSection(
            "results",
            "Published results",
            (
                (
                    "The boards have the 22 rows of table 4: 15 models without retrieval, seven of them also with a "
                    "prompt of 21 examples with full reasoning chains. The project's leaderboard lists the better row "
                    "of each model, with the same numbers. Boards of the test split show F1 alone: precision and "
                    "recall would help to find gold answers."
                ),
                "With retrieved documents (BM25) and with the gold evidence, precision, recall and F1 in per cent:",
            ),
            (
                "GPT-4o: BM25 48.21, 34.94, 37.28; evidence 67.28, 56.08, 58.67",
                "Llama 3.1-405B: BM25 44.18, 33.32, 35.06; evidence 66.68, 56.57, 58.83",
            ),
            source="Paper, tables 4 and 6; the benchmark's leaderboard",
        ),
        CardSection(
            "flaws",
            "Known limitations",
            points=(
                "The human ceiling was not measured: a question takes too long for one person.",
                "Precision and recall are counted by a language model; see the definition of the judge of lists.",
                "4.5 % of the intermediate questions are unanswerable from Wikipedia.",
                "Deep-research systems, and systems that alternate retrieval and answering, were not evaluated.",
            ),
            source="Paper, sections 3.3, 5.1 and 8, and appendix A.1",
        ),
    ),
    licences=(
        Licence("Code and prompts of the repository", "Apache 2.0", f"{_REPOSITORY}/blob/main/LICENSE"),
        Licence("Text of Wikipedia", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    ),
    papers=(
        ("The paper (TACL 2025)", "https://arxiv.org/abs/2508.11133"),
        ("The benchmark's repository", _REPOSITORY),
    ),
    bibtex="""@article{wolfson-etal-2025-monaco,
  title = {{MoNaCo}: More Natural and Complex Questions for Reasoning Across Dozens of Documents},
  author = {Wolfson, Tomer and Trivedi, Harsh and Geva, Mor and Goldberg, Yoav and Roth, Dan and Khot, Tushar and
    Sabharwal, Ashish and Tsarfaty, Reut},
  journal = {Transactions of the Association for Computational Linguistics},
  address = {Cambridge, MA},
  publisher = {MIT Press},
  year = {2025},
}""",
)
