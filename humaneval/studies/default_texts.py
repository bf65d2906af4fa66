"""What volunteers are told unless a study says otherwise.

The instructions follow those of Zhu et al., 2024, appendix G.2 (https://aclanthology.org/2024.acl-short.2/), without
what the site does by itself: copying a document, writing down articles, sending a PDF.
"""

INSTRUCTIONS = """\
Thank you for taking part. You will be given {n_questions} questions; please answer them as well as you can.

Search and read the encyclopedia beside the question. Do not use an external search engine or a language model. \
Which articles you open here is recorded; you need not write them down.

- Answers need not be complete sentences, nor in a particular form: people read them.
- Some questions have a single answer, others a list.
- You need not finish in one sitting: the same link brings you back to where you were.
"""

CONSENT = """\
You are asked to answer questions with an encyclopedia at hand, so that the answers of people can be compared with \
those of computer systems. Taking part is voluntary, and you can stop and withdraw at any moment.

Kept are: your answers with every saved version and its time; the searches you make; the articles you open in the \
reader, when, how you came to them, for how long they were in view and how far down you read; what you tick, note or \
add yourself; when you came, agreed, left each step behind, finished, and were last here; and for each question when \
it was opened, skipped or marked done, and for how many seconds the page was in use. Nothing else is tracked. You \
need no account and no name; a mail address is kept only if you give one, apart from your answers. Answers may be \
published without anything that names you.
"""
