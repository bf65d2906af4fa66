"""Answers with citations: whether what is cited supports what is said, and whether the right pages are cited.

``answers`` has an answer with its citations, ``sentences`` divides it, ``judge`` has what both judges share;
``support``, ``fact`` and ``evidence`` are the metrics. `scoring.metrics.citations` has the published definitions.
"""

from scoring.metrics.cited.evidence import Evidence
from scoring.metrics.cited.fact import Fact
from scoring.metrics.cited.support import CitationSupport

__all__ = ["CitationSupport", "Evidence", "Fact"]
