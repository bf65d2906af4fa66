"""The notebook of an export: every figure of the page of scores follows from the tables beside it."""

import random
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from humaneval.models import Assignment, ItemCheck, ItemOrigin, Kind, Participant, Preference, Study, StudyItem
from humaneval.results import answer_sets, pair_choices
from humaneval.results.answer_sets import withdraw_answers
from humaneval.results.exports import notebook
from humaneval.results.list_pairs import list_pairs_of
from humaneval.studies import pairs
from humaneval.studies.exclusions import excluded_by_rule
from leaderboard.models import User
from tests import factories, study_people, volunteers
from tests.humaneval import test_items as test_items_module
from tests.humaneval import test_pairs as test_pairs_module
from tests.humaneval import test_ratings as test_ratings_module
from tests.humaneval.results import test_lists as test_lists_module

pytestmark = pytest.mark.django_db
Figures = dict[str, list[float | None]]
rated = test_ratings_module.rated
items_ready = test_items_module.ready
lists = test_lists_module.study
NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")


def unpacked(study: Study, folder: Path, **options: Any) -> Path:
    """The export of a study, in a folder."""
    study_people.exported(study, **options).extractall(folder)
    return folder


def code_of(folder: Path) -> list[str]:
    """The cells with code of an export's notebook, which is a valid one."""
    found = nbformat.read(folder / notebook.NAME, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(found)
    return [cell.source for cell in found.cells if cell.cell_type == "code"]


@pytest.fixture
def figures_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the notebook of a study's export, and returns its figures without those that are unknown."""

    def run(study: Study) -> dict[str, list[float]]:
        monkeypatch.chdir(unpacked(study, tmp_path))
        names: dict[str, Any] = {}
        for cell in code_of(tmp_path):
            exec(cell, names)
        figures: Figures = names["figures"]
        return {name: [number for number in numbers if number is not None] for name, numbers in figures.items()}

    return run


class Page(HTMLParser):
    """The rows of a page's tables and its facts, each with the heading above it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: dict[str, str] = {}
        self.facts: list[tuple[str, str]] = []
        self.paragraphs: list[tuple[str, str]] = []
        self.texts: dict[str, str] = {"h2": "", "th": "", "td": "", "li": "", "p": ""}
        self.inside: list[str] = []
        self.feed(page[page.index("<main") : page.index("</main")])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.texts:
            self.inside.append(tag)
            self.texts[tag] += " " if tag == "td" else ""
            if tag != "td":
                self.texts[tag] = ""
        elif tag == "br":
            self.handle_data(" ")
        elif tag == "tr":
            self.texts["td"] = ""
        if ("data-label", "Against") in attrs:
            self.inside.remove("td")
            self.inside.append("th")
            self.texts["th"] += " against "

    def handle_data(self, data: str) -> None:
        for tag in self.inside:
            self.texts[tag] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            self.inside.remove(tag)
        elif tag == "td":  # a part of the row's name
            self.inside.remove("th")
        text = {name: " ".join(value.split()) for name, value in self.texts.items()}
        if tag == "tr" and text["td"]:
            self.rows[f"{text['h2']}: {text['th']}"] = text["td"]
        elif tag in ("li", "p"):
            (self.facts if tag == "li" else self.paragraphs).append((text["h2"], text[tag]))


def same(shown: str, figures: list[float]) -> bool:
    """Whether a page shows these figures, rounded to its digits."""
    texts = [text.replace("−", "-").replace(",", "") for text in NUMBER.findall(shown)]
    ends = [10 ** -len(text.partition(".")[2]) if "." in text else 0 for text in texts]
    return len(texts) == len(figures) and all(
        abs(float(text) - figure) <= end * 1.001 for text, end, figure in zip(texts, ends, figures, strict=True)
    )


def compare(client: Client, study: Study, figures: dict[str, list[float]]) -> Page:
    """Every row of the tables of a study's page, and every fact that the notebook names, with the notebook's figures.

    Each of the notebook's figures is on the page, apart from those under a name without a heading."""
    client.force_login(study.owner)
    response = client.get(f"/maintenance/studies/{study.slug}/results/")
    page = Page(response.content.decode())
    assert figures["Unfinished"] == [len(response.context["unfinished"])]
    assert figures["Who wrote it"] == [response.context["n_named"]]
    for rule, n in response.context["exclusions"]:
        assert figures[f"Excluded participants: {rule}"] == [n]
    left = {name for name in figures if ": " in name}
    assert page.rows
    for name, shown in page.rows.items():
        assert same(shown, figures[name]), f"{name}: the page has {shown}, the notebook {figures[name]}"
        left.discard(name)
    for name in sorted(left):
        heading, _, fact = name.partition(": ")
        shown, *_ = (text for where, text in page.facts + page.paragraphs if where == heading and fact in text)
        shown = shown.replace(fact, "") if figures[name] else ""
        assert same(shown, figures[name]), f"{name}: the page has {shown}, the notebook {figures[name]}"
    return page


def test_ratings(client: Client, figures_of: Any, rated: Study) -> None:
    named = Assignment.objects.filter(participant__number__in=(1, 4), position=3)
    named.update(named_at=timezone.now())
    unrated = Assignment.objects.get(participant__number=2, position=1)
    Assignment.objects.filter(pk=unrated.pk).update(text="knows: 2", done_at=timezone.now())
    Study.objects.filter(pk=rated.pk).update(exclusion_rules={"percent": 100})
    Participant.objects.filter(number=5).update(finished_at=timezone.now())
    Assignment.objects.filter(participant__number=5, position=8).update(text="", done_at=None)
    rated.refresh_from_db()
    assert list(excluded_by_rule(rated).values()) == ["percent"]
    figures = figures_of(rated)
    page = compare(client, rated, figures)
    (told,) = (text for where, text in page.paragraphs if "said that" in text and where != "Methods paragraph")
    assert same(told, figures["Who wrote it"])
    assert figures["Who wrote it"] == [2]
    assert figures["Excluded participants: Finished less than 100 % of the questions"] == [1]
    assert figures["Excluded participants: Excluded: A test."] == [1]


def test_items(client: Client, figures_of: Any, items_ready: Study) -> None:
    dice = random.Random(5)
    keys = list(items_ready.items.filter(is_qualification=False).order_by("key").values_list("key", flat=True))
    for number in range(4):
        said = {key.replace("-", "_"): dice.choices(["yes", "no", "unclear"], [5, 2, 1])[0] for key in keys}
        test_items_module.vote_on_all(volunteers.seated(Client(), items_ready), **said)
        drafts = Assignment.objects.filter(participant__number=number + 1, position=5 + number)
        drafts.update(**({"done_at": None} if number % 2 else {"named_at": timezone.now()}))
    Participant.objects.filter(number=4).update(finished_at=timezone.now())
    asked_before = volunteers.seated(Client(), items_ready)  # when the first questions were the test
    known = items_ready.items.filter(is_qualification=True).first()
    asked_before.assignments.filter(position=1).update(item=known)
    asked_before.assignments.update(text="yes", done_at=timezone.now())
    Participant.objects.filter(pk=asked_before.pk).update(attempts=[{"right": 1, "of": 1, "passed": True}])
    Participant.objects.filter(number=2).update(attempts=[])  # in the middle of it at the upgrade
    plain = items_ready.items.filter(origin=ItemOrigin.PREDICTION, is_qualification=False)
    for number, item in enumerate(plain):
        ItemCheck.objects.create(item=item, author=items_ready.owner, supported=number % 3 > 0)
    figures = figures_of(items_ready)
    compare(client, items_ready, figures)
    assert figures["Participants: P-05"][0] == asked_before.assignments.count() - 1
    assert figures["Participants: P-02"][0] == 0
    assert figures["Items: Errors: rejected by the team, in the sample of accepted items"][-1] > 0


def test_pairs(client: Client, figures_of: Any, grace: User, monkeypatch: pytest.MonkeyPatch) -> None:
    study = test_pairs_module.make_study(grace, n_dev=60, questions_per_participant=36, injected_share=0.05)
    pairs.make_pairs(study, test_pairs_module.add_systems(study), 40, by=grace)
    judged = test_pairs_module.made_up_pairs(study, np.random.default_rng(5))
    monkeypatch.setattr(pair_choices, "compared_pairs", lambda revision, sets: judged)
    dice = random.Random(3)
    for _ in range(4):
        who = volunteers.seated(Client(), study)
        test_pairs_module.choose(who, lambda row: dice.choices(Preference.values, [4, 3, 2, 1])[0])
    Participant.objects.filter(pk=who.pk).update(excluded_at=timezone.now(), exclusion_reason="A test.")
    Assignment.objects.filter(participant__number=2, position=2).update(named_at=timezone.now())
    of_first = study.items.filter(assignments__participant__number=1, origin=ItemOrigin.PREDICTION).order_by("key")
    StudyItem.objects.filter(pk=of_first[3].pk).update(named=True, candidate="long" * 40_000)
    figures = figures_of(study)
    page = compare(client, study, figures)
    (lede,) = (text for _, text in page.paragraphs if "73 %" in text)
    assert same(lede.replace("higher by 1 wins 73 %", ""), figures["Ranking"])
    assert len(figures["Ranking"]) == 3, "choices on a pair with a name are left out"
    assert len(figures["Agreement: Aardvark"]) == 4, "the judge agrees by system"
    assert len(figures["The judge’s win rates, corrected by people: Badger against Aardvark"]) == 7


@pytest.fixture
def answered(grace: User) -> Study:
    """A study with six answer sets, the last of which also has what a withdrawn participant left in it."""
    study = factories.study(grace, factories.split(factories.benchmark(n_dev=7), "dev"))
    people = study_people.lively(study)
    study_people.assigned(people["answering"], 8, "dev-3", "Oslo, I th", done=False)
    late = study_people.participant(study, 8)
    for number in range(6):
        text = ("Kenya has Nairobi and 1.", "Lima")[number % 2]
        answer = study_people.assigned(late, number + 1, f"dev-{number + 1}", text)
        study_people.visit(answer, ("Kenya", "Peru", "Mali")[number % 3], after=10 * number)
        answer_sets.make_answer_set(study, by=grace)
    factories.run_waiting()
    return study


def shown_of(view: dict[str, Any]) -> dict[str, list[float]]:
    """The scores of an answer set on the page, by their names in the notebook."""
    return {
        f"Answer set {view['number']}: {score.name} ({run.signature})": [
            end for end in (score.value, score.low, score.high) if end is not None
        ]
        for run in view["runs"]
        for score in run.scores
    }


def test_answers(client: Client, figures_of: Any, answered: Study) -> None:
    learning = [{"use": "test", "question": "Where?", "expected": ["Oslo"], "why": "It is."}] * 2
    Study.objects.update(exclusion_rules={"percent": 1}, learning=learning, test_attempts=2)
    Participant.objects.filter(number=1).update(attempts=[{"passed": True}])
    Participant.objects.filter(number=2).update(attempts=[{"passed": False}, {"passed": True}])
    Participant.objects.filter(number=3).update(attempts=[{"passed": False}])
    answered.refresh_from_db()
    withdraw_answers(Participant.objects.get(number=8), delete=False)
    figures = figures_of(answered)
    client.force_login(answered.owner)
    context = client.get(f"/maintenance/studies/{answered.slug}/results/").context
    assert [view["number"] for view in context["results"]] == [6, 5, 4, 3, 2]
    for view in context["results"]:
        result, scores = view["result"], shown_of(view)
        facts = [result.n_answers, result.n_participants, result.n_questions, view["n_split"]]
        assert figures[f"Answer set {view['number']}"] == [*facts, result.n_unfinished, result.n_withdrawn]
        assert result.n_withdrawn == view["number"]
        assert len(scores) > 5
        for name, numbers in scores.items():
            assert figures[name] == pytest.approx(numbers, abs=1e-12), name
    assert figures["Unfinished"] == [len(context["unfinished"])] == [1]
    assert context["exclusions"]
    for rule, n in context["exclusions"]:
        assert figures[f"Excluded participants: {rule}"] == [n]
    tests = {name.rpartition(": ")[2]: n for name, (n, *_) in figures.items() if name.startswith("Test before")}
    assert tests == {
        "passed at the first attempt": context["test"]["first"],
        "passed at the second attempt": context["test"]["second"],
        "failed and were screened out": context["test"]["failed"],
        "failed once, with an attempt left": context["test"]["again"],
    }
    assert list(tests.values()) == [1, 1, 0, 1]


def test_evidence(client: Client, figures_of: Any, answered: Study) -> None:
    figures = figures_of(answered)
    client.force_login(answered.owner)
    evidence = client.get(f"/maintenance/studies/{answered.slug}/evidence/").context["evidence"]
    rows = [("All answers", evidence["measures"])] + [(row["qid"], row["measures"]) for row in evidence["questions"]]
    assert len(rows) == 8
    for name, measures in rows:
        shares = [measures[share] and 100 * measures[share] for share in ("recall", "precision")]
        times = [measures["median_seconds_to_first_gold"], measures["n_with_all_gold"], measures["n_without_gold"]]
        means = [measures["mean_searches"], measures["mean_visited"]]
        known = [number for number in (*shares, *times, *means) if number is not None]
        assert figures[f"Evidence: {name}"] == pytest.approx([measures["n_answers"], *known]), name
    missed = [(row, gold, n) for row in evidence["questions"] for gold, n in row["missed"]]
    assert missed
    for row, gold, n in missed:
        assert figures[f"Evidence: {row['qid']}: {gold.title}"] == [n, row["measures"]["n_answers"]]
    read = evidence["by_reading"]
    assert sum(n > 0 for _, n, _ in read["rows"]) > 1
    for label, n, mean in read["rows"]:
        name = f"Evidence: {label}, {read['column'].score} ({read['signature']})"
        assert figures[name] == pytest.approx([n] if mean is None else [n, mean]), name


def test_scores_with_deleted_answers_are_unknown(client: Client, figures_of: Any, answered: Study) -> None:
    withdraw_answers(Participant.objects.get(number=8), delete=True)
    figures = figures_of(answered)
    client.force_login(answered.owner)
    first, *_ = client.get(f"/maintenance/studies/{answered.slug}/results/").context["results"]
    assert figures["Answer set 6"][-1] == first["result"].n_withdrawn == 6
    assert not shown_of(first).keys() & figures.keys()


def test_lists(figures_of: Any, lists: Study) -> None:
    for number, text in ((2, "atlantis\nOSLO\nLima, Peru\nLima"), (3, "Oslo\nlima\nAtlantis")):
        study_people.assigned(study_people.participant(lists, number), 1, test_lists_module.QID, text)
    figures = figures_of(lists)
    found = list_pairs_of([lists])
    assert figures["Lists: accepted"] == [found["n_accepted"], len(found["pairs"])] == [1, 3]
    for _, one, other, agreement in found["pairs"]:
        expected = [100 * agreement.overlap, 100 * agreement.length_difference]
        assert figures[f"Lists: {test_lists_module.QID}, {one[-4:]} and {other[-4:]}"] == expected


@pytest.mark.parametrize("kind", Kind.values)
def test_a_study_without_answers_has_no_figures_but_counts(figures_of: Any, kind: str) -> None:
    study = factories.study(factories.maintainer(), factories.split(factories.benchmark(), "dev"), kind=kind)
    numbers = [number for row in figures_of(study).values() for number in row]
    assert numbers
    assert not any(numbers)


def test_an_answer_may_contain_any_separator_of_lines(figures_of: Any) -> None:
    study = factories.study(factories.maintainer(), factories.split(factories.benchmark(), "dev"))
    study_people.assigned(study_people.participant(study, 1), 1, "dev-0", "Oslo\u2028Lima\u0085and\u2029=1")
    assert figures_of(study)["Unfinished"] == [0]


def require_no_site(folder: Path) -> None:
    """Require that the notebook in a folder runs with the modules beside it, and without Django."""
    ours = "[one.__file__ for name, one in sys.modules.items() if name.startswith(('scoring.', 'humaneval.'))]"
    last = f"import sys\nprint('django' in sys.modules, *filter(None, {ours}))"
    script = "\n\n".join([*code_of(folder), last])
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    with_django, *files = done.stdout.splitlines()[-1].split()
    assert with_django == "False"
    assert files
    assert all(Path(file).is_relative_to(folder) for file in files)


@pytest.mark.parametrize("kind", Kind.values)
def test_it_runs_without_this_site(kind: str, tmp_path: Path) -> None:
    study = factories.study(factories.maintainer(), factories.split(factories.benchmark(), "dev"), kind=kind)
    require_no_site(unpacked(study, tmp_path))


def test_without_grades_the_notebook_of_a_hidden_split_shows_no_scores(tmp_path: Path) -> None:
    study = factories.study(factories.maintainer(), factories.split(factories.benchmark(), "test"))
    study_people.lively(study)
    answer_sets.make_answer_set(study, by=study.owner)
    factories.run_waiting()
    unpacked(study, tmp_path, with_grades=False)
    script = "\n\n".join(code_of(tmp_path))
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Answer set 1: " not in done.stdout
    assert "Unfinished\t0\nWho wrote it\t0\nExcluded" in done.stdout
    assert "Answer set 1\t4\t" in done.stdout
