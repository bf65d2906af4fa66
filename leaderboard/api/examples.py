"""Examples of requests and responses, for the schema and the documentation generated from it.

The names belong to no real system. A test validates every example against the schema of its operation.
"""

from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.utils import OpenApiExample

from scoring.benchmarks.declared.template import documented_definitions
from scoring.benchmarks.facts import FACTS

FIRST: Final = documented_definitions()[0]
SITE: Final = "https://manyhop.example/"
BASE: Final = f"{SITE}api/v1/"
HERE: Final = f"{BASE}benchmarks/{FIRST.slug}/"
ID: Final = "5f0c6a52-8c1e-4b7a-9f0e-2d1c3b4a5e6f"
REVISION: Final = "3f2a9c1b"
HASH: Final = REVISION * 8
SIGNATURE: Final = f"accuracy|lemma:en_core_web_sm-3.8.0|spacy:3.8.7|ftfy:6.3.1|data:test@{REVISION}|manyhop:0.2.0"
SCORE: Final = FIRST.default_sort


def _answer(name: str, value: Any, *statuses: str) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=statuses or ("200",))


def _request(name: str, value: Any, media_type: str) -> OpenApiExample:
    return OpenApiExample(name, value=value, request_only=True, media_type=media_type)


ROOT = _answer(
    "Addresses",
    {"benchmarks": f"{BASE}benchmarks/", "board": f"{BASE}board/", "submissions": f"{BASE}submissions/"},
)

# --- Benchmarks ----------------------------------------------------------------------------------------------------

_LINE = {"slug": FIRST.slug, "name": FIRST.name, "description": FIRST.description, "url": HERE}
_SETTINGS = [
    {
        "slug": setting.slug,
        "name": setting.name,
        "description": setting.description,
        "accepts_submissions": setting.accepts_submissions,
    }
    for setting in FIRST.settings
]
_SPLITS = [
    {
        "slug": split.slug,
        "name": split.name,
        "hidden": split.hidden,
        "n_questions": 724,
        "revision": REVISION,
        "url": f"{HERE}splits/{split.slug}/",
        "questions": f"{HERE}splits/{split.slug}/questions/",
        "croissant": f"{SITE}{FIRST.slug}/{split.slug}/croissant.json",
    }
    for split in FIRST.splits
]
BENCHMARK_LINE = _answer("A benchmark", _LINE)
BENCHMARK = _answer(
    "A benchmark",
    _LINE
    | {
        "citation": FIRST.citation,
        "homepage": FIRST.url,
        "licence": FIRST.licence,
        "croissant": f"{SITE}{FIRST.slug}/croissant.json",
        "default_split": FIRST.default_split,
        "default_setting": FIRST.default_setting,
        "task_type": FIRST.task_type,
        "default_sort": FIRST.default_sort,
        "metrics": list(FIRST.metrics),
        "splits": _SPLITS[:1],
        "settings": _SETTINGS[:1],
        "columns": [
            {
                "score": column.score,
                "metric": column.metric,
                "label": column.label,
                "description": column.description,
                "default": column.default,
                "higher_is_better": column.higher_is_better,
                "unit": column.unit,
                "bounds": list(column.bounds) if column.bounds else None,
            }
            for column in FIRST.columns[:1]
        ],
        "attributes": [
            {
                "name": attribute.name,
                "label": attribute.label,
                "help": attribute.help,
                "kind": attribute.kind,
                "board": attribute.board,
                "choices": list(attribute.choices),
                "unit": attribute.unit,
            }
            for attribute in FIRST.attributes[:1]
        ],
    },
)
SETTING = _answer("A setting", _SETTINGS[0])
SPLIT = _answer(
    "A split",
    _SPLITS[-1]
    | {
        "benchmark": FIRST.slug,
        "revisions": [
            {
                "id": REVISION,
                "content_hash": HASH,
                "questions_hash": HASH[::-1],
                "date": "2024-06-01",
                "note": "As published.",
                "n_questions": 724,
                "has_references": True,
                "current": True,
            }
        ],
        "signatures": {"accuracy": SIGNATURE},
    },
)
QUESTION = _answer(
    "A question",
    {
        "id": "0a1b2c3d4e5f6071",
        "text": "What is the population of each capital of the Nordic countries?",
        "categories": ["Geography"],
        "evidence": [
            {"pageid": 22309, "revid": 1185394847, "title": "Oslo", "url": "https://en.wikipedia.org/wiki/Oslo"}
        ],
        "decomposition": [],
    },
)

_QUESTION_STATISTICS = {
    "id": "0a1b2c3d4e5f6071",
    "setting": FIRST.default_setting,
    "revision": REVISION,
    "score": SCORE,
    "n_systems": 14,
    "mean": 0.47,
    "discrimination": 0.58,
    "n_right": 2,
    "n_partial": 9,
    "n_wrong": 3,
    "n_disagreements": 1,
    "url": f"{BASE}benchmarks/{FIRST.slug}/splits/dev/questions/0a1b2c3d4e5f6071/",
}
QUESTION_STATISTICS = _answer("The statistics of a question", _QUESTION_STATISTICS)
QUESTION_DETAIL = _answer(
    "A question with its statistics",
    {
        **_QUESTION_STATISTICS,
        "question": QUESTION.value,
        "harder_than": 0.61,
        "found_by": [9, 7, 12, 3],
        "n_examined": 14,
        "page": f"/{FIRST.slug}/dev/questions/0a1b2c3d4e5f6071/",
        "answers": f"{BASE}benchmarks/{FIRST.slug}/splits/dev/questions/0a1b2c3d4e5f6071/answers/",
    },
)
QUESTION_ANSWER = _answer(
    "An answer",
    {
        "system": "example-13b",
        "name": "Example 13B",
        "verdict": "partial",
        "value": 0.75,
        "opinions": {"strict": False, "judge": True},
        "answered": True,
        "found": [True, True, True, False],
        "answer": "Oslo has 717,710 inhabitants, Stockholm 984,748.",
    },
)

# --- Systems and boards --------------------------------------------------------------------------------------------

_STATED = {"context_size": 32768, "trained_for_function_calling": True}
_FACTS = dict.fromkeys(fact.name for fact in FACTS) | {
    "organisation": "Example Lab",
    "model": "example/example-13b",
    "access": "open-weights",
    "licence": "Apache-2.0",
    "parameters": 13.0,
    "released": "2025-02-01",
}
_SYSTEM = {
    "slug": "example-13b",
    "name": "Example 13B",
    "authors": "A. Author and B. Author",
    "link": "https://example.org/",
    "citation": "Author and Author, 2025",
    "type": "FOUNDATION",
    "context_size": 32768,
    "trained_for_function_calling": True,
    "attributes": _STATED,
    "run_facts": _FACTS,
    "is_human": False,
    "url": f"{BASE}systems/example-13b/",
    "scores": f"{BASE}systems/example-13b/scores/",
}
_PLACE = {"benchmark": FIRST.slug, "split": FIRST.default_split, "setting": FIRST.default_setting, "kind": "scored"}
SYSTEM_LINE = _answer("A system", _SYSTEM)
SYSTEM = _answer(
    "A system",
    _SYSTEM
    | {
        "details": "Temperature 0; the prompt is in the appendix of the paper.",
        "page": "/systems/example-13b/",
        "boards": [_PLACE | {"published_at": "2025-03-01T12:00:00Z"}],
    },
)
RESULT = _answer(
    "A board's numbers",
    _PLACE
    | {
        "published_in": "",
        "note": "",
        "context_size": 32768,
        "n_answered": 720,
        "published_at": "2025-03-01T12:00:00Z",
        "scores": [
            {
                "score": SCORE,
                "metric": "accuracy",
                "value": 0.432,
                "low": 0.409,
                "high": 0.456,
                "reason": "",
                "signature": SIGNATURE,
                "shown": True,
                "revision": REVISION,
                "n_items": 724,
                "scored_at": "2025-03-01T11:58:12Z",
            }
        ],
    },
)
VERDICT = _answer(
    "A verdict",
    {
        "question_id": "d3b1a7c2f0e94b58",
        "verdict": "B",
        "correct": True,
        "rule": "last_line",
        "signature": f"judge|model:gpt-4-0613|data:dev@{REVISION}|manyhop:0.6.0",
    },
)
QUESTION_SCORES = _answer(
    "The scores of a question",
    {"question_id": "d3b1a7c2f0e94b58", "answered": True, "scores": {SCORE: 0.5}},
)
SYSTEM_ANSWER = _answer("An answer", {"question_id": "d3b1a7c2f0e94b58", "answer": "Oslo, and in winter Lillehammer."})
COMPARISON = _answer(
    "A comparison",
    {
        "benchmark": FIRST.slug,
        "split": FIRST.default_split,
        "setting": FIRST.default_setting,
        "systems": [
            {"system": "example-system", "name": "Example system", "is_human": False, "reason": ""},
            {"system": "another-system", "name": "Another system", "is_human": False, "reason": ""},
        ],
        "scores": [
            {
                "score": SCORE,
                "values": [
                    {"system": "example-system", "value": 0.466, "low": 0.441, "high": 0.491},
                    {"system": "another-system", "value": 0.431, "low": 0.407, "high": 0.455},
                ],
                "differences": [
                    {
                        "system": "example-system",
                        "other": "another-system",
                        "value": 0.035,
                        "low": 0.014,
                        "high": 0.056,
                        "p_value": 0.01,
                        "corrected": 0.01,
                        "significant": True,
                        "n_items": 724,
                        "equal_share": None,
                        "kappa": None,
                        "pearson": None,
                    }
                ],
                "not_compared": [],
            }
        ],
    },
)
_ADDRESS = f"/{FIRST.slug}/{FIRST.default_split}/{FIRST.default_setting}/"
BOARD = _answer(
    "A board",
    {
        "benchmark": FIRST.slug,
        "split": FIRST.default_split,
        "setting": FIRST.default_setting,
        "revision": REVISION,
        "revisions": [{"revision": REVISION, "date": "2025-02-01", "metrics": []}],
        "newer_revision": None,
        "baseline": None,
        "next_baseline": None,
        "n_questions": 724,
        "sort": f"-{SCORE}",
        "n_total": 41,
        "n_matching": 1,
        "statistics_at": "2025-03-01T12:00:10Z",
        "statistics_stale": False,
        "stale": False,
        "detectable": {"difference": 0.0281, "n_questions": 724, "n_systems": 38},
        "version": "9c0d5e1f",
        "signatures": {"accuracy": SIGNATURE},
        "exports": [{"name": "csv", "label": "CSV", "url": f"{_ADDRESS}export.csv?columns=all"}],
        "system_exports": [
            {
                "name": "model-index.yaml",
                "label": "Hugging Face model card",
                "url": f"{_ADDRESS}systems/{{system}}/model-index.yaml",
            }
        ],
        "rows": [
            {
                "rank": 3,
                "best_rank": 2,
                "worst_rank": 5,
                "tie_group": 2,
                "tied": False,
                "system": "example-13b",
                "name": "Example 13B",
                "authors": "A. Author and B. Author",
                "citation": "Author and Author, 2025",
                "type": "FOUNDATION",
                "context_size": 32768,
                "trained_for_function_calling": True,
                "attributes": _STATED,
                "run_facts": _FACTS,
                "kind": "scored",
                "is_human": False,
                "pinned": "",
                "published_in": "",
                "note": "",
                "n_answered": 720,
                "n_questions": 724,
                "published_at": "2025-03-01T12:00:00Z",
                "evidence": "scored",
                "alternatives": [],
                "scores": [
                    {
                        "score": SCORE,
                        "value": 0.4321987654321,
                        "low": 0.4087,
                        "high": 0.4561,
                        "state": "scored",
                        "reason": "",
                        "best": False,
                        "marked": True,
                        "p_value": 0.21,
                        "rank": 3,
                        "best_rank": 2,
                        "worst_rank": 5,
                        "tie_group": 2,
                        "other_value": None,
                        "corrected": None,
                    }
                ],
            }
        ],
        "apart_rows": [],
        "pinned_rows": [],
    },
)

_ESTIMATE = {"value": 0.62, "low": 0.59, "high": 0.65}
RANKING = _answer(
    "A ranking",
    {
        "benchmark": FIRST.slug,
        "split": FIRST.default_split,
        "setting": FIRST.default_setting,
        "computed_at": "2025-03-01T12:00:00Z",
        "stale": False,
        "signature": f"side-by-side|data:test@{REVISION}|manyhop:0.7.0",
        "n_questions": 1000,
        "n_comparisons": 1000,
        "n_ties": 41,
        "n_unparsed": 2,
        "consistency": 0.83,
        "first_place": {"value": 0.53, "low": 0.52, "high": 0.54},
        "regularised": False,
        "systems": [
            {
                "rank": 1,
                "best_rank": 1,
                "worst_rank": 2,
                "system": "Example 13B",
                "slug": "example-13b",
                "is_baseline": False,
                "strength": {"value": 0.25, "low": 0.18, "high": 0.31},
                "win_rate": _ESTIMATE,
                "controlled": {"value": 0.58, "low": 0.54, "high": 0.62},
                "mean_score": {"value": 88.3, "low": 87.9, "high": 88.7},
                "first_place": {"value": 0.53, "low": 0.52, "high": 0.54},
                "consistency": 0.83,
                "n_opponents": 1,
                "n_comparisons": 1000,
                "n_ties": 41,
                "n_unparsed": 2,
            }
        ],
        "matrix": [{"slug": "example-13b", "opponent_slug": "", "share": 0.62, "n_questions": 1000}],
    },
)

# --- Submissions ---------------------------------------------------------------------------------------------------

STATEMENT = _request(
    "A system in one setting",
    {
        "split": FIRST.splits[0].slug,
        "name": "Example 13B",
        "authors": "A. Author and B. Author",
        "type": "FOUNDATION",
        "context_size": 32768,
        FIRST.default_setting: "(the bytes of a file)",
    },
    "multipart/form-data",
)
REPLACEMENT = _request(
    "A newer version in one setting", {FIRST.default_setting: "(the bytes of a file)"}, "multipart/form-data"
)
CONFIRMATION = _request("Meant", {"confirm": True}, "application/json")
PUBLICATION = _request("Anonymously, for review", {"anonymous_until": "2027-01-31"}, "application/json")
_SUBMISSION_LINE = {
    "id": ID,
    "name": "Example 13B",
    "benchmark": FIRST.slug,
    "split": FIRST.splits[0].slug,
    "state": "done",
    "is_public": False,
    "team": "",
    "created_at": "2025-03-01T11:58:00Z",
    "url": f"/submissions/{ID}/",
}
_RUN = {
    "metric": "accuracy",
    "state": "done",
    "reason": "",
    "done": 310,
    "total": 310,
    "position": None,
    "seconds": None,
    "n_measured": 0,
    "has_workers": True,
    "signature": SIGNATURE,
    "revision": REVISION,
    "shown": False,
    "started_at": "2025-03-01T11:58:01Z",
    "finished_at": "2025-03-01T11:58:12Z",
    "scores": [{"name": SCORE, "value": 0.432, "low": 0.409, "high": 0.456, "reason": ""}],
}
_FILE = {
    "setting": FIRST.default_setting,
    "filename": "generations.jsonl",
    "size": 181_203,
    "text_size": 181_203,
    "compression": None,
    "sha256": HASH,
    "n_lines": 310,
    "n_answered": 310,
    "n_questions": 310,
}
_VERSION = {"version": 1, "sent_at": "2025-03-01T11:58:00Z", "on_board": False}
_PUBLICATION = {
    "state": "",
    "needs_approval": False,
    "anonymous_until": None,
    "pseudonym": "",
    "message": "",
    "public_note": "",
    "fingerprint": "9f2c4b7e01d85a36",
}
_SUBMISSION = _SUBMISSION_LINE | {
    "check": None,
    "finished": True,
    "seconds": None,
    "publication": _PUBLICATION,
    "reviews": [],
    "shows_answers": False,
    "run_facts": _FACTS,
    "can_publish": True,
    "can_retry": False,
    "files": [_FILE | _VERSION | {"warnings": [], "passages": None, "usage": None, "runs": [_RUN], "earlier": []}],
    "revisions": [{"revision": REVISION, "date": "2025-02-01", "shown": ["accuracy"]}],
    "events": [{"at": "2025-03-01T11:58:00Z", "text": "Received: 1 file (open book)."}],
}
SUBMISSION_LINE = _answer("A submission", _SUBMISSION_LINE)
SUBMISSION = _answer("A submission", _SUBMISSION, "200", "201")
UNPUBLISHED = _answer("Unpublish", _SUBMISSION | {"publication": _PUBLICATION | {"state": "off_board"}})
WITHDRAWN = _answer("Withdrawn", _SUBMISSION | {"state": "withdrawn", "can_publish": False})
_REPORT = _FILE | {"part": "answers", "ok": True, "n_missing": 0, "n_errors": 0, "n_warnings": 0, "groups": []}
_QUOTA = {"unit": "file", "period": "in the last 24 hours", "team": False, "limit": 9, "used": 3}
VALIDATION = _answer(
    "Valid file", {"valid": True, "missing": ["authors", "type"], "files": [_REPORT], "quotas": [_QUOTA]}
)
ERROR_GROUP: Final = {
    "code": "json",
    "title": "Lines that are not JSON",
    "severity": "error",
    "count": 1,
    "n_hidden": 0,
    "where": "line 17",
    "problems": [
        {
            "code": "json",
            "severity": "error",
            "line": 17,
            "column": 42,
            "field": None,
            "question_id": None,
            "found": '{"id": "0a1b',
            "expected": "one JSON object on each line",
            "fix": "Write each line with a JSON library.",
            "message": "Line 17: this is not JSON.",
        }
    ],
    "fix": "Write each line with a JSON library.",
}
INVALID: Final = {
    "type": "about:blank",
    "title": HTTPStatus(422).phrase,
    "status": 422,
    "detail": "The submission has errors and was not stored.",
    "errors": {"name": ["This field is required."], FIRST.default_setting: ["generations.jsonl: 1 error."]},
    "files": [_REPORT | {"ok": False, "n_errors": 1, "groups": [ERROR_GROUP]}],
}
