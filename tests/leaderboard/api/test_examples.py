"""The examples of the API's documentation are answers of a site, recorded by these tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.schema import EXAMPLES, operations_of, schema
from leaderboard.models import Submission, User
from scoring.models import Benchmark
from tests import boards, compared_site, factories
from tests.chance import UUID
from tests.contracts.shapes import shape_of
from tests.paths import ROOT

pytestmark = pytest.mark.django_db

RECORDED = ROOT / "build" / "examples.json"
BENCHMARK = "/api/v1/benchmarks/fanoutqa/"
SPLIT = f"{BENCHMARK}splits/dev/"
PLACE = "?benchmark=fanoutqa&split=dev&setting=openbook"
ID = "5f0c6a52-8c1e-4b7a-9f0e-2d1c3b4a5e6f"
READ = {
    "root_retrieve": "/api/v1/",
    "benchmarks_list": "/api/v1/benchmarks/",
    "benchmarks_retrieve": BENCHMARK,
    "benchmarks_settings_list": f"{BENCHMARK}settings/",
    "benchmarks_splits_retrieve": SPLIT,
    "benchmarks_splits_questions_list": f"{SPLIT}questions/",
    "benchmarks_splits_question_statistics_list": f"{SPLIT}question-statistics/",
    "benchmarks_splits_questions_retrieve": f"{SPLIT}questions/dev-0/",
    "benchmarks_splits_questions_answers_list": f"{SPLIT}questions/dev-0/answers/",
    "systems_list": "/api/v1/systems/?q=example",
    "systems_retrieve": "/api/v1/systems/example-system/",
    "systems_scores_list": "/api/v1/systems/example-system/scores/",
    "systems_questions_list": f"/api/v1/systems/example-system/questions/{PLACE}",
    "systems_answers_list": f"/api/v1/systems/example-system/answers/{PLACE}",
    "systems_verdicts_list": f"/api/v1/systems/system-1/verdicts/{PLACE}",
    "board": f"/api/v1/board/{PLACE}",
    "comparison": f"/api/v1/comparison/{PLACE}&system=system-1&system=system-2",
    "ranking": f"/api/v1/ranking/?benchmark={compared_site.SLUG}&split=dev&setting=closed-book",
    "submissions_list": "/api/v1/submissions/",
    "submissions_retrieve": "/api/v1/submissions/{id}/",
    "submissions_questions": "/api/v1/submissions/{id}/questions/?setting=openbook",
    "studies_list": "/api/v1/studies/",
    "studies_retrieve": "/api/v1/studies/spring-study/",
}
CHANGED: dict[str, dict[str, Any] | None] = {
    "publish": {"shows_answers": True, "anonymous_until": None},
    "unpublish": None,
    "withdraw": {"confirm": True},
}
"""The changes of a submission with what is sent, in the order in which they are asked for."""

FACTS = {"url": "https://example.org", "run_facts": {"model": "Qwen/Qwen3-32B", "access": "open-weights"}}
"""What is sent to change facts."""


@pytest.fixture
def site(made: Benchmark, ada: User) -> None:
    """Something of everything: a board with statistics, a ranking, and a study."""
    dev = factories.split(made, "dev")
    boards.fill(dev, factories.setting(made), 6)
    compared = compared_site.declare(4)
    compared_site.rank(factories.split(compared, "dev"), factories.setting(compared, "closed-book"), 3)
    factories.study(ada, dev)


def shortened(value: Any) -> Any:
    """An answer with the first item of each list."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    return [shortened(one) for one in value[:1]] if isinstance(value, list) else value


def recorded(client: Client, token: dict[str, str]) -> dict[str, Any]:
    """What the site answers, by the ids of the operations, with what was sent."""
    found: dict[str, dict[str, Any]] = {}

    def keep(operation: str, ask: Callable[..., Any], path: str, sent: Any = None, status: int = 200) -> Any:
        fields = {
            name: factories.upload(value) if name == "openbook" else value for name, value in (sent or {}).items()
        }
        options = {"content_type": "application/json"} if sent and "openbook" not in sent else {}
        response = ask(path, fields or None, headers=token | {"Host": "manyhop.example"}, **options)
        assert response.status_code == status, (operation, response.content)
        text = UUID.sub(ID, json.dumps(shortened(response.json())))
        found[operation] = {"answer": json.loads(text)}
        if sent:
            found[operation]["request"] = sent | ({"openbook": "(the bytes of a file)"} if "openbook" in sent else {})
        return response.json()

    data = factories.form_data() | {"openbook": factories.generations(factories.perfect())}
    keep("submissions_validate", client.post, "/api/v1/submissions/validate/", data)
    keep("invalid", client.post, "/api/v1/submissions/", data | {"name": "", "openbook": b"no JSON\n"}, 422)
    del found["invalid"]["request"]
    path = f"/api/v1/submissions/{keep('submissions_create', client.post, '/api/v1/submissions/', data, 201)['id']}/"
    sent = Submission.objects.get()
    factories.score(sent)
    again = {"openbook": factories.generations(factories.perfect(right=3))}
    keep("submissions_replace", client.post, f"{path}replace/", again)
    factories.score(sent)
    for change, options in CHANGED.items():
        if change == "unpublish":
            for operation, address in READ.items():
                keep(operation, client.get, address.format(id=sent.pk))
            keep("submissions_change", client.patch, path, FACTS)
            keep("systems_change", client.patch, "/api/v1/systems/example-system/", FACTS)
            keep("submissions_changes_list", client.get, f"{path}changes/")
            keep("systems_changes_list", client.get, "/api/v1/systems/example-system/changes/")
        keep(f"submissions_{change}", client.post, f"{path}{change}/", options)
    return found


def test_they_have_the_shape_of_what_a_site_answers(
    client: Client, site: None, token: dict[str, str], tmp_path: Path, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["manyhop.example"]
    now = recorded(client, token)
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    assert shape_of(now) == shape_of(EXAMPLES), f"copy {RECORDED} to leaderboard/api/"


def test_every_operation_has_one_but_changes_that_answer_as_the_others() -> None:
    operations = {operation["operationId"] for _, _, operation in operations_of(schema())}
    assert set(EXAMPLES) - {"invalid"} == operations - {"submissions_reveal", "submissions_retry"}
