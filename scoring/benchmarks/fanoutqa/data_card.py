"""The data card of FanOutQA: facts from its paper and its published files, each with its source section.

The paper is Zhu, Hwang, Dugan and Callison-Burch, ACL 2024, https://aclanthology.org/2024.acl-short.2/. Its example
questions (appendix A) are questions of the development split.
"""

from scoring.benchmarks.base import CardSection, DataCard, ExampleQuestion, ExampleStep, Licence

_WIKIPEDIA = "https://en.wikipedia.org/wiki/"

EXAMPLE = ExampleQuestion(
    question="What are the top 4 best-selling mangas of all time and who is the protagonist for each?",
    steps=(
        ExampleStep(
            "What are the top 4 best-selling mangas of all time?",
            "List of best-selling manga",
            f"{_WIKIPEDIA}List_of_best-selling_manga",
            "One Piece, Golgo 13, Case Closed / Detective Conan, Dragon Ball",
        ),
        ExampleStep("Who is the protagonist of “One Piece”?", "One Piece", f"{_WIKIPEDIA}One_Piece", "Monkey D. Luffy"),
        ExampleStep("Who is the protagonist of “Golgo 13”?", "Golgo 13", f"{_WIKIPEDIA}Golgo_13", "Duke Togo"),
        ExampleStep(
            "Who is the protagonist of “Case Closed / Detective Conan”?",
            "Case Closed",
            f"{_WIKIPEDIA}Case_Closed",
            "Shinichi Kudo",
        ),
        ExampleStep(
            "Who is the protagonist of “Dragon Ball”?",
            "Dragon Ball (manga)",
            f"{_WIKIPEDIA}Dragon_Ball_(manga)",
            "Goku",
        ),
    ),
    answer=(
        ("One Piece", "Monkey D. Luffy"),
        ("Golgo 13", "Duke Togo"),
        ("Case Closed / Detective Conan", "Shinichi Kudo"),
        ("Dragon Ball", "Goku"),
    ),
    source="Paper, appendix A; a question of the development split",
)

CARD = DataCard(
    lede=(
        "Questions written by people over English Wikipedia. To answer one, a system must find a list of "
        "entities, look each of them up in a separate article, and combine what it found."
    ),
    example=EXAMPLE,
    sections=(
        CardSection(
            "origin",
            "How the questions were written",
            (
                (
                    "379 students of courses on artificial intelligence and natural language processing at a "
                    "university in the United States wrote the questions in the week ending on 20 November "
                    "2023. Each question had to need at least five Wikipedia articles. The author also "
                    "decomposed the question into sub-questions, each answered by one article, and wrote the "
                    "answers."
                ),
                (
                    "A snapshot of Wikipedia was taken on that last day so that answers do not change over "
                    "time: a question about the five tallest buildings means those of November 2023."
                ),
            ),
            source="Paper, section 3.1; the instructions are in appendix G.1",
        ),
        CardSection(
            "filtering",
            "How questions were selected",
            (
                (
                    "Of 1,418 questions submitted, 1,034 remained, with 7,305 sub-questions and 4,121 "
                    "different articles. A question was removed if its answer did not consist of the answers "
                    "to its sub-questions, if several sub-questions used one article, or if an article did not "
                    "contain the answer given for it."
                ),
                (
                    "A question was also removed if one of the 30 nearest articles contained every answer, so "
                    "that the remaining questions require fanning out. GPT-4 flagged questions that were "
                    "subjective, lacked a unit or had bad grammar; people decided. Of near-duplicates (cosine "
                    "similarity of embeddings within 0.9), people chose one."
                ),
            ),
            source="Paper, section 3.1 and appendix C",
        ),
        CardSection(
            "evidence",
            "Evidence",
            (
                (
                    "Every question names the articles that its author used, each with its revision in the "
                    "snapshot. On average there are seven, about 172,000 tokens of text: more than most "
                    "systems could read at once when the paper was written."
                ),
                (
                    "The development split includes the sub-questions and all answers; the test split has only "
                    "the questions and the articles."
                ),
            ),
            source="Paper, sections 2 and 3.1",
        ),
        CardSection(
            "people",
            "Human performance",
            (
                (
                    "14 volunteers answered 10 questions each with access to Wikipedia, in 5 to 15 minutes per "
                    "question. They reached 68.5 % loose accuracy and 45.2 % by the judge, which gives no "
                    "credit for partial answers. Graded by hand, 84.7 % of their answers are correct: the "
                    "upper bound shown on boards."
                ),
            ),
            source="Paper, section 4.5",
        ),
        CardSection(
            "use",
            "Intended use",
            (
                (
                    "To evaluate systems that retrieve, read long contexts, or reason over many documents, in "
                    "the three settings of the boards. The decompositions can be used to train a system how to "
                    "proceed; they are not part of any score, because more than one decomposition is valid."
                ),
            ),
            (
                "Tune on the development split, report on the test split, and train on neither.",
                (
                    "Questions have one factual answer. The benchmark does not measure tasks whose answer is a "
                    "matter of judgment, such as planning a trip."
                ),
                ("The benchmark is in English, covers the content of English Wikipedia, and dates from November 2023."),
            ),
            source="Paper, sections 3.2, 5 and 7",
        ),
        CardSection(
            "flaws",
            "Known limitations",
            points=(
                (
                    "Topics are unevenly distributed: geography and history make up 30 % of the topic labels, "
                    "probably because the examples shown to the authors did (appendix B). GPT-4 proposed the "
                    "topics, and people reviewed them."
                ),
                (
                    "The metrics reward recall more than precision: an answer that lists too much loses "
                    "little, and a correct answer in full sentences loses in ROUGE (section 7)."
                ),
                (
                    "References contain only one way of writing each item; string accuracy does not find “two” "
                    "for “2” (section 4.1). The development split's own references do not get full marks from "
                    "it."
                ),
                (
                    "The paper says that stop words are removed before the comparison (section 4.1). The code "
                    "behind its numbers does not remove them, and neither do we."
                ),
                (
                    "In Table 3 of the paper, the ROUGE and BLEURT values of the evidence-provided rows from "
                    "GPT-4 on equal those of open-book rows of Table 2. They are shown as printed."
                ),
                (
                    "The paper counts 724 test questions; the file published with it contained 725. Some "
                    "articles of the corrected test split have no page id, only a URL."
                ),
            ),
            source="Paper, as noted; the published files",
        ),
        CardSection(
            "corrections",
            "Corrections",
            (
                (
                    "In July 2026 the authors corrected 82 answers of the development split, reworded 48 "
                    "questions of the test split and removed one. Scores before and after are not comparable. "
                    "Every signature names the revision, and boards never mix two revisions."
                ),
            ),
            source="The benchmark's repository",
        ),
        CardSection(
            "people-in-it",
            "People and consent",
            (
                (
                    "Question writers and volunteers gave informed consent and were rewarded with course "
                    "credit or digital items worth at least their time. No personal data about them was "
                    "collected; the questions mention people only as Wikipedia does. The work was exempt from "
                    "review under US rules (45 CFR 46.104, category 2)."
                ),
            ),
            source="Paper, section 6",
        ),
    ),
    licences=(
        Licence(
            "Questions, answers and decompositions", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"
        ),
        Licence("Text of Wikipedia", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
        Licence("The authors' Python package", "MIT", "https://github.com/zhudotexe/fanoutqa/blob/main/LICENSE"),
    ),
    papers=(
        ("The paper (ACL 2024)", "https://aclanthology.org/2024.acl-short.2/"),
        ("The benchmark's repository", "https://github.com/zhudotexe/fanoutqa"),
    ),
    bibtex="""@inproceedings{zhu-etal-2024-fanoutqa,
  title = {{FanOutQA}: A Multi-Hop, Multi-Document Question Answering Benchmark for Large Language Models},
  author = {Zhu, Andrew and Hwang, Alyssa and Dugan, Liam and Callison-Burch, Chris},
  booktitle = {Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics
    (Volume 2: Short Papers)},
  month = aug,
  year = {2024},
  address = {Bangkok, Thailand},
  publisher = {Association for Computational Linguistics},
  url = {https://aclanthology.org/2024.acl-short.2/},
  doi = {10.18653/v1/2024.acl-short.2}
}""",
)
