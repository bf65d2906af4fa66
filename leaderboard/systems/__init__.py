"""Systems: the page of one, and its answers question by question where they may be seen."""

from leaderboard.systems.page import system_page
from leaderboard.systems.questions import (
    AskedQuestions,
    ExplainedQuestion,
    QuestionsPage,
    explained_entry,
    questions_page,
)
from leaderboard.systems.shapes import (
    CategoryLine,
    CategoryTable,
    CellValue,
    Lengths,
    Result,
    Standpoint,
    SystemPage,
)

__all__ = [
    "AskedQuestions",
    "CategoryLine",
    "CategoryTable",
    "CellValue",
    "ExplainedQuestion",
    "Lengths",
    "QuestionsPage",
    "Result",
    "Standpoint",
    "SystemPage",
    "explained_entry",
    "questions_page",
    "system_page",
]
