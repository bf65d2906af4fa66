"""The data card of Researchy Questions: facts from its paper and its published files, each with its source section.

The paper is Rosset, Chung, Qin, Chau, Feng, Awadallah, Neville and Rao, 2024, https://arxiv.org/abs/2402.17896.
"""

from scoring.benchmarks.base import CardSection, DataCard, Licence

_DATA = "https://huggingface.co/datasets/corbyrosset/researchy_questions"

CARD = DataCard(
    lede=(
        "Questions that people typed into a search engine and worked on for long: there is no single right answer, and "
        "a good one takes several documents and perspectives into account."
    ),
    example=None,
    sections=(
        CardSection(
            "origin",
            "How the questions were chosen",
            (
                (
                    "English queries to a commercial search engine from July 2021 to August 2022, each issued at least "
                    "50 times, of 3 to 15 words, with at least two clicked documents. Production classifiers selected "
                    "questions, and removed navigation, shopping, local, coding and health queries: 15.7 million."
                ),
                (
                    "A classifier of factoid questions (threshold 0.75) left 1.0 million, and a decompositional "
                    "classifier, which estimates whether sub-questions are needed (threshold 0.6), 146,000. "
                    "Deduplication by embeddings left 102,000."
                ),
                (
                    "GPT-4 labelled eight qualities of each question on a scale to 10. Questions that were ambiguous "
                    "or incomplete (3 %), too assumptive (2 %) or harmful (2 %) were removed; 96,000 remained."
                ),
            ),
            source="Paper, sections 2.1 to 2.5 and appendix A.1",
        ),
        CardSection(
            "numbers",
            "Numbers",
            points=(
                "About 90,000 questions for training and 6,400 for test.",
                "4.9 clicked documents per question on average, of 350,000 in ClueWeb22.",
                "14.3 sub-questions and 12.6 queries per question in GPT-4's decompositions on average.",
            ),
            source="Paper, table 1 and section 3",
        ),
        CardSection(
            "splits",
            "Splits and categories",
            (
                (
                    "Both splits are open: there are no reference answers to hide. A maintainer imports the published "
                    "files. Comparing two systems takes two requests for each question, so a site may import a part "
                    "of the test split; the paper used 1,000 questions."
                ),
                (
                    "Boards show results by each of GPT-4's eight labels (ambiguous, incomplete, assumptive, "
                    "multi-faceted, knowledge-intensive, subjective, reasoning-intensive, harmful) in the bins 0–3, "
                    "4–7 and 8–10, and by the score of the decompositional classifier. The bins are this site's. The "
                    "clicked documents are the evidence of a question, and the sub-questions its decomposition."
                ),
            ),
            source="This site; paper, section 3 and figure 7",
        ),
        CardSection(
            "evaluation",
            "Evaluation",
            (
                (
                    "Since there is no single right answer, the paper compares answers with each other: a judge "
                    "criticises each candidate by five guidelines (usefulness, relevance, truthfulness, groundedness, "
                    "thoroughness) and gives it a score from 1 to 100. It suggests the closed-book answer as the "
                    "baseline. The judge's prompt is that of figure 8; its sentences about a reference answer are left "
                    "out, because questions have none. This site asks in both orders."
                ),
            ),
            source="Paper, section 5 and figure 8; this site",
        ),
        CardSection(
            "results",
            "Published results",
            (
                (
                    "The boards have the three systems of the last row of table 5: the mean scores that GPT-4 gave to "
                    "GPT-4's answers. Direct answer, chain-of-thought decomposition and factored decomposition are "
                    "systems, all in the setting closed book. The paper prints no win rates. For the other data sets "
                    "of table 5, the scores of direct answer, chain of thought and factored decomposition:"
                ),
            ),
            (
                "HotpotQA 83.4, 83.5, 81.3; OpenBookQA 86.1, 83.5, 80.7; StrategyQA 80.8, 83.7, 82.6",
                "TruthfulQA 73.7, 82.4, 81.5; AQuaMuSe 83.0, 84.9, 85.0; WikiHowQA 82.9, 84.4, 88.2",
                "ELI5: askhistorians 79.8, 77.3, 79.3; askscience 81.1, 79.4, 82.7; eli5 83.1, 85.0, 86.5",
                "Stack Exchange 78.4, 70.7, 73.4",
            ),
            source="Paper, table 5",
        ),
        CardSection(
            "flaws",
            "Known limitations",
            points=(
                "The questions are English only.",
                "The distance to the best possible answers is unknown.",
                "The decompositions are GPT-4's, made without the documents; their quality was not measured.",
                "Clicks show which documents people found useful, not that these answer the question.",
            ),
            source="Paper, sections 7 and Limitations",
        ),
    ),
    licences=(
        Licence("Questions, labels and decompositions", "CDLA-Permissive-2.0", "https://cdla.dev/permissive-2-0/"),
    ),
    papers=(
        ("The paper", "https://arxiv.org/abs/2402.17896"),
        ("The published files", _DATA),
    ),
    bibtex="""@misc{rosset2024researchy,
  title = {Researchy Questions: A Dataset of Multi-Perspective, Decompositional Questions for {LLM} Web Agents},
  author = {Rosset, Corby and Chung, Ho-Lam and Qin, Guanghui and Chau, Ethan C. and Feng, Zhuo and Awadallah, Ahmed and
    Neville, Jennifer and Rao, Nikhil},
  year = {2024},
  eprint = {2402.17896},
  archivePrefix = {arXiv},
}""",
)
