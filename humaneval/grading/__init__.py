"""Grading answers by hand: rounds, the console, adjudication, what comes out. `docs/grading.md` tells it all."""
