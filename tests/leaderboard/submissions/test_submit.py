"""Submitting by the form: what is kept, what is refused and how it says so."""

import datetime
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.models import Event, Submission, SubmissionFile, User
from leaderboard.publishing import requests
from leaderboard.publishing.services import PUBLISHED
from leaderboard.submissions.page import submission_view
from leaderboard.web.rate_limits import RateLimit
from leaderboard.web.uploads import max_body_bytes
from scoring.benchmarks import definitions
from scoring.importing.revisions import import_definition
from scoring.metrics.base import Metric
from scoring.metrics.rouge import Rouge
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Answer, AnswerBlock, AnswerSet, Benchmark, Run, Score
from scoring.models.run_states import RunState
from tests import boards, factories, real_data
from tests.notices import error_codes, notices

pytestmark = pytest.mark.django_db


def nothing_kept(uploads: Path) -> bool:
    rows = [model.objects.exists() for model in (Submission, SubmissionFile, AnswerSet, Answer, Run)]
    files = [path for path in uploads.rglob("*") if path.is_file()]
    return not any(rows) and not files


def send(client: Client, **data: Any) -> Any:
    return client.post("/submit/", data)


class TestAGoodSubmission:
    def test_everything_is_kept_and_every_metric_has_its_run(self, client: Client, made: Benchmark, ada: User) -> None:
        files = {slug: factories.upload(factories.perfect()) for slug in ("closedbook", "openbook")}
        data = factories.form_data(authors="A\nB", details="x" * 9000, confirm_same="on")
        response = send(client, **data, **files)
        sent = Submission.objects.get()
        assert response.status_code == 302
        assert response["Location"] == f"/submissions/{sent.pk}/"
        assert (sent.owner, sent.split.slug, sent.authors, sent.attributes) == (
            ada,
            "dev",
            "A\nB",
            {"context_size": 8192},
        )
        assert [file.setting.slug for file in sent.files.all()] == ["closedbook", "openbook"]
        assert len(list(AnswerBlock.objects.texts(AnswerSet.objects.all()))) == 8
        runs = Run.objects.filter(answer_set__submission_file__setting__slug="openbook")
        assert dict(runs.values_list("metric", "state")) == {
            "accuracy": RunState.WAITING,
            "rouge": RunState.WAITING,
            "bleurt": RunState.NOT_CONFIGURED,
            "judge": RunState.NOT_CONFIGURED,
        }
        assert all(run.reason for run in runs if run.state == RunState.NOT_CONFIGURED)

    def test_the_file_is_kept_byte_for_byte_under_a_name_of_ours(
        self, client: Client, made: Benchmark, ada: User, uploads: Path
    ) -> None:
        raw = b"\xef\xbb\xbf" + factories.generations(factories.perfect()).replace(b"\n", b"\r\n") + b"\r\n\r\n"
        send(client, **factories.form_data(), openbook=factories.upload(raw, name="../../etc/pässwd\u202e.jsonl"))
        kept = SubmissionFile.objects.get()
        assert kept.filename == "pässwd.jsonl"
        assert kept.sha256 == hashlib.sha256(raw).hexdigest()
        assert kept.original.read() == raw
        assert Path(kept.original.path).is_relative_to(uploads)
        assert kept.original.name == f"submissions/{kept.submission_id}/openbook.upload"
        download: Any = client.get(f"/submissions/{kept.submission_id}/files/openbook/")
        assert b"".join(download.streaming_content) == raw
        assert download["Content-Type"] == "application/octet-stream"
        assert download["Content-Disposition"].startswith("attachment;")

    def test_messages_go_out_after_the_commit_and_not_before(
        self,
        made: Benchmark,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        from scoring.runs import dispatch

        sent: list[str] = []
        monkeypatch.setattr(dispatch, "send", sent.extend)
        with django_capture_on_commit_callbacks(execute=True):
            factories.submission(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()})
            assert sent == []
        waiting = Run.objects.filter(state=RunState.WAITING).values_list("pk", flat=True)
        assert sorted(sent) == sorted(str(pk) for pk in waiting)

    def test_scores_are_the_metrics_own_to_the_last_bit(self, made: Benchmark) -> None:
        answers = factories.perfect(right=3)
        factories.scored(factories.user(), factories.split(made, "dev"), {"openbook": answers})
        references = [question.answer for question in factories.source_questions("dev")]
        texts = [answers[f"dev-{index}"] for index in range(4)]
        metrics: tuple[Metric, ...] = (StringAccuracy(), Rouge())
        for metric in metrics:
            expected = metric.score(metric.prepare(references), texts)
            for name, score in expected.items():
                stored = Score.objects.get(name=name)
                assert stored.value == score.value
                assert stored.per_item.tolist() == score.per_item.tolist()
                assert stored.signature == stored.run.signature
                assert (stored.n_items, stored.n_answered) == (4, 4)

    def test_missing_ids_are_confirmed_and_score_zero_and_retired_ones_are_warnings(
        self, client: Client, made: Benchmark, ada: User, uploads: Path
    ) -> None:
        dev = factories.split(made, "dev")
        factories.revise(dev, factories.source_questions("dev", 3), date=datetime.date(2026, 7, 1))
        answers = {"dev-0": "Norway: Oslo", "dev-3": "retired but kept"}
        unconfirmed = send(client, **factories.form_data(), openbook=factories.upload(answers))
        assert unconfirmed.status_code == 422
        assert "Open book: 2 of 3 questions " in unconfirmed.content.decode()
        assert nothing_kept(uploads)
        confirmed = factories.form_data(confirm_missing="on")
        assert send(client, **confirmed, openbook=factories.upload(answers)).status_code == 302
        sent = Submission.objects.get()
        kept = sent.files.get()
        assert (kept.n_answered, kept.n_questions) == (1, 3)
        codes = {group["code"]: group["count"] for group in kept.warnings}
        assert codes["missing-answer"] == 2
        assert any("retired" in code for code in codes)
        assert AnswerBlock.objects.texts_of(kept.answer_set).keys() == {"dev-0", "dev-3"}
        factories.score(sent)
        loose = Score.objects.get(name="loose")
        assert loose.per_item.tolist() == [1.0, 0.0, 0.0]
        assert (loose.n_items, loose.n_answered) == (3, 1)
        page = client.get(sent.get_absolute_url()).content.decode()
        assert "revision of 2026-07-01" in page
        assert "2 of 3 questions " in page


class TestABadSubmission:
    def test_a_type_is_chosen_and_never_assumed(self, client: Client, made: Benchmark, ada: User) -> None:
        assert client.get("/submit/").context["form"]["type"].value() is None
        response = send(client, **factories.form_data(type=""), openbook=factories.upload(factories.perfect()))
        assert (response.status_code, error_codes(response)) == (422, {"type": ["required"]})

    @pytest.mark.parametrize(
        ("field", "value", "code"),
        [
            ("name", "", "required"),
            ("name", "x" * 201, "max_length"),
            ("name", "a\x00b", "null_characters_not_allowed"),
            ("name", "GPT-4o\u200b", "invisible_character"),
            ("authors", "", "required"),
            ("citation", "Zhu et al.\u202e4202", "invisible_character"),
            ("split", "", "required"),
            ("split", "train", "invalid_choice"),
            ("url", "javascript:alert(1)", "invalid"),
            ("type", "MAGIC", "invalid_choice"),
            ("context_size", "0", "min_value"),
            ("context_size", "9" * 30, "max_value"),
            ("context_size", "many", "invalid"),
            ("trained_for_function_calling", "perhaps", "invalid_choice"),
        ],
    )
    def test_each_field_says_what_is_wrong_and_nothing_is_kept(
        self, client: Client, made: Benchmark, ada: User, uploads: Path, field: str, value: str, code: str
    ) -> None:
        data = factories.form_data() | {field: value}
        response = send(client, **data, openbook=factories.upload(factories.perfect()))
        assert response.status_code == 422
        found = error_codes(response)
        assert (list(found), code in found[field]) == ([field], True)
        assert nothing_kept(uploads)

    def test_all_files_problems_are_shown_at_once_with_their_lines_beside_the_forms_own(
        self, client: Client, made: Benchmark, ada: User, uploads: Path
    ) -> None:
        bad = b'{"id": "dev-0", "answer": "x"}\n{"id": "dev-1", "answer": 7}\nnot json\n{"id": "nope", "answer": "x"}\n'
        response = send(
            client,
            **factories.form_data(name=""),
            openbook=factories.upload(bad),
            closedbook=factories.upload(b""),
            evidenceprovided=factories.upload(factories.perfect()),
        )
        page = response.content.decode()
        assert response.status_code == 422
        assert error_codes(response)["name"] == ["required"]
        for line in (2, 3, 4):
            assert f"line {line}" in page.lower()
        reports = {report.setting_slug: report for report in response.context["file_reports"]}
        assert len(reports["openbook"].errors) >= 3
        assert reports["closedbook"].errors
        assert reports["evidenceprovided"].ok
        assert nothing_kept(uploads)

    def test_no_file_at_all(self, client: Client, made: Benchmark, ada: User) -> None:
        response = send(client, **factories.form_data())
        assert response.status_code == 422
        assert error_codes(response) == {"__all__": ["no_file"]}

    def test_a_file_over_the_limit_is_a_problem_of_that_file(
        self, client: Client, made: Benchmark, ada: User, uploads: Path, settings: Settings
    ) -> None:
        settings.UPLOAD_LIMIT_BYTES = 2000
        big = factories.generations({"dev-0": "x" * 5000})
        response = send(client, **factories.form_data(), openbook=factories.upload(big))
        assert response.status_code == 422
        assert "too-large" in [group.code for group in response.context["file_reports"][0].errors]
        assert nothing_kept(uploads)

    def test_a_request_over_every_limit_is_refused_before_it_is_read(self, client: Client, made: Benchmark) -> None:
        length = max_body_bytes() * 2
        for path, kind in (("/submit/", "text/html"), ("/api/v1/submissions/", "application/problem+json")):
            response = client.generic("POST", path, b"", CONTENT_LENGTH=str(length))
            assert response.status_code == 413
            assert response["Content-Type"].startswith(kind)
            assert f"{settings.UPLOAD_LIMIT_MB} MiB" in response.content.decode()

    def test_an_error_while_keeping_leaves_nothing_behind(
        self, made: Benchmark, uploads: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*args: Any, **kwargs: Any) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(Event.objects, "create", fail)
        with pytest.raises(OSError, match="disk full"):
            factories.submission(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()})
        assert nothing_kept(uploads)


class TestFilesThatWereSentBefore:
    def test_one_file_in_two_settings_needs_a_confirmation(self, client: Client, made: Benchmark, ada: User) -> None:
        def files() -> dict[str, Any]:
            return {slug: factories.upload(factories.perfect()) for slug in ("closedbook", "openbook")}

        response = send(client, **factories.form_data(), **files())
        assert response.status_code == 422
        assert set(response.context["form"].errors) == {"confirm_same"}
        assert 'name="confirm_same"' in response.content.decode()
        assert send(client, **factories.form_data(confirm_same="on"), **files()).status_code == 302
        kept = {file.setting.slug: [group["code"] for group in file.warnings] for file in SubmissionFile.objects.all()}
        assert kept == {"closedbook": ["same-file"], "openbook": ["same-file"]}

    def test_so_does_a_file_of_an_earlier_submission_of_ones_own(
        self, client: Client, made: Benchmark, ada: User
    ) -> None:
        def post() -> int:
            file = factories.upload(factories.perfect())
            return int(send(client, **factories.form_data(), openbook=file).status_code)

        factories.submission(factories.user("eve"), factories.split(made, "dev"), {"openbook": factories.perfect()})
        assert post() == 302  # another account's submission is not revealed
        assert post() == 422
        client.post(f"/submissions/{Submission.objects.get(owner=ada).pk}/withdraw/")
        assert post() == 302


class TestItsPage:
    def test_progress_places_and_scores(self, client: Client, made: Benchmark, ada: User) -> None:
        first = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        second = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        view = submission_view(second, viewer_id=ada.pk)
        assert view.state == "waiting"
        assert not view.finished
        assert [run.position for run in view.files[0].runs] == [3, 4, None, None]
        fragment = client.get(f"/submissions/{second.pk}/progress/")
        assert "<html" not in fragment.content.decode()
        assert fragment["Cache-Control"] == "no-store"
        factories.score(first)
        factories.score(second)
        view = submission_view(second, viewer_id=ada.pk)
        assert (view.state, view.finished, view.can_publish) == ("done", True, True)
        labels = [score.label for score in view.files[0].runs[0].scores]
        assert labels == ["Loose accuracy", "Strict accuracy"]

    def test_publishing_and_taking_off_by_the_buttons(self, client: Client, made: Benchmark, ada: User) -> None:
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        client.post(f"/submissions/{sent.pk}/publish/", {"how": "named", "seen": requests.fingerprint(sent)})
        boards.write()
        assert "Example system" in client.get("/fanoutqa/dev/openbook/").content.decode()
        assert client.get("/systems/example-system/").status_code == 200
        client.post(f"/submissions/{sent.pk}/unpublish/")
        boards.write()
        assert "Example system" not in client.get("/fanoutqa/dev/openbook/").content.decode()
        assert client.get("/systems/example-system/").status_code == 404
        client.post(f"/submissions/{sent.pk}/publish/", {"how": "named", "seen": requests.fingerprint(sent)})
        client.post(f"/submissions/{sent.pk}/withdraw/")
        boards.write()
        assert "Example system" not in client.get("/fanoutqa/dev/openbook/").content.decode()
        log = [text for _, text in submission_view(sent, viewer_id=ada.pk).events]
        scored = "Open book, ROUGE: done."
        assert log.index(scored) == 2
        received, *others = [text for text in log if not text.startswith("Open book, ")]
        assert " 1 file " in received and "(open book)" in received
        assert others == [PUBLISHED, "Unpublished.", PUBLISHED, "Withdrawn."]

    def test_a_failed_metric_can_be_tried_again(self, client: Client, made: Benchmark, ada: User) -> None:
        sent = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="because")
        factories.score(sent)
        view = submission_view(sent, viewer_id=ada.pk)
        assert (view.state, view.can_retry, view.can_publish) == ("failed", True, True)
        client.post(f"/submissions/{sent.pk}/retry/")
        assert Run.objects.get(metric="rouge").state == RunState.WAITING

    def test_the_cost_of_the_pages_does_not_grow(
        self, client: Client, made: Benchmark, ada: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        one = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        three = factories.scored(
            ada,
            factories.split(made, "dev"),
            {slug: factories.perfect() for slug in ("openbook", "closedbook", "evidenceprovided")},
        )
        for sent in (one, three):
            with django_assert_num_queries(15):
                client.get(f"/submissions/{sent.pk}/progress/")
        with django_assert_num_queries(11):  # two select the page
            client.get("/submissions/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "answers", "generations"),
    real_data.have(
        "fanoutqa/fanout-final-test-nov23.json",
        "fanoutqa/synthetic-test-answers.json",
        "official/openbook-generations/results-openbook-gpt-4o.jsonl",
    ),
)
def test_a_real_submission(client: Client, ada: User, old: Path, answers: Path, generations: Path) -> None:
    from django.core.management import call_command

    call_command("import_benchmark", "fanoutqa", test=old, verbosity=0)
    call_command("import_benchmark", "fanoutqa", test_answers=answers, verbosity=0)
    raw = generations.read_bytes()
    form = factories.form_data("test", confirm_missing="on")
    response = send(client, **form, openbook=factories.upload(raw, name=generations.name))
    assert response.status_code == 302
    kept = SubmissionFile.objects.get()
    assert (kept.n_lines, kept.n_answered, kept.n_questions) == (722, 721, 724)
    assert "36146d2306ce9ca3" in json.dumps(kept.warnings)
    factories.score(kept.submission)
    assert Score.objects.get(name="loose").n_answered == 721
    page = client.get(kept.submission.get_absolute_url()).content.decode()
    assert "721" in page
    assert "3 of 724 questions " in page


def test_what_is_scored_can_be_published_though_a_metric_failed(client: Client, made: Benchmark, ada: User) -> None:
    sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
    failed = Run.objects.filter(metric="rouge").update(state=RunState.FAILED, reason="The key was not accepted.")
    assert failed == 1
    page = client.get(f"/submissions/{sent.pk}/").content.decode()
    assert f"/submissions/{sent.pk}/publish/" in page
    assert f"/submissions/{sent.pk}/retry/" in page
    Run.objects.update(state=RunState.FAILED)
    assert f"/submissions/{sent.pk}/publish/" not in client.get(f"/submissions/{sent.pk}/").content.decode()


class TestAnotherBenchmark:
    def test_what_was_typed_is_kept_and_what_belongs_to_the_files_is_not(
        self, client: Client, made: Benchmark, ada: User
    ) -> None:
        factories.list_benchmark()
        page = client.get("/submit/").content.decode()
        target = f"/submit/?benchmark={factories.LISTS}"
        assert f'formaction="{target}"' in page
        typed = factories.form_data(name="Ünfinished", type="PROMPT", details="As <typed>", confirm_missing="on")
        stray = {"change": "", "self": "x", "args": "x", "openbook": "answers.jsonl"}
        changed = client.post(target, typed | stray)
        form = changed.context["form"]
        assert (changed.status_code, changed.context["benchmark"].slug) == (200, factories.LISTS)
        kept = {name: form[name].value() for name in ("name", "authors", "type", "details")}
        assert kept == {"name": "Ünfinished", "authors": "A. Author", "type": "PROMPT", "details": "As <typed>"}
        assert "As &lt;typed&gt;" in changed.content.decode()
        assert not form["confirm_missing"].value()
        assert form["split"].value() == client.get(target).context["form"]["split"].value()
        assert not form.errors
        assert not Submission.objects.exists()

    def test_one_without_questions_is_not_offered_and_says_so(self, client: Client, made: Benchmark, ada: User) -> None:
        import_definition(definitions()[factories.LISTS])
        for address in ("/submit/", "/check/"):
            assert [row.slug for row in client.get(address).context["benchmarks"]] == [made.slug]
            without = client.get(address, {"benchmark": factories.LISTS})
            assert (without.status_code, f'href="{address}?benchmark={made.slug}"' in without.content.decode()) == (
                404,
                True,
            )

    def test_a_check_has_the_choice_too(self, client: Client, made: Benchmark) -> None:
        factories.list_benchmark()
        assert f'href="/check/?benchmark={factories.LISTS}"' in client.get("/check/").content.decode()


class TestASplitWithoutAnswers:
    def test_it_is_named_and_another_one_is_chosen_first(self, client: Client, ada: User) -> None:
        factories.benchmark(test_answers=False)
        client.force_login(ada)
        for page in ("/submit/", "/check/"):
            split = client.get(page).context["form"]["split"]
            assert split.initial == "dev"
            assert "no reference answers of Test yet" in split.help_text

    def test_nothing_is_said_where_every_split_has_answers(self, client: Client, made: Benchmark, ada: User) -> None:
        split = client.get("/check/").context["form"]["split"]
        assert split.initial == "test"
        assert "no reference answers" not in split.help_text


class TestFillingFromAStatement:
    STATEMENT = {
        "name": "GPT-4o",
        "authors": "OpenAI",
        "url": "https://example.org/gpt-4o",
        "citation": "OpenAI, 2024",
        "type": "FOUNDATION",
        "context": 128000,
        "is_trained_for_function_calling": True,
        "details": None,
        "openbook_generations": "openbook.jsonl",
    }

    def fill(self, client: Client, text: str, **typed: str) -> Any:
        return client.post("/submit/fill/", {"split": "dev", "statement": text, **typed})

    def test_the_fields_come_back_filled_and_nothing_is_submitted(
        self, client: Client, made: Benchmark, ada: User, uploads: Path
    ) -> None:
        response = self.fill(client, json.dumps(self.STATEMENT), details="typed before")
        page = response.content.decode()
        assert response.status_code == 200
        assert 'value="GPT-4o"' in page
        assert 'value="128000"' in page
        assert "typed before" in page  # what the statement leaves open stays as it was
        assert response.context["form"].initial["trained_for_function_calling"] == "true"
        assert ": name, authors, web page, " in page
        assert nothing_kept(uploads)

    def test_what_is_wrong_is_named_with_line_and_field_and_the_rest_is_filled(
        self, client: Client, made: Benchmark, ada: User
    ) -> None:
        text = json.dumps(self.STATEMENT | {"context": "long", "authors": 3}, indent=1)
        response = self.fill(client, text)
        page = response.content.decode()
        assert response.status_code == 422
        assert "line 3, field “authors”: found the number 3, expected a text" in page
        assert "line 7, field “context”: found the text “long”, expected " in page
        assert 'value="GPT-4o"' in page
        assert response.context["statement"] == text

    @pytest.mark.parametrize("text", ["", "[]", "{", '{"name": NaN}', "x" * 200_000, '{"name": "<script>1</script>"}'])
    def test_anything_may_be_pasted(self, client: Client, made: Benchmark, ada: User, text: str) -> None:
        response = self.fill(client, text)
        assert response.status_code in (200, 422)
        assert "<script>1" not in response.content.decode()


class TestCheckingOnly:
    def check(self, client: Client, **data: Any) -> Any:
        return client.post("/check/", {"split": "dev", **data})

    def test_needs_no_account_and_keeps_nothing(self, client: Client, made: Benchmark, uploads: Path) -> None:
        assert client.get("/check/").status_code == 200
        response = self.check(client, openbook=factories.upload(factories.perfect()))
        assert response.status_code == 200
        assert [tone for tone, _ in notices(response)] == ["good"]
        assert nothing_kept(uploads)

    def test_missing_answers_are_told_and_stop_nothing(self, client: Client, made: Benchmark) -> None:
        response = self.check(client, openbook=factories.upload({"dev-0": "Oslo"}))
        assert response.status_code == 200
        assert response.context["file_reports"][0].missing == ("dev-1", "dev-2", "dev-3")
        assert "dev-3" in response.content.decode()

    def test_is_limited_as_the_api_is_and_by_the_same_count(
        self, client: Client, made: Benchmark, settings: Settings
    ) -> None:
        settings.API_RATES = settings.API_RATES | {"validate": RateLimit(2, 3600)}
        files = {"openbook": factories.upload(factories.perfect())}
        assert self.check(client, **files).status_code == 200
        form = {"split": "dev", "openbook": factories.upload(factories.perfect())}
        assert client.post("/api/v1/submissions/validate/", form).status_code == 200
        refused = self.check(client, openbook=factories.upload(factories.perfect()))
        assert refused.status_code == 429
        assert int(refused["Retry-After"]) > 0
