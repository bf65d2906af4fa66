"""The data card of QAMPARI: facts from its paper and its repository, each with its source section.

The paper is Amouyal, Wolfson, Rubin, Yoran, Herzig and Berant, GEM 2023, https://aclanthology.org/2023.gem-1.8/.
"""

from scoring.benchmarks.base import CardSection, DataCard, ExampleQuestion, ExampleStep, Licence

_WIKIPEDIA = "https://en.wikipedia.org/wiki/"

EXAMPLE = ExampleQuestion(
    question="Who are the directors of movies produced by Eric Newman?",
    steps=(
        ExampleStep(
            "Who directed “Dawn of the Dead”?",
            "Dawn of the Dead (2004 film)",
            f"{_WIKIPEDIA}Dawn_of_the_Dead_(2004_film)",
            "Zack Snyder",
        ),
        ExampleStep("Who directed “Project Power”?", "Project Power", f"{_WIKIPEDIA}Project_Power", "Ariel Schulman"),
        ExampleStep(
            "Who directed “RoboCop”?", "RoboCop (2014 film)", f"{_WIKIPEDIA}RoboCop_(2014_film)", "José Padilha"
        ),
    ),
    answer=(("Dawn of the Dead", "Zack Snyder"), ("Project Power", "Ariel Schulman"), ("RoboCop", "José Padilha")),
    source="Paper, figure 1, which shows a part of the answers",
)

CARD = DataCard(
    lede=(
        "Questions over English Wikipedia whose answers are lists: every question has at least five answers, each "
        "supported by one or two passages."
    ),
    example=EXAMPLE,
    sections=(
        CardSection(
            "origin",
            "How the questions were made",
            (
                (
                    "Programs generated questions from two sources: the knowledge graph Wikidata, with 135 hand-picked "
                    "relations, and 1,897 Wikipedia tables with titles “List of …”. A simple question asks for "
                    "everything with one relation to one entity. An intersection question combines two simple "
                    "ones; a composition question applies a second relation to the answers of a simple one."
                ),
                (
                    "Evidence for each answer was searched in the Wikipedia dump of 1 August 2021 and checked by a "
                    "model of natural language inference. A question was retained if at least 80 % of its answers "
                    "were confirmed; only these are its gold answers."
                ),
            ),
            source="Paper, sections 2.1 to 2.3",
        ),
        CardSection(
            "validation",
            "Validation by people",
            (
                (
                    "For development and test, 24 crowd workers checked 30,259 answers against the evidence pages; "
                    "96.6 % were confirmed. Wrong answers were injected in 10 % of the cases to find careless "
                    "workers, and the authors checked 5 % of the answers marked as correct and all that were marked "
                    "as incorrect. The average pay was 12.50 dollars per hour."
                ),
                (
                    "Workers reworded all questions for development and test, and 3,000 training questions. The "
                    "other training questions have the wording of a template."
                ),
            ),
            source="Paper, section 2.5",
        ),
        CardSection(
            "division",
            "Division into splits",
            (
                (
                    "61,911 questions for training, 1,000 for development and 1,000 for test. Relations are divided "
                    "between training and the other two, so that a model cannot memorise how a relation is worded. "
                    "Development and test together have 1,000 simple questions (830 from Wikidata, 170 from tables) "
                    "and 1,000 complex ones (400 intersections and 400 compositions from Wikidata, 200 compositions "
                    "from tables)."
                ),
                (
                    "The categories of the boards are these five kinds, which the ids name, and the number of "
                    "answers in the bins of the paper's figure 3a."
                ),
                "All answers are published, those of the test split too: no split is hidden here.",
            ),
            source="Paper, section 2.4, table 2 and figure 3a; the benchmark's repository",
        ),
        CardSection(
            "answers",
            "Numbers of answers",
            (
                (
                    "Test questions have 13.23 answers on average and 7 in the median; 20 % have more than 15 "
                    "answers, 3.5 % more than 50. Each answer has aliases from Wikidata, which also count."
                ),
            ),
            source="Paper, section 3 and appendix D",
        ),
        CardSection(
            "retrieval",
            "Retrieval",
            (
                (
                    "Published recall of the retrievers on the test split, in per cent, among the first 10, 25, 50, "
                    "100 and 200 passages. ARecall is the share of answers that a passage contains, ERecall the share "
                    "of evidence passages."
                ),
            ),
            (
                "BM25, ARecall: 24.6, 37.4, 46.6, 54.6, 61.0",
                "DPR, ARecall: 21.9, 31.5, 39.6, 47.1, 55.2",
                "BM25, ERecall: 11.1, 28.4, 38.7, 47.6, 55.6",
                "DPR, ERecall: 11.1, 16.2, 20.8, 25.5, 30.2",
            ),
            source="Paper, table 3",
        ),
        CardSection(
            "use",
            "Intended use",
            (
                (
                    "To evaluate open-domain question answering where many answers must be found, together with "
                    "other benchmarks: its questions are mostly generated, and a system could be built around the way "
                    "they were."
                ),
            ),
            source="Paper, section 4.2 and Limitations",
        ),
        CardSection(
            "flaws",
            "Known limitations",
            points=(
                (
                    "Gold answers are incomplete: a correct answer may count as wrong. For 200 test questions, the "
                    "ExtendedSet, an author searched for further answers for 12 minutes each, and added 3.13 on "
                    "average. Precision is 5 to 6 points higher on it; the order of the systems is the same (table 8). "
                    "Once it is imported, boards of the test split show the scores on it too."
                ),
                "Only relations of Wikidata and columns of Wikipedia tables occur.",
                (
                    "The README of the project's repository prints other numbers than table 4 of the paper in the "
                    "four rows of FiD-DPR and PIG-DPR that it has. The boards show the paper's."
                ),
                (
                    "The published scorer has surprises, which its numbers contain; see the definition of List F1. "
                    "The answer's own text, for example, counts only if it is among its aliases."
                ),
            ),
            source="Paper, Limitations and appendix F; the benchmark's repository",
        ),
    ),
    licences=(
        Licence("Code and data of the repository", "CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
        Licence("Text of Wikipedia", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    ),
    papers=(
        ("The paper (GEM 2023)", "https://aclanthology.org/2023.gem-1.8/"),
        ("The benchmark's repository", "https://github.com/samsam3232/qampari"),
    ),
    bibtex="""@inproceedings{amouyal-etal-2023-qampari,
  title = {{QAMPARI}: A Benchmark for Open-domain Questions with Many Answers},
  author = {Amouyal, Samuel and Wolfson, Tomer and Rubin, Ohad and Yoran, Ori and Herzig, Jonathan and Berant,
    Jonathan},
  booktitle = {Proceedings of the Third Workshop on Natural Language Generation, Evaluation, and Metrics (GEM)},
  month = dec,
  year = {2023},
  address = {Singapore},
  publisher = {Association for Computational Linguistics},
  url = {https://aclanthology.org/2023.gem-1.8/}
}""",
)
