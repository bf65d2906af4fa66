"""Runs lm_eval with its dummy model, which gives the answers of a JSON file by id: ``run_lm_eval.py ANSWERS …``.

The other arguments are those of lm_eval.
"""

import json
import sys
from pathlib import Path

from lm_eval.__main__ import cli_evaluate
from lm_eval.models.dummy import DummyLM

answers = json.loads(Path(sys.argv.pop(1)).read_text("utf-8"))
DummyLM.generate_until = lambda self, requests, disable_tqdm=False: [answers[request.doc["id"]] for request in requests]
cli_evaluate()
