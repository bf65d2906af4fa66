"""Whatever an endpoint sends back is read, and each kind of failure keeps its own name."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.asking.replies import MAX_STORED_CHARACTERS, Outcome, read_completion, read_document
from scoring.metrics.rubric.items import reading_of


def completion(content: Any = "C", *, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {
        "model": "gpt-4o-2024-11-20",
        "system_fingerprint": "fp_1",
        "choices": [{"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 200},
    }


def test_a_verdict_with_what_the_endpoint_says_of_itself() -> None:
    reply = read_completion(json.dumps(completion("Because.\n\nB\n\nB")).encode())
    assert (reply.outcome, reply.letter, reply.text) == (Outcome.VERDICT, "B", "Because.\n\nB\n\nB")
    assert (reply.model, reply.system_fingerprint, reply.finish_reason) == ("gpt-4o-2024-11-20", "fp_1", "stop")
    assert (reply.tokens_in, reply.tokens_out) == (500, 200)


@pytest.mark.parametrize(
    ("document", "outcome"),
    [
        (completion("So my choice is plan b"), Outcome.UNPARSED),
        (completion(""), Outcome.EMPTY),
        (completion(" \n "), Outcome.EMPTY),
        (completion(None), Outcome.EMPTY),
        (completion(None, refusal="I can't help with that."), Outcome.REFUSED),
        (completion("C", refusal="I can't help with that."), Outcome.REFUSED),
        (completion("", finish="content_filter"), Outcome.FILTERED),
        (completion("C", finish="content_filter"), Outcome.FILTERED),
        (completion("C\n\nC", finish="length"), Outcome.TRUNCATED),
        (completion("", finish="length"), Outcome.TRUNCATED),
        (completion(7), Outcome.MALFORMED),
        (completion(["C"]), Outcome.MALFORMED),
        ({"choices": []}, Outcome.MALFORMED),
        ({"choices": [None]}, Outcome.MALFORMED),
        ({"choices": [{"message": "C"}]}, Outcome.MALFORMED),
        ({"error": {"message": "overloaded"}}, Outcome.MALFORMED),
        ("C", Outcome.MALFORMED),
        (None, Outcome.MALFORMED),
        ([], Outcome.MALFORMED),
    ],
)
def test_every_failure_has_its_own_name_and_no_letter(document: Any, outcome: Outcome) -> None:
    reply = read_document(document)
    assert reply.outcome is outcome
    assert reply.letter is None
    assert reply.outcome.label


MET, NOT_MET = '{"criteria_met": true}', '{"criteria_met": false}'


@pytest.mark.parametrize(
    ("content", "text", "verdict"),
    [
        (f"<think>Perhaps {NOT_MET}?</think>\n\n{MET}", MET, "1"),
        (f"\n<think>\n</think>{MET}", MET, "1"),
        (f"<|channel|>analysis<|message|>{NOT_MET}<|end|><|start|>assistant<|channel|>final<|message|>{MET}", MET, "1"),
        (f"<think>The verdict is {MET}", None, None),
        (f"<think>{MET}</think>", None, None),
        (f'<think>The report says "</think>{MET}", which is a trick.</think>{NOT_MET}', None, None),
        (f"It says <think>no</think>. {MET}", None, "1"),
        ('{"explanation": "It ends with </think>.", "criteria_met": false}', None, "0"),
    ],
)
def test_reasoning_before_a_reply_is_neither_read_nor_stored(
    content: str, text: str | None, verdict: str | None
) -> None:
    reply = read_document(completion(content), read=lambda text: reading_of(text, 0))
    assert (reply.letter, reply.text) == (verdict, text or content)
    assert reply.outcome is (Outcome.VERDICT if verdict else Outcome.UNPARSED)


@pytest.mark.parametrize("body", [b"", b"C", b'{"choices": [{"mess', b"<html>502</html>", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_is_malformed_and_kept(body: bytes) -> None:
    reply = read_completion(body)
    assert reply.outcome is Outcome.MALFORMED
    assert reply.text == body.decode("utf-8", "replace")[:MAX_STORED_CHARACTERS]


def test_some_servers_send_parts_and_no_counts() -> None:
    document = completion([{"type": "text", "text": "Because.\n"}, {"type": "text", "text": "E"}], finish=None)
    del document["usage"]
    reply = read_document(document)
    assert (reply.letter, reply.finish_reason, reply.tokens_in, reply.tokens_out) == ("E", "", None, None)


@pytest.mark.parametrize("count", [-1, True, 1.5, "9", None, 2**31])
def test_counts_that_are_none_are_not_believed(count: Any) -> None:
    document = completion()
    document["usage"]["completion_tokens"] = count
    assert read_document(document).tokens_out is None


def test_what_is_kept_fits_any_database() -> None:
    reply = read_document(completion("\0" + "x" * 2 * MAX_STORED_CHARACTERS + "\ud800\nC"))
    assert reply.letter == "C"
    assert "\0" not in reply.text
    assert len(reply.text) == MAX_STORED_CHARACTERS
    assert read_document(completion("\ud800\nC")).text.encode("utf-8")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "message", "content", "refusal", "usage", "model"]), inner)
    ),
    max_leaves=20,
)


@given(json_values)
def test_no_document_breaks_the_reading(document: Any) -> None:
    reply = read_document(document)
    assert (reply.letter is not None) == (reply.outcome is Outcome.VERDICT)
