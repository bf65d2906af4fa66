"""Reads the logs of evaluation frameworks: answers by the benchmark's ids, what they took, and facts about the run.

It reads files as inspect_ai and lm-evaluation-harness write them, and tables (JSON, CSV, TSV) into a `Log`, whose
generations file `scoring.generations` checks, or lists every problem (`LogError`). Only named fields are read: never
`model_args`, nor reference answers (`target`, `references`, `doc`). Plain Python: no Django. `scoring.logs.reading`
finds out what a file is.
"""
