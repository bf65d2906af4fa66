"""Sample texts, data cards and dated states."""

import datetime
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.files import FORMATS
from leaderboard.board.exports.schema import canonical_json
from leaderboard.board.exports.snapshot_table import table_of
from leaderboard.board.exports.snapshots import SnapshotView, without
from leaderboard.board.table import Board
from leaderboard.pages.data_card import Contents, topics_of
from leaderboard.pages.views import SAMPLES
from scoring.benchmarks import definitions
from scoring.benchmarks.copies import LostScore
from scoring.generations.records import Limits
from tests.gallery.site.console import split
from tests.gallery.site.texts import LONG_WORD, NOW

DIGEST = "3f2a9c1b" * 8
ADDRESS = f"https://manyhop.example/{next(iter(definitions()))}/test/openbook/states/2026-07-14-{DIGEST[:8]}/"


def about() -> dict[str, Any]:
    """What the page *About* is given."""
    definition = next(iter(definitions().values()))
    return {
        "benchmark": definition.form,
        "definition": definition,
        "operator": "A Lab",
        "contact": "lab@manyhop.example",
    }


def how_to() -> dict[str, Any]:
    """What the page *How to submit* is given."""
    splits = [split(), split(answered=False), split(hidden=False)]
    command = f"curl --fail-with-body https://manyhop.example/{LONG_WORD}/ \\\n  --form split=test"
    return {
        "benchmarks": [(definition, splits) for definition in definitions().values()],
        "limits": Limits(),
        "upload_mb": 32,
        "samples": dict.fromkeys(SAMPLES, command),
    }


def data_card() -> dict[str, Any]:
    """What a data card is given."""
    definition = next(iter(definitions().values()))
    topics = tuple((f"Topic {number}" if number else LONG_WORD, 300 - 17 * number) for number in range(15))
    current = SimpleNamespace(short_hash=DIGEST[:8], date=NOW.date(), note="Corrected: 82 answers changed.")
    older = SimpleNamespace(short_hash="0a1b2c3d", date=datetime.date(2023, 11, 20), note="As published. " + LONG_WORD)
    qids = [f"{DIGEST[number : number + 16]}" for number in range(10)]
    lost = LostScore("accuracy", {"loose": 0.977}, 310, 25, qids, "Loose accuracy 0.977, not 1.000")
    splits: list[dict[str, Any]] = [
        {
            "slug": split.slug,
            "name": split.name,
            "hidden": split.hidden,
            "revision": current,
            "contents": Contents(310, 1637, 7.03, topics, 0 if split.hidden else 78),
            "revisions": [current, older],
            "lost": [lost, LostScore("rouge", {}, 310, 0, [], "ValueError")] if split.hidden else [lost],
        }
        for split in definition.splits
    ]
    shown, n_other_topics = topics_of(split["contents"] for split in splits)
    return {
        "benchmark": definition.form,
        "first_split": definition.default_split,
        "card": definition.card,
        "definition": definition,
        "splits": splits,
        "topics": shown,
        "n_other_topics": n_other_topics,
        "board_url": "?page=board",
    }


def states() -> dict[str, Any]:
    """What the list of dated states is given."""
    lines = [
        {
            "name": f"2026-07-{14 - number:02}-{DIGEST[:8]}",
            "taken_at": NOW - datetime.timedelta(days=number),
            "n_rows": 1234 - number,
            "url": "?page=state",
        }
        for number in range(8)
    ]
    return {**_place(), "board_url": "?page=board", "snapshots": lines}


def state(board: Board, *, n_removed: int) -> dict[str, Any]:
    """What the page of a dated state is given, of a board of the gallery; its first systems may have been deleted."""
    document = as_document(board)
    document.setting = replace(document.setting, slug="openbook")
    for number, row in enumerate(document.rows):
        row.slug = row.slug and f"{row.slug}-{number}"
    slugs = [row.slug for row in document.rows]
    kept = SnapshotView(
        name=f"2026-07-14-{DIGEST[:8]}",
        taken_at=NOW,
        date=NOW.date(),
        digest=DIGEST,
        url="?page=state",
        document=without(document, set(slugs[:n_removed])),
        json=canonical_json(document),
        public=frozenset(),
        notes=dict.fromkeys(slugs[-2:], "Not on the board now."),
        n_removed=n_removed,
    )
    return {
        "snapshot": kept,
        "document": kept.document,
        "table": table_of(kept),
        "board_url": "?page=board",
        "address": ADDRESS,
        "bibtex": f"@misc{{leaderboard-2026-07-14,\n  howpublished = {{\\url{{{ADDRESS}}}}},\n}}",
        "formats": [(extension, known.label) for extension, known in FORMATS.items()],
        "links": [("Current board", "?page=board")],
    }


def _place() -> dict[str, Any]:
    definition = next(iter(definitions().values()))
    setting = definition.settings_for_submissions[1]
    return {
        "benchmark": SimpleNamespace(name=definition.name, slug=definition.slug),
        "split": SimpleNamespace(name="Test", slug="test"),
        "setting": SimpleNamespace(name=setting.name, slug=setting.slug),
    }
