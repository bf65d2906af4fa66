"""Studies in which people rate texts: from the declaration to the export."""

import datetime
import io
import json
import re
import statistics
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from humaneval.answering import consent
from humaneval.models import Assignment, Kind, Participant, Study
from humaneval.results.ratings import outcome_of_ratings
from humaneval.studies.items import ItemsError, load_texts
from humaneval.studies.kinds.base import NO_VOTE
from humaneval.studies.kinds.ratings import NO_RATING, UNKNOWN_RATING
from humaneval.studies.ratings import questions_of, read_declaration
from humaneval.studies.services import clone_study
from leaderboard.models import User
from scoring.files.mistakes import SourceError
from scoring.statistics import mean_interval
from tests import factories, volunteers

pytestmark = pytest.mark.django_db
GUIDE = Path(__file__).parents[2] / "docs" / "studies.md"


def documented() -> bytes:
    """The declaration in the documentation."""
    found = re.search(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found is not None
    return re.sub("^   ", "", found[1], flags=re.MULTILINE).encode()


def texts(n: int, groups: str = "abc") -> bytes:
    rows = [{"id": f"q{n}", "group": f"group-{groups[n % len(groups)]}", "text": f"Text {n}?"} for n in range(n)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def make_study(owner: User, folder: Path, n: int = 12, **fields: Any) -> Study:
    usual: dict[str, Any] = {"kind": Kind.RATINGS, "questions_per_participant": 4, "seats": 9}
    opened = timezone.now() - datetime.timedelta(hours=1)
    split = factories.split(factories.benchmark(), "test")
    study = factories.study(owner, split, **(usual | {"opens_at": opened} | fields))
    path = folder / "texts.jsonl"
    path.write_bytes(texts(n))
    load_texts(study, declaration=documented(), texts=path, by=owner)
    return Study.objects.get(pk=study.pk)


class TestTheFiles:
    def test_the_documented_declaration(self) -> None:
        writer, knows = read_declaration(documented())
        assert [(one.value, one.score) for one in writer.options] == [("expert", 100), ("user", 100), ("machine", 0)]
        assert [one.score for one in knows.options] == [100, 75, 50, 25, 0]
        assert (knows.is_scale, writer.is_scale, knows.weight) == (True, False, 1)

    def test_every_mistake_is_named_by_line_and_field(self) -> None:
        bad = b"""[[questions]]
name = "writer"
text = ""
choices = [{name = "a", label = "A"}, {name = "b", label = "B"}]
[[questions]]
name = "writer"
text = "Again?"
[[questions]]
name = "N N"
text = "x"
scale = {highest = 11, low = "l", high = "h"}
colour = 3
[[questions]]
name = "half"
text = "x"
weight = 2
[[questions.choices]]
name = "a"
label = "A"
score = 1
[[questions.choices]]
name = "a"
label = "B"
broken
"""
        with pytest.raises(SourceError) as error:
            read_declaration(bad)
        found = [re.match(r"declaration: line (\d+)(?:: (questions[\w.[\]]*))?", one) for one in error.value.problems]
        assert [(int(one[1]), one[2]) for one in found if one] == [
            (3, "questions[1].text"),
            (5, "questions[2]"),
            (6, "questions[2].name"),
            (9, "questions[3].name"),
            (11, "questions[3].scale.highest"),
            (12, "questions[3].colour"),
            (21, "questions[4].choices[2].score"),
            (22, "questions[4].choices[2].name"),
            (24, None),
        ], error.value.problems
        with pytest.raises(SourceError):
            read_declaration(b"")

    def test_mistakes_of_both_files_at_once(self, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, tmp_path)
        bad = tmp_path / "bad.jsonl"
        bad.write_bytes(b'{"id": "1", "text": "x"}\n{"id": "2", "group": "g", "text": ""}\n' + texts(1) + texts(1))
        with pytest.raises(ItemsError) as error:
            load_texts(study, declaration=b"x = 1", texts=bad, by=grace)
        fields = [re.search(r'(\d+).*?"?(x|questions|group|text|id)\b', one) for one in error.value.problems[2:]]
        assert [(int(one[1]), one[2]) for one in fields if one] == [(1, "group"), (2, "text"), (4, "id")]
        assert study.items.count() == 12, "nothing was replaced"
        codes = [rb'{"id": "a\u0000", "group": "g", "text": "x"}', rb'{"id": "b", "group": "\ud800", "text": "x"}']
        bad.write_bytes(b"\n".join([*codes, rb'{"id": "c", "group": "g", "text": "x\udfff"}', b'{"group": "g"}']))
        with pytest.raises(ItemsError) as error:
            load_texts(study, declaration=b"questions = [1]", texts=bad, by=grace)
        assert "[[questions]]" in error.value.problems[0]
        fields = [re.search(r"(\d+).*?\b(id|group|text)\b", one) for one in error.value.problems[1:]]
        assert [(int(one[1]), one[2]) for one in fields if one] == [(1, "id"), (2, "group"), (3, "text"), (4, "id")]
        assert all(one.encode() for one in error.value.problems), "the page can show them"
        assert clone_study(study, by=grace).declaration == study.declaration


class TestThePlan:
    def test_every_text_once_before_any_twice_and_groups_in_proportion(self, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, tmp_path, n=60, questions_per_participant=10)
        rated: Counter[str] = Counter()
        for number in range(1, 8):
            who = Participant.objects.create(study=study, number=number, receipt_code=str(number))
            consent.draw(study, who)
            drawn = [row.item for row in who.assignments.select_related("item")]
            groups = Counter(one.group for one in drawn if one is not None)
            assert sum(groups.values()) == 10
            assert all(3 <= n <= 4 for n in groups.values()), groups
            rated.update(one.key for one in drawn if one is not None)
            assert (len(rated), max(rated.values())) == (min(10 * number, 60), 1 if number < 7 else 2)

    def test_nobody_begins_without_a_declaration(self, client: Client, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, tmp_path)
        Study.objects.filter(pk=study.pk).update(declaration="")
        volunteers.come_in(client, volunteers.link(study))
        page = client.get(f"/studies/{study.slug}/consent/").content.decode()
        digest = re.search(r'name="digest"\s+value="(\w+)"', page)
        assert digest is not None
        assert client.post(f"/studies/{study.slug}/consent/", {"digest": digest[1]}).status_code == 403


def rate(client: Client, study: Study, number: int, page: str = "done", based_on: int = 0, **given: object) -> Any:
    fields = {"text": "", "based_on": based_on} | {f"rating-{name}": value for name, value in given.items()}
    return client.post(f"/studies/{study.slug}/questions/{number}/{page}/", fields)


class TestThePage:
    def test_shows_no_group_and_saves(self, client: Client, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, tmp_path)
        who = volunteers.seated(client, study)
        row = who.assignments.select_related("item").get(position=1)
        assert row.item is not None
        address = f"/studies/{study.slug}/questions/1/"
        page = client.get(address).content.decode()
        assert row.item.passage_text in page
        assert page.count('type="radio"') == 8
        everything = page + client.get(f"/studies/{study.slug}/questions/").content.decode()
        assert not re.search(rf"group-|{row.item.key}|>{row.item.name}<", everything)
        refused = rate(client, study, 1, writer="expert")
        assert refused.status_code == 422
        assert NO_RATING in refused.content.decode()
        assert 'value="expert" checked' in refused.content.decode()
        assert UNKNOWN_RATING in rate(client, study, 1, writer="nobody").content.decode()
        assert rate(client, study, 1, based_on=1, knows="5", writer="user").status_code == 303
        row.refresh_from_db()
        assert (row.text, row.version) == ("writer: user\nknows: 5", 2)
        assert row.done_at is not None
        assert rate(client, study, 2, "skip").status_code == 303

    def test_saves_for_a_script(self, client: Client, grace: User, tmp_path: Path) -> None:
        study = make_study(grace, tmp_path)
        who = volunteers.seated(client, study)
        address = f"/studies/{study.slug}/questions/1/answer/"
        sent = {"text": "knows: 3", "based_on": "0", "active": "0"}
        reply = client.post(address, sent, headers={"accept": "application/json"})
        assert (reply.status_code, reply.json()["text"]) == (200, "knows: 3")
        bad = client.post(address, sent | {"text": "knows: 6"}, headers={"accept": "application/json"})
        assert bad.status_code == 422
        assert who.assignments.get(position=1).text == "knows: 3"


ANSWERS = {"group-a": ("expert", 1), "group-b": ("user", 2), "group-c": ("machine", 5)}


@pytest.fixture
def rated(grace: User, tmp_path: Path) -> Study:
    """Six people rated eight of twelve texts each; the third always says *machine*, the sixth is excluded."""
    study = make_study(grace, tmp_path, questions_per_participant=8)
    for number in range(6):
        who = volunteers.seated(Client(), study)
        for row in who.assignments.select_related("item"):
            assert row.item is not None
            writer, knows = ANSWERS[row.item.group]
            row.text = f"writer: {'machine' if number == 2 else writer}\nknows: {min(knows + number % 2, 5)}"
            row.done_at = timezone.now()
            row.save()
    Participant.objects.filter(pk=who.pk).update(excluded_at=timezone.now(), exclusion_reason="A test.")
    return study


def exported(client: Client, study: Study) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    response = client.post(f"/maintenance/studies/{study.slug}/export/", {})
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))  # type: ignore[attr-defined]
    tables = {
        name: [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]
        for name in ("texts", "ratings", "participants")
    }
    return json.loads(archive.read("study.json")), tables


class TestTheOutcome:
    def test_the_outcome_follows_from_the_export_alone(self, client: Client, grace: User, rated: Study) -> None:
        client.force_login(grace)
        about, tables = exported(client, rated)
        found = outcome_of_ratings(rated)
        assert {row["id"] for row in tables["texts"]} == {f"q{n}" for n in range(12)}
        assert len({row["participant"] for row in tables["ratings"]}) == 6
        counted = [row for row in tables["ratings"] if row["counts"]]
        weights = {one["name"]: one.get("weight", 1) for one in about["rating_questions"]}
        for group in found["groups"]:
            own = [row for row in counted if row["group"] == group["group"]]
            by_rating: dict[tuple[str, str], dict[str, float]] = {}
            for row in own:
                by_rating.setdefault((row["participant"], row["item"]), {})[row["question"]] = row["score"]
            scores = [
                sum(weights[name] * score for name, score in one.items()) / sum(weights.values())
                for one in by_rating.values()
            ]
            people, texts = [who for who, _ in by_rating], [text for _, text in by_rating]
            assert (group["n_ratings"], group["n_people"]) == (len(by_rating), len(set(people)))
            assert group["score"].value == pytest.approx(statistics.fmean(scores))
            ends = mean_interval([score / 100 for score in scores], (people, texts))
            assert (group["score"].low, group["score"].high) == pytest.approx((100 * ends.low, 100 * ends.high))
            for one in found["questions"]:
                mean, shares = next((mean, shares) for name, mean, shares in one["rows"] if name == group["group"])
                given = [row for row in own if row["question"] == one["question"].name]
                whose = [row["participant"] for row in given], [row["item"] for row in given]
                for option, (_, share) in zip(one["question"].options, shares, strict=True):
                    chosen = [float(row["answer"] == option.value) for row in given]
                    ends = mean_interval(chosen, whose)
                    expected = (statistics.fmean(chosen), ends.low, ends.high)
                    assert (share.value, share.low, share.high) == pytest.approx(expected)
                if mean is not None:
                    numbers = [int(row["answer"]) for row in given]
                    ends = mean_interval([(number - 1) / 4 for number in numbers], whose)
                    expected = (statistics.fmean(numbers), 1 + 4 * ends.low, 1 + 4 * ends.high)
                    assert (mean.value, mean.low, mean.high) == pytest.approx(expected)

    def test_shares_and_agreement_are_those_worked_out_by_hand(self, rated: Study) -> None:
        found = outcome_of_ratings(rated)
        assert [row["group"] for row in found["groups"]] == sorted(ANSWERS)
        assert sum(row["n_ratings"] for row in found["groups"]) == 40
        writer = {name: shares for name, _, shares in found["questions"][0]["rows"]}
        assert [one.value for _, one in writer["group-c"]] == [0, 0, 1]
        others = [one.value for _, one in writer["group-a"]]
        assert others[1] == 0
        assert 0 < (others[2] or 0) < 0.5
        assert found["questions"][1]["agreement"].n_items == 12
        assert found["questions"][1]["agreement"].value is not None
        choice, scale = (one["chart"]["points"] for one in found["questions"][:2])
        assert len(scale) == len(found["groups"]) == len(found["chart"]["points"])
        assert [one["value"] for one in choice[::3]] == [
            100 * (one.value or 0) for one in dict(writer["group-a"]).values()
        ]

    def test_pages_and_withdrawal(
        self, client: Client, grace: User, rated: Study, django_assert_max_num_queries: Any
    ) -> None:
        staff = Client()
        staff.force_login(grace)
        where = f"/maintenance/studies/{rated.slug}/"
        for page in ("", "items/", "edit/", "export/", "invitations/", "participants/P-01/"):
            assert staff.get(where + page).status_code == 200
        session = staff.get(f"{where}participants/P-01/").content.decode()
        asked = questions_of(rated)[0]
        assert any(f"{asked.text} {option.label}" in session for option in asked.options), "as people read it"
        assert f"{asked.name}: " not in session
        with django_assert_max_num_queries(17):
            page = staff.get(f"{where}results/").content.decode()
        assert page.count("</table>") == 3
        assert staff.get(f"{where}checks/").status_code == 404
        assert staff.post(f"{where}results/").status_code == 302
        assert NO_VOTE not in page
        who = volunteers.seated(client, rated)
        rate(client, rated, 1, writer="user", knows=1)
        assert sum(row["n_ratings"] for row in outcome_of_ratings(rated)["groups"]) == 41
        client.post(f"/studies/{rated.slug}/withdraw/")
        assert sum(row["n_ratings"] for row in outcome_of_ratings(rated)["groups"]) == 40
        assert not Assignment.objects.filter(participant=who).exists()

    def test_files_are_loaded_on_the_page(self, client: Client, grace: User) -> None:
        split = factories.split(factories.benchmark(), "test")
        study = factories.study(grace, split, kind=Kind.RATINGS, questions_per_participant=3)
        client.force_login(grace)
        where = f"/maintenance/studies/{study.slug}/items/"
        assert client.post(where).status_code == 422
        bad = client.post(where, {"declaration": SimpleUploadedFile("d.toml", b"x = 1")})
        assert bad.status_code == 422
        assert bad.context["n_mistakes"] == 2
        files = {
            "declaration": SimpleUploadedFile("d.toml", documented()),
            "items": SimpleUploadedFile("t.jsonl", texts(6)),
        }
        assert client.post(where, files).status_code == 302
        assert client.get(where).context["n_groups"] == 3


class TestTheCommand:
    def run(self, *arguments: str) -> Study:
        call_command("create_study", "fanoutqa", "test", "openbook", "Natural", "--owner", "grace", *arguments)
        return Study.objects.get()

    def test_makes_a_study_of_ratings(self, grace: User, tmp_path: Path) -> None:
        factories.benchmark()
        (tmp_path / "d.toml").write_bytes(documented())
        (tmp_path / "t.jsonl").write_bytes(texts(6))
        files = ["--declaration", str(tmp_path / "d.toml"), "--items", str(tmp_path / "t.jsonl")]
        study = self.run("--kind", "ratings", "--questions", "3", *files)
        assert (study.kind, study.items.count(), study.declaration) == ("ratings", 6, documented().decode())
        assert "rate" in study.consent_text

    def test_names_every_mistake_and_makes_nothing(self, grace: User, tmp_path: Path) -> None:
        factories.benchmark()
        (tmp_path / "d.toml").write_bytes(b"x = 1")
        with pytest.raises(CommandError, match=r"line 1: x"):
            self.run("--kind", "ratings", "--questions", "3", "--declaration", str(tmp_path / "d.toml"))
        with pytest.raises(CommandError, match="--declaration"):
            self.run("--questions", "3", "--declaration", str(tmp_path / "d.toml"))
        assert not Study.objects.exists()
