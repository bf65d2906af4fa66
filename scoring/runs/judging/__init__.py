"""Judge runs: find missing verdicts, ask for them within the budget, store each one at once.

Enters: a claimed run of the judge metric. Leaves: verdicts, addressed by content and never paid for twice, and the
run's scores. ``execution`` is the main procedure: ``session`` begins, ``missing`` finds what to ask, ``budget`` checks
the money, ``live`` or ``batches`` ask, ``store`` stores the replies, ``endings`` scores or gives the reason for no
score.
"""
