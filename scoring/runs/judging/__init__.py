"""Judge runs: which verdicts are missing, asking for them within the budget, storing each one at once.

Enters: a claimed run of the judge metric. Leaves: verdicts, addressed by content and never paid for twice, and the
run's scores. ``execution`` takes the steps: ``session`` begins, ``missing`` finds what to ask, ``budget`` checks the
money, ``live`` or ``batches`` ask, ``store`` holds the replies, ``endings`` scores or says why not.
"""
