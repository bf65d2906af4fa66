"""Reading a board's document: what each process does once whenever a board changed, in processor time."""

from __future__ import annotations

import json
import os
import sys

from tests.bench.registry import Report, bench, output_of

SYSTEMS, COLUMNS, REPEATS = 5000, 15, 9
MOST_MS = 50
MEASURE = """
import datetime, json, random, time, django
django.setup()
import msgspec
from leaderboard.board.document import FORMAT, Cells, Document, Row, Standings, packed, unpacked
draw = random.Random(0)
n = {n_systems}
now = datetime.datetime(2026, 7, 14, 12, 30, 1, 234567, datetime.UTC)
rows = [
    Row(f"System {{place}}", f"system-{{place}}", "scored", place, "scored", now, "Ada Lovelace, Grace Hopper, others",
        "Lovelace et al., 2026", "https://example.org/", "FOUNDATION", {{"context_size": 128000}}, n_answered=724)
    for place in range(n)
]
def numbers():
    return [draw.random() for _ in range(n)]
def ranks():
    return [draw.randrange(1, n + 1) for _ in range(n)]
columns = {{
    f"metric.score-{{column}}": Cells(
        ["scored"] * n, numbers(), numbers(), numbers(), [724] * n, [724] * n,
        standings=Standings(ranks(), ranks(), ranks(), ranks(), numbers(), [False] * n),
    )
    for column in range({n_columns})
}}
stored = packed(Document(FORMAT, rows, columns, [""], {{}}, [], None))
def best(action):
    times = []
    for _ in range({repeats}):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return 1000 * min(times)
document, n_bytes = unpacked(stored)
text = msgspec.json.encode(document)
decoder = msgspec.json.Decoder(Document)
print(json.dumps([best(lambda: decoder.decode(text)), best(lambda: unpacked(stored)),
                  best(lambda: packed(document)), n_bytes, len(stored)]))
"""


@bench("documents")
def documents(report: Report) -> None:
    """Decoding a stored document, unpacking it first, and packing it."""
    n_systems = report.size(SYSTEMS, 50)
    script = MEASURE.format(n_systems=n_systems, n_columns=COLUMNS, repeats=report.size(REPEATS, 1))
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    decode, unpack, pack, n_bytes, n_stored = json.loads(output_of([sys.executable, "-c", script], env=environment))
    report.note(
        f"{n_systems:,} systems in {COLUMNS} columns: {n_bytes / 2**20:.1f} MiB, {n_stored / 2**20:.1f} stored."
    )
    report.measure("decode a document", decode, "ms", at_most=MOST_MS)
    report.measure("unpack and decode a document", unpack, "ms")
    report.measure("encode and pack a document", pack, "ms")
