"""What comes of a study: an answer set that is scored, and an archive to take along."""

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.models import Participant, ReaderTab, Study, StudyEvent, StudyResult
from humaneval.participants import services as participants
from humaneval.results import answer_sets
from humaneval.results.evidence import evidence_of
from humaneval.results.exports.archive import WITH_CONTACTS, write_export
from humaneval.results.exports.tables import TABLES, tables_of
from humaneval.results.human_row import note_of
from humaneval.studies.queries import unfinished_answers
from humaneval.studies.services import update_study
from scoring.models import Answer, Question, Score
from tests import factories
from tests import study_people as people_of

pytestmark = pytest.mark.django_db
BOOLS = {"true": True, "false": False}
RULES = '=HYPERLINK("http://evil.example")'


@pytest.fixture
def study() -> Study:
    grace = factories.maintainer()
    return factories.study(
        grace, factories.split(factories.benchmark(), "dev"), encyclopedia="zim:/secret/place/wiki.zim"
    )


@pytest.fixture
def people(study: Study) -> dict[str, Participant]:
    return people_of.lively(study)


def answers_rows(study: Study) -> list[dict[str, Any]]:
    (table,) = [table for table in TABLES if table.name == "answers"]
    return list(table.rows(study))


class TestResults:
    def test_the_answers_that_count_become_an_answer_set(self, study: Study, people: dict[str, Participant]) -> None:
        made = answer_sets.make_answer_set(study, by=study.owner)
        kept = Answer.objects.filter(answer_set=made.answer_set).values_list("qid", "participant", "text")
        assert set(kept) == {
            ("dev-0", "P-01", "Norway has Oslo and 0."),
            ("dev-1", "P-01", "I do not know."),
            ("dev-0", "P-02", "Oslo"),
            ("dev-2", "P-06", "Peru has Lima and 2."),
        }
        assert (made.n_participants, made.n_answers, made.n_questions) == (3, 4, 3)
        assert StudyEvent.objects.latest("pk").text.startswith("Queued for scoring: 4 answers of 3 participants")

    def test_unfinished_answers_are_named_and_count_if_the_maintainer_says_so(
        self, client: Client, study: Study, people: dict[str, Participant]
    ) -> None:
        who = people["answering"]
        drafts = [
            people_of.assigned(who, 8, "dev-3", "Oslo, I th", done=False),
            people_of.assigned(people["finished"], 9, "dev-3", "Lima", done=False, skipped_at=timezone.now()),
        ]
        people_of.assigned(people["finished"], 8, "dev-2", "Quito", done=False)
        finished = {("dev-0", "P-01"), ("dev-1", "P-01"), ("dev-2", "P-01"), ("dev-0", "P-02"), ("dev-2", "P-06")}
        made = answer_sets.make_answer_set(study, by=study.owner)
        assert {(row.qid, row.participant) for row in made.answer_set.answers.all()} == finished, (
            "to finish the study finishes its answers, without those that were skipped"
        )
        assert set(unfinished_answers(study)) == set(drafts)
        counting = {(row["participant"], row["position"]) for row in answers_rows(study) if row["counts"]}
        assert counting == {("P-01", 1), ("P-01", 2), ("P-01", 8), ("P-02", 1), ("P-06", 1)}
        client.force_login(study.owner)
        page = client.get(f"/maintenance/studies/{study.slug}/results/")
        assert list(page.context["unfinished"]) == [drafts[1], drafts[0]]
        update_study(study, {"counts_unfinished": True}, by=study.owner)
        study.refresh_from_db()
        again = answer_sets.make_answer_set(study, by=study.owner)
        assert {(row.qid, row.participant) for row in again.answer_set.answers.all()} == finished | {
            ("dev-3", "P-01"),
            ("dev-3", "P-02"),
        }
        assert (made.n_unfinished, again.n_unfinished) == (0, 2)
        assert note_of(again).split(", ")[2].startswith("2 "), "the row says how many are unfinished"
        assert sum(row["counts"] for row in answers_rows(study)) == 7

    def test_it_is_scored_as_any_other_over_the_answers_given(
        self, study: Study, people: dict[str, Participant], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        answer_sets.make_answer_set(study, by=study.owner)
        factories.run_waiting()
        score = Score.objects.get(name="loose", run__metric="accuracy")
        assert (score.n_items, score.n_answered) == (4, 4)
        assert sorted(score.per_item) == [0.0, 0.5, 1.0, 1.0]
        with django_assert_num_queries(5):
            (view,) = answer_sets.results_of(study)
        assert (view["result"].n_questions, view["n_split"]) == (3, 4)
        shown = {score.name: score for run in view["runs"] for score in run.scores}
        assert shown["loose"].value == 0.625
        assert shown["loose"].low is not None, "an interval, clustered by participant"

    def test_the_same_answers_are_not_scored_twice(self, study: Study, people: dict[str, Participant]) -> None:
        answer_sets.make_answer_set(study, by=study.owner)
        with pytest.raises(answer_sets.NothingToScoreError, match=answer_sets.UNCHANGED):
            answer_sets.make_answer_set(study, by=study.owner)
        participants.exclude(people["answering"], "A colleague.", by=study.owner)
        assert answer_sets.make_answer_set(study, by=study.owner).n_answers == 3
        assert [view["number"] for view in answer_sets.results_of(study)] == [2, 1]

    def test_without_answers_there_is_nothing_to_score(self, study: Study) -> None:
        with pytest.raises(answer_sets.NothingToScoreError, match=answer_sets.NO_ANSWERS):
            answer_sets.make_answer_set(study, by=study.owner)
        assert not StudyResult.objects.exists()


class TestWhyPeopleMiss:
    def test_answers_are_set_beside_what_was_read_for_them(
        self, study: Study, people: dict[str, Participant], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert evidence_of(study)["by_reading"] is None, "nothing is scored yet"
        answer_sets.make_answer_set(study, by=study.owner)
        factories.run_waiting()
        with django_assert_num_queries(9):
            found = evidence_of(study)["by_reading"]
        assert found is not None
        assert found["column"].label == "Loose accuracy"
        # P-01 read Norway and was right; of those who read nothing necessary one was right, one half and one wrong
        assert [row[1:] for row in found["rows"]] == [(1, 1.0), (0, None), (3, 0.5)]

    def test_scores_of_answers_to_a_hidden_split_by_what_was_read_are_for_maintainers(
        self, study: Study, client: Client
    ) -> None:
        grace, ada = study.owner, factories.user("ada")
        hidden = factories.study(ada, factories.split(study.split.benchmark, "test"), "Hidden")
        people_of.lively(hidden)
        answer_sets.make_answer_set(hidden, by=grace)
        factories.run_waiting()
        means = {}
        for user in (grace, ada):
            client.force_login(user)
            shown = client.get(reverse("manage-study-evidence", args=[hidden.slug])).context["evidence"]
            assert shown["measures"]["n_answers"] == 4
            means[user] = shown["by_reading"] and [row[1:] for row in shown["by_reading"]["rows"]]
        assert means == {grace: [(1, 1.0), (0, None), (3, 0.5)], ada: None}


def lines_of(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in archive.read(f"{name}.jsonl").decode().splitlines())


class TestExport:
    def test_every_field_is_told_in_the_readme_and_is_there(self, study: Study, people: dict[str, Participant]) -> None:
        answer_sets.make_answer_set(study, by=study.owner)
        given = people["finished"].assignments.get(position=1)
        people["finished"].assignments.filter(position=1).update(text="Norway has Oslo.")
        answer_sets.make_answer_set(study, by=study.owner)
        factories.run_waiting()
        ReaderTab.objects.create(assignment=given, path="Norway", title="Norway")
        archive = people_of.exported(study, with_contacts=True)
        readme = archive.read("README.md").decode()
        for table in tables_of(with_contacts=True, with_grades=True):
            rows = list(lines_of(archive, table.name))
            assert rows, f"{table.name} has rows in this study"
            for row in rows:
                assert list(row) == [field.name for field in table.fields]
            told = re.findall(
                r"^\| `(\w+)` \| \S", readme.split(f"## {table.name}\n")[1].split("\n## ")[0], re.MULTILINE
            )
            assert told == [field.name for field in table.fields]
            with archive.open(f"{table.name}.csv") as file:
                read = list(csv.DictReader(io.TextIOWrapper(file, "utf-8", newline="")))
            assert [row.keys() for row in read] == [row.keys() for row in rows]

    def test_generations_are_as_anybody_may_submit(self, study: Study, people: dict[str, Participant]) -> None:
        people_of.assigned(people["answering"], 8, "dev-3", "Oslo, I th", done=False)
        archive = people_of.exported(study)
        assert list(lines_of(archive, "generations")) == [
            {"id": "dev-0", "answer": "Norway has Oslo and 0.", "participant": "P-01"},
            {"id": "dev-1", "answer": "I do not know.", "participant": "P-01"},
            {"id": "dev-0", "answer": "Oslo", "participant": "P-02"},
            {"id": "dev-2", "answer": "Peru has Lima and 2.", "participant": "P-06"},
        ], "an unfinished answer does not count"
        own = {name for name in archive.namelist() if name.startswith("generations/")}
        assert own == {f"generations/P-0{number}.jsonl" for number in (1, 2, 6)}
        answers = {line["id"]: line["answer"] for line in lines_of(archive, "generations/P-01")}
        sent = factories.submission(study.owner, study.split, {"openbook": answers})
        assert sent.files.get().n_answered == 2

    def test_nobody_can_be_told_from_it_unless_that_was_asked_for(
        self, study: Study, people: dict[str, Participant]
    ) -> None:
        archive = people_of.exported(study)
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
        assert "contacts.jsonl" not in archive.namelist()
        assert "@example.org" not in everything
        assert people["finished"].receipt_code not in everything
        assert study.owner.get_username() not in everything.replace("grace period", "")
        assert "/secret/place" not in everything
        asked = people_of.exported(study, with_contacts=True)
        assert {"first@example.org", "third@example.org"} <= {row["email"] for row in lines_of(asked, "contacts")}
        assert WITH_CONTACTS in asked.read("README.md").decode()
        assert WITH_CONTACTS not in archive.read("README.md").decode()
        write_export(study, io.BytesIO(), by=study.owner)
        said = list(StudyEvent.objects.order_by("-pk").values_list("text", "actor")[:2])
        without = "Exported, without email addresses."
        assert said == [(without, study.owner.pk), ("Exported, with email addresses.", None)]

    def test_a_spreadsheet_runs_nothing(self, study: Study) -> None:
        given = people_of.assigned(people_of.participant(study, 1), 1, "dev-0", RULES)
        people_of.search(given, "-1+2")
        people_of.visit(given, "\t=1+1")
        archive = people_of.exported(study)
        for name in (name for name in archive.namelist() if name.endswith(".csv")):
            for row in csv.reader(io.TextIOWrapper(archive.open(name), "utf-8", newline="")):
                assert not [field for field in row if field.lstrip()[:1] in tuple("=+-@")]
        (answer,) = lines_of(archive, "answers")
        assert answer["answer"] == RULES, "in the JSON Lines a text stands as it was typed"

    def test_the_tables_say_what_happened(self, study: Study, people: dict[str, Participant]) -> None:
        archive = people_of.exported(study)
        visits = [row for row in lines_of(archive, "visits") if row["participant"] == "P-01"]
        assert [(row["id"], row["article"], row["title"], row["necessary"]) for row in visits] == [
            ("dev-0", 1, "Somewhere else", False),
            ("dev-0", 2, "Norway", True),
            ("dev-1", 1, "Lima", False),
        ]
        measures = {(row["participant"], row["id"]): row for row in lines_of(archive, "measures")}
        assert measures["P-01", "dev-0"]["recall"] == 1.0
        assert measures["P-01", "dev-1"]["missed"] == ["Kenya"]
        timings = {(row["participant"], row["position"]): row for row in lines_of(archive, "timings")}
        assert timings["P-01", 1]["open_seconds"] == 600
        excluded = next(row for row in lines_of(archive, "participants") if row["participant"] == "P-07")
        assert (excluded["counts"], excluded["exclusion_reason"]) == (False, "Answered at random.")
        about = json.loads(archive.read("study.json"))
        assert about["consent_versions"][0]["text"] == study.consent_text
        assert about["encyclopedia"] == "zim:wiki.zim"

    def test_the_data_card_says_the_types_of_every_table_with_rows(
        self, study: Study, people: dict[str, Participant]
    ) -> None:
        Question.objects.filter(revision=study.split.current_revision, qid="dev-0").update(language="de")
        people_of.search(people["finished"].assignments.get(position=1), "NA")
        archive = people_of.exported(study, with_contacts=True)
        card = yaml.safe_load(archive.read("README.md").decode().split("---\n")[1])
        assert (card["pretty_name"], card["language"]) == (study.name, ["de"])
        features = {one["config_name"]: one["features"] for one in card["dataset_info"]}
        tables = tables_of(with_contacts=False, with_grades=True)
        with_rows = [table.name for table in tables if archive.read(f"{table.name}.jsonl")]
        assert [one["config_name"] for one in card["configs"]] == list(features) == with_rows
        assert "contacts" not in with_rows
        read: dict[str, Callable[[str], Any]] = {"string": str, "int64": int, "float64": float, "bool": BOOLS.get}
        n_values: Counter[str] = Counter()
        for one in card["configs"]:
            name, typed = one["config_name"], features[one["config_name"]]
            lines = csv.reader(io.TextIOWrapper(archive.open(one["data_files"]), "utf-8", newline=""))
            assert next(lines) == [field["name"] for field in typed]
            for line, row in zip(lines, lines_of(archive, name), strict=True):
                for text, field, value in zip(line, typed, row.values(), strict=True):
                    missing = text == one["na_values"]
                    n_values[field["dtype"]] += not missing
                    if field["dtype"] != "string":
                        assert value == (None if missing else read[field["dtype"]](text))
        assert len(n_values) == 4

    def test_grades_are_of_the_latest_answer_set_and_can_be_left_out(
        self, study: Study, people: dict[str, Participant]
    ) -> None:
        answer_sets.make_answer_set(study, by=study.owner)
        factories.run_waiting()
        grades = list(lines_of(people_of.exported(study), "grades"))
        loose = {(row["participant"], row["id"]): row["value"] for row in grades if row["score"] == "loose"}
        assert loose["P-01", "dev-1"] == 0.0
        assert len(loose) == 4
        without = people_of.exported(study, with_grades=False)
        assert "grades.jsonl" not in without.namelist()
        assert "## grades" not in without.read("README.md").decode()


class TestCommand:
    def test_it_writes_what_the_page_gives(
        self, study: Study, people: dict[str, Participant], tmp_path: Path, capsys: Any
    ) -> None:
        out = tmp_path / "study.zip"
        call_command("export_study", study.slug, "--out", str(out))
        assert "7 participants" in capsys.readouterr().out
        assert out.stat().st_mode & 0o077 == 0, "nobody else may read it"
        assert "contacts.jsonl" not in zipfile.ZipFile(out).namelist()
        with pytest.raises(CommandError, match="already exists"):
            call_command("export_study", study.slug, "--out", str(out))
        assert [path.name for path in tmp_path.iterdir()] == ["study.zip"]

    def test_a_study_that_is_not_there_is_named_with_those_that_are(self, study: Study, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"study nowhere\..*: spring-study"):
            call_command("export_study", "nowhere")
        with pytest.raises(CommandError, match=r"Cannot write .*study\.zip"):
            call_command("export_study", study.slug, "--out", str(tmp_path / "nowhere" / "study.zip"))
