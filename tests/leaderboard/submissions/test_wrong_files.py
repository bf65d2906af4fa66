"""A wrong file on the page that checks files, in the form and in the API: what it is, and what helps."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from scoring.models import Benchmark
from tests import factories
from tests.notices import plain
from tests.scoring.generations import other_tools

pytestmark = pytest.mark.django_db
BENCHMARK = "fanoutqa"


@pytest.fixture
def made() -> Benchmark:
    factories.benchmark()
    return factories.list_benchmark()


def checked(client: Client, data: bytes, benchmark: str = BENCHMARK, **fields: Any) -> Any:
    address = f"/check/?benchmark={benchmark}"
    return client.post(address, {"split": "dev", "openbook": factories.upload(data), **fields})


WITHOUT_ANSWERS = {name: other_tools.FILES[name] for name in ("lm-eval results", "Excel", "office")}
"""Files of other tools that are not read in place of generations files."""


@pytest.mark.parametrize(("data", "name", "advice"), WITHOUT_ANSWERS.values(), ids=WITHOUT_ANSWERS)
def test_the_page_names_the_tool_and_leads_to_its_program(
    client: Client, made: Benchmark, data: bytes, name: str, advice: str
) -> None:
    response = checked(client, data)
    assert response.status_code == 422
    text = plain(response.content.decode())
    assert plain(name) in text
    assert advice in text
    assert 'href="/how-to-submit/#other-tools"' in response.content.decode()
    assert 'id="other-tools"' in client.get("/how-to-submit/").content.decode()
    (message,) = response.context["form"].errors["openbook"]
    assert name in message
    (report,) = response.context["file_reports"]
    assert report.errors[0].fix not in message
    assert text.count(plain(report.errors[0].fix)) == 1


def test_lists_sent_to_a_benchmark_of_texts_are_recognised(
    client: Client, made: Benchmark, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    lines = [json.dumps({"qid": qid, "predictions": ["x"]}) for qid in factories.list_answers()]
    checked(client, "\n".join(lines).encode())
    few: list[int] = []
    for times in (1, 600):  # reading stops after 1,000 problems
        with django_assert_max_num_queries(40) as queries:
            response = checked(client, "\n".join(lines * times).encode())
        few.append(len(queries))
        (group,) = response.context["file_reports"][0].groups
        assert group.code == "wrong-split"
        assert made.name in group.problems[0].fix
        assert made.name in response.content.decode()
    assert few[0] == few[1]


@pytest.mark.parametrize("door", ["page", "form", "API"])
@pytest.mark.parametrize("lists", [True, False])
def test_a_file_of_another_benchmark_is_known_by_its_ids_at_every_door(
    client: Client, made: Benchmark, door: str, lists: bool
) -> None:
    """Lists sent to the benchmark of texts, and texts sent to that of lists, in the format of either."""
    fanoutqa = Benchmark.objects.get(slug=BENCHMARK)
    sent_to, origin = (fanoutqa, made) if lists else (made, fanoutqa)
    answers = factories.list_answers() if lists else dict.fromkeys(factories.perfect(), "x")
    answer = {"predictions": ["x"]} if lists else {"answer": "x"}
    data = "\n".join(json.dumps({"id": qid} | answer) for qid in answers).encode()
    client.force_login(factories.user())
    if door == "page":
        response = checked(client, data, sent_to.slug)
    elif door == "form":
        fields = factories.form_data("dev", openbook=factories.upload(data))
        response = client.post(f"/submit/?benchmark={sent_to.slug}", fields, follow=True)
    else:
        fields = {"benchmark": sent_to.slug, "split": "dev", "openbook": factories.upload(data)}
        response = client.post("/api/v1/submissions/validate/", fields)
    assert response.status_code == 422
    if door == "API":
        (group,) = response.json()["files"][0]["groups"]
        assert group["code"] == "wrong-split"
        assert origin.name in group["problems"][0]["fix"]
    else:
        assert f"belong to the benchmark {origin.name}" in plain(response.content.decode())


def test_of_benchmarks_with_the_same_questions_the_first_is_named(client: Client, made: Benchmark) -> None:
    copy = factories.judged_benchmark()
    questions = [
        dataclasses.replace(one, qid=qid)
        for one, qid in zip(factories.judged_questions("dev"), factories.list_answers(), strict=True)
    ]
    factories.revise(factories.split(copy, "dev"), questions, date=factories.DATE.replace(year=2026))
    data = "\n".join(json.dumps({"id": qid, "predictions": ["x"]}) for qid in factories.list_answers()).encode()
    for first, last in ((made, copy), (copy, made)):
        Benchmark.objects.filter(pk=first.pk).update(position=1)
        Benchmark.objects.filter(pk=last.pk).update(position=2)
        (group,) = checked(client, data).context["file_reports"][0].groups
        assert first.name in group.problems[0].fix


def test_a_split_has_the_name_of_its_choice(client: Client, made: Benchmark) -> None:
    response = checked(client, json.dumps({"id": "dev-0", "answer": "x"}).encode(), split="test")
    (message,) = response.context["form"].errors["openbook"]
    assert "the development split" in message
    assert "Development" in client.get("/how-to-submit/").content.decode()


def test_many_unknown_ids_are_one_line(client: Client, made: Benchmark) -> None:
    data = "\n".join(json.dumps({"id": f"nobody-{number}", "answer": "x"}) for number in range(620)).encode()
    page = checked(client, data).content.decode()
    assert "620 ids are unknown: lines 1, 2, 3, …" in plain(page)
    shown, folded = page.split('id="openbook--unknown-id-more"')
    assert ("nobody-0<" in shown, "nobody-1<" in shown, "nobody-19<" in folded) == (True, False, True)


def test_the_api_says_it_in_a_field_of_its_own(client: Client, made: Benchmark) -> None:
    data = "\n".join(json.dumps({"id": f"nobody-{number}", "answer": "x"}) for number in range(620)).encode()
    answer = client.post("/api/v1/submissions/validate/", {"split": "dev", "openbook": factories.upload(data)})
    assert answer.status_code == 422
    (group,) = (group for group in answer.json()["files"][0]["groups"] if group["code"] == "unknown-id")
    assert (group["count"], group["where"], len(group["problems"])) == (620, "lines 1, 2, 3, …", 20)


def test_a_text_for_a_list_is_told_how_to_be_sent(client: Client, made: Benchmark) -> None:
    data = "\n".join(json.dumps({"id": qid, "answer": "Oslo; Lima"}) for qid in factories.list_answers()).encode()
    first = checked(client, data, made.slug)
    (problem, *_) = first.context["file_reports"][0].errors[0].problems
    assert "“Separator”" in problem.fix
    assert 'name="separator"' in first.content.decode()
    assert problem.fix not in first.context["form"].errors["openbook"][0]
    assert plain(first.content.decode()).count(plain(problem.fix)) == 1
    renamed = data.replace(b'"answer"', b'"predictions"')
    assert checked(client, renamed, made.slug, separator="; ").status_code == 200
