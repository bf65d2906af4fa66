"""Default instructions and consent texts of new studies.

The instructions for writing answers follow those of Zhu et al., 2024, appendix G.2
(https://aclanthology.org/2024.acl-short.2/), without the steps that the site does automatically: copying a document,
writing down articles, sending a PDF.
"""

INSTRUCTIONS = """\
Thank you for taking part. You will receive {n_questions} questions. Please answer each one as well as you can.

Use the encyclopedia next to the question to search and read. Do not use other search engines or language models. \
The site records which articles you open, so you do not need to write them down.

- Answers do not have to be full sentences or follow a format: people read them.
- Some questions have a single answer, others have a list.
- Articles stay open in tabs. You can save passages and notes with their article; they are listed under your answer.
- You do not have to finish in one session: open the same link again to continue.
"""

CONSENT = """\
In this study, you answer questions with the help of an encyclopedia, so that the answers of people can be compared \
with those of computer systems. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your answers, with every saved version and its time;
- your searches;
- the articles you open in the reader: when, how you reached them, how long they were visible, how far you scrolled, \
how often you reloaded them, which are open in tabs and where you left them;
- what you select, save, note or add yourself;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

We do not track anything else. You do not need an account or a name. An email address is \
stored only if you give one, and separately from your answers. Answers may be published \
without anything that identifies you by name.
"""

ITEM_INSTRUCTIONS = """\
Thank you for taking part. You will receive {n_questions} questions, each with an answer and a passage of text. Please \
say whether the passage supports the answer.

- The passage supports the answer if a reader who knows nothing else can conclude it from this passage.
- Judge by the passage alone, not by what you know, and do not search elsewhere.
- An answer that is right, but does not follow from the passage, is not supported.
- A question may have several right answers. You judge one of them.
- The first questions may be a test. If too many of your judgements on them are wrong, the study ends there.
- You do not have to finish in one session: open the same link again to continue.
"""

ITEM_CONSENT = """\
In this study, you judge whether passages of text support answers to questions, so that the answers in a data set, or \
those of computer systems, can be checked. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your judgements, with every saved version and its time;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

For some answers, we know whether the passage supports them. We use these to estimate how reliable judgements are.

We do not track anything else. You do not need an account or a name. An email address is \
stored only if you give one, and separately from your judgements. Judgements may be published \
without anything that identifies you by name.
"""

PAIR_INSTRUCTIONS = """\
Thank you for taking part. You will receive {n_questions} questions, each with two answers. Please say which answer \
is better, or that both are equally good, or that both are bad.

- A good answer is correct, answers the whole question, and supports what it says with reasons or examples.
- A good answer considers several views where people disagree, and is easy to follow.
- A longer answer is not better because it is longer, and the place, left or right, means nothing.
- You may look things up in the encyclopedia beside the answers.
- If you like, score each answer from 1 (useless) to 100 (could not be better), and mark what is a strength, a \
weakness or missing.
- Some pairs show whether people read the answers.
- You do not have to finish in one session: open the same link again to continue.
"""

PAIR_CONSENT = """\
In this study, you compare answers to questions, so that the computer systems that wrote them, and other methods that \
compare them, can be judged. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your choices, scores and marks, your choices with every saved version and its time;
- which of the two answers was on the left;
- your searches, and the articles you open in the reader: when, how you reached them, how long they were visible, how \
far you scrolled, how often you reloaded them, which are open in tabs and where you left them;
- what you select, save, note or add yourself;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

For some pairs, we know which answer is better. We use these to estimate how reliable choices are.

We do not track anything else. You do not need an account or a name. An email address is \
stored only if you give one, and separately from your choices. Choices may be published \
without anything that identifies you by name.
"""

RATING_INSTRUCTIONS = """\
Thank you for taking part. You will receive {n_questions} short texts. Please answer a few questions about each.

- There are no right or wrong answers: we ask for your judgement.
- Judge each text by itself, and do not look it up elsewhere.
- You can change your answers until you finish.
- You do not have to finish in one session: open the same link again to continue.
"""

RATING_CONSENT = """\
In this study, you rate texts, such as questions, so that their sources can be compared. Taking part is voluntary. You \
can stop and withdraw at any time.

We record:

- your ratings, with every saved version and its time;
- when you joined, agreed, completed each step, finished, and were last active;
- for each text, when it was opened, skipped or marked done, and how many seconds the page was in use.

We do not track anything else. You do not need an account or a name. An email address is \
stored only if you give one, and separately from your ratings. Ratings may be published \
without anything that identifies you by name.
"""
