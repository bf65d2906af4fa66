"""The grading page: the next answer to grade, its evidence, grades, known grades and adjudication."""
