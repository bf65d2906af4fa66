"""Judge runs: find missing verdicts, ask for them within the budget, store each one at once.

``execution`` is the story; in it, ``items`` finds what to ask, ``budget`` checks the money, ``store`` stores the
replies, and ``comparisons`` scores those of two answers side by side.
"""
