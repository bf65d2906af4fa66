"""Texts and times that several samples share: among them the longest that anybody is known to have sent."""

import datetime
import uuid
from collections.abc import Mapping

Query = Mapping[str, str]
"""The query string of a request for a sample page."""

NOW = datetime.datetime(2026, 7, 14, 9, 31, tzinfo=datetime.UTC)
SAMPLE_ID = uuid.UUID(int=0xC0FFEE)
LONG_AUTHORS = ", ".join(f"Ada Sample-Person the {number}th" for number in range(1, 99))[:1653]
LONG_NAME = (
    "Retrieval-Augmented-Chain-of-Verification-Ensemble-of-Seventeen-Models v0.9.3-rc2 (8-bit, 3 rounds, re-ranked)"
)
LONG_WORD = "Pneumonoultramicroscopicsilicovolcanoconiosis" * 3
ACCURACY_SIGNATURE = (
    "accuracy|norm:lower+ftfy+commas+lemma+punct|lemma:spacy-lookups-data-1.0.5|spacy:3.8.7|match:word-boundary"
    "|data:test@3f2a9c1b|manyhop:0.1.0"
)
ROUGE_SIGNATURE = "rouge|types:1+2+L|stem:yes|rouge-score:0.1.2|data:test@3f2a9c1b|manyhop:0.1.0"
SIGNATURES = [("String accuracy", ACCURACY_SIGNATURE), ("ROUGE", ROUGE_SIGNATURE)]
NOT_CONFIGURED = "Not scored yet."
NO_JUDGE = "No judge is set up on this site."
