"""What a declared metric needs of prompts and questions is checked with the folder, not when answers are judged."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks import files_in, shipped_folders
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from tests.scoring.benchmarks.test_declared import place_of

DEV = "questions/dev.jsonl"
RUBRIC = [{"criterion": "Names it.", "weight": 1, "dimension": "Facts"}]
PROMPTS = {
    name.removeprefix("prompts/"): content
    for slug in ("scholarqa", "deepresearch")
    for name, content in files_in(shipped_folders()[slug]).items()
    if name.startswith("prompts/")
}


def folder(metrics: str, answer: Any = RUBRIC, prompts: tuple[str, ...] = (), **question: Any) -> dict[str, bytes]:
    """A benchmark of reports whose questions all have the same answer."""
    files = template("reports", "rubric")
    for name in (DEV, "questions/test.jsonl"):
        rows = [json.loads(line) for line in files[name].splitlines()]
        files[name] = "".join(f"{json.dumps(row | {'answer': answer} | question)}\n" for row in rows).encode()
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"[metrics.rubric]\n", metrics.encode())
    return files | {f"prompts/{name}": PROMPTS[name] for name in prompts}


def problems_of(files: dict[str, bytes]) -> list[str]:
    try:
        read_declaration(files)
    except SourceError as error:
        return list(error.problems)
    return []


def measured(measure: str, **further: Any) -> list[dict[str, Any]]:
    return [*RUBRIC, {"criterion": "Cites.", "weight": 1, "measure": measure, **further}]


@pytest.mark.parametrize(
    ("measure", "prompt"),
    [("citations", "claims_prompt.txt"), ("excerpts", "claims_prompt.txt"), ("snippets", "snippets_prompt.txt")],
)
def test_a_measure_needs_its_prompt(measure: str, prompt: str) -> None:
    answer = measured(measure, **{"snippets": ["x"]} if measure == "snippets" else {})
    problems = problems_of(folder("[metrics.rubric]\n", answer))
    assert place_of(problems[0]) == (DEV, 1, "answer[1].measure")
    assert f"expected a measure whose prompt, prompts/{prompt}, is there" in problems[0]
    prompts = (prompt, prompt.replace("prompt", "system_prompt"))
    assert problems_of(folder("[metrics.rubric]\n", answer, prompts)) == []


def test_the_length_needs_no_prompt() -> None:
    assert problems_of(folder("[metrics.rubric]\n", measured("length", words=[3, 6]))) == []


@pytest.mark.parametrize("name", ["claims_prompt.txt", "snippets_prompt.txt"])
def test_a_prompt_whose_replies_could_not_be_read_is_named(name: str) -> None:
    places = b"{response} {snippets}"
    (problem,) = problems_of(folder("[metrics.rubric]\n") | {f"prompts/{name}": places})
    assert problem.startswith(f"prompts/{name}: found a prompt that does not ask for ")


def test_scores_need_a_prompt_that_asks_for_them() -> None:
    files = folder("[metrics.rubric]\nparameters = { scale = 10 }\n")
    assert problems_of(files) == [], "the published prompt asks for both"
    files["prompts/rubric_prompt.txt"] = b'{response} {criterion} {{"verdict": "met"}}'
    del files["prompts/rubric_system_prompt.txt"]
    (problem,) = problems_of(files)
    assert "a prompt that does not ask for a score" in problem


@pytest.mark.parametrize(
    ("answer", "lacking"),
    [
        ({"criteria": RUBRIC, "dimensions": {"Facts": 1}}, ["report"]),
        ({"criteria": RUBRIC, "report": "It is Oslo."}, ["dimensions"]),
        (RUBRIC, ["dimensions", "report"]),
        ({"criteria": RUBRIC, "dimensions": {"Facts": 1}, "report": "It is Oslo."}, []),
    ],
)
def test_a_comparison_with_a_reference_report_needs_the_report_and_weights_of_dimensions(
    answer: Any, lacking: list[str]
) -> None:
    files = folder("[metrics.against-reference]\n", answer, ("against_reference_prompt.txt",))
    problems = [problem for problem in problems_of(files) if place_of(problem)[:2] == (DEV, 1)]
    assert [problem.partition("an object without ")[2].partition(",")[0] for problem in problems] == lacking


def test_what_a_judge_lacks_in_a_file_of_answers_is_named_there() -> None:
    files = folder("[metrics.rubric]\n", measured("citations"))
    rows = [json.loads(line) for line in files[DEV].splitlines()]
    files["questions/dev-answers.jsonl"] = "".join(
        f"{json.dumps({'id': row['id'], 'answer': row.pop('answer')})}\n" for row in rows
    ).encode()
    files[DEV] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    questions = b'questions = "questions/dev.jsonl"\n'
    assert questions in files["benchmark.toml"]
    answers = b'answers = "questions/dev-answers.jsonl"\n'
    toml = files["benchmark.toml"].replace(questions, questions + answers)
    problems = problems_of(files | {"benchmark.toml": toml})
    assert place_of(problems[0]) == ("questions/dev-answers.jsonl", 1, "answer[1].measure")


def test_a_file_that_is_imported_alone_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(folder("[metrics.rubric]\n", measured("citations"))[DEV])
    importer = read_declaration(folder("[metrics.rubric]\n")).definition.importer
    with pytest.raises(SourceError, match="claims_prompt"):
        importer.read_file(path)


def warnings_of(metrics: str, **question: Any) -> list[str]:
    return [one for one in read_declaration(folder(metrics, **question)).warnings() if one.startswith("metrics.")]


def test_cited_evidence_needs_evidence() -> None:
    evidence = "[metrics.rubric]\n[metrics.evidence]\n"
    assert warnings_of(evidence) == []
    assert warnings_of(evidence, evidence=[]) == [
        f"metrics.evidence: found no question of {split} with evidence. Add it, or correct the declaration."
        for split in ("dev", "test")
    ]


def test_the_share_of_required_criteria_needs_some() -> None:
    declared = "[metrics.rubric]\nparameters = { required = true }\n"
    fault = {"criterion": "Invents a source", "weight": -1}
    assert warnings_of(declared, answer=[{"criterion": "Names Ada", "weight": 1}, fault]) == []
    (warning, _) = warnings_of(declared, answer=[{"criterion": "Names Ada", "weight": 1, "optional": True}, fault])
    assert "found no question of dev with a criterion that is neither optional nor a fault" in warning


def test_a_parameter_beside_the_parameters_is_told_where_it_belongs() -> None:
    (problem,) = problems_of(folder('[metrics.rubric]\nrequests = "dimension"\n'))
    assert problem.endswith("Write it as a parameter: parameters = { requests = … }.")
    (problem,) = problems_of(folder('[metrics.rubric]\nrequest = "dimension"\n'))
    assert "The keys are parameters" in problem


def test_requests_about_groups_need_their_list_in_an_own_prompt_and_no_prompt_at_all() -> None:
    files = folder('[metrics.rubric]\nparameters = { requests = "question" }\n')
    problems = problems_of(files)
    assert problems[0].startswith("prompts/rubric_prompt.txt: found a prompt without them, expected the prompt of the")
    assert "with {criteria}" in problems[0]
    without = {name: content for name, content in files.items() if not name.startswith("prompts/")}
    assert problems_of(without) == []
    system = "prompts/rubric_system_prompt.txt"
    (problem,) = problems_of(without | {system: files[system]})
    assert problem.startswith(f"{system}: found a system message alone, which is not sent")


def test_the_scores_that_parameters_add_may_have_declared_columns_and_are_never_shown_on_hidden_splits() -> None:
    parameters = '[metrics.rubric]\nparameters = { required = true, dimensions = ["Facts"] }\n'
    scores = ("rubric", "rubric.required", "rubric.facts")
    tables = [f'[[columns]]\nmetric = "rubric"\nscore = "{score}"\nlabel = "{score}"\n' for score in scores]
    columns = read_declaration(folder(parameters + "".join(tables))).definition.columns
    shown = [(column.score, column.bounds, column.disclosed) for column in columns]
    assert shown == [("rubric", None, True), ("rubric.required", (0.0, 1.0), False), ("rubric.facts", None, False)]
    (problem,) = problems_of(folder("[metrics.rubric]\n" + tables[1]))
    assert 'found the text "rubric.required", expected rubric' in problem
    files = folder(parameters)
    toml = files["benchmark.toml"].replace(b"task_type", b'default_sort = "rubric.required"\ntask_type', 1)
    (problem,) = problems_of(files | {"benchmark.toml": toml})
    assert 'found the text "rubric.required", which no hidden split shows' in problem


@pytest.mark.parametrize("metric", ["rubric", "against-reference", "fact"])
def test_an_argument_that_is_no_parameter_is_named(metric: str) -> None:
    (problem, *_) = problems_of(folder(f'[metrics.{metric}]\nparameters = {{ prompts = "x" }}\n'))
    assert f"metrics.{metric}.parameters.prompts: found an unknown parameter" in problem
