"""Prompts of a made-up benchmark, in the form of SimpleQA's and of BrowseComp's."""

GRADES = """\
Assign one of the grades CORRECT, INCORRECT, NOT_ATTEMPTED.

Here is a new example.
```
Question: {question}
Gold target: {target}
Predicted answer: {predicted_answer}
```

Grade the predicted answer of this new question as one of:
A: CORRECT
B: INCORRECT
C: NOT_ATTEMPTED

Return only a letter.
"""
VERDICTS = """\
Judge whether the following [response] to [question] is correct or not based on the [correct_answer] below.

[question]: {question}

[response]: {response}

Your judgement must be in this format:

extracted_final_answer: The final answer of the [response].

[correct_answer]: {correct_answer}

reasoning: Why it is correct or incorrect.

correct: 'yes' or 'no'.

confidence: The confidence in the [response], between 0|\\%| and 100|\\%|, and 100 if there is none.
"""
FILES = {"graded_answer_prompt.txt": GRADES, "verified_answer_prompt.txt": VERDICTS}
