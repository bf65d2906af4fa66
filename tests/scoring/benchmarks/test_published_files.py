"""Files as their authors publish them are read by a mapping of fields, without code; every example is made up."""

import json
from typing import Any, ClassVar

import pytest

from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.declared.proposal import propose
from scoring.benchmarks.declared.published import made_id
from scoring.benchmarks.declared.template import template
from scoring.metrics.short_answer.references import short_references
from tests.scoring.benchmarks.test_declared import declared, place_of, problems_of
from tests.scoring.benchmarks.test_decryption import encrypted

LIST, TEXT, SHORT = "answer-list", "text-answer", "short-answer"


def folder(
    mapping: str, files: dict[str, str], task_type: str = TEXT, *, hidden: bool = False, rules: str = ""
) -> dict[str, bytes]:
    """A benchmark with one split, whose questions are in the first of some files."""
    made = template("capitals", task_type)
    toml = made["benchmark.toml"].decode()
    head, _, rest = toml.partition("[splits.dev]")
    _, marker, tail = rest.partition("[settings.closed-book]")
    split = f'[splits.test]\nname = "Test"\nhidden = {str(hidden).lower()}\ndate = 2026-01-01\n'
    split += f"questions = {json.dumps(next(iter(files)))}\n\n"
    tail = tail.replace('[[categories]]\nfield = "categories"\n', rules)
    toml = f"{head}{mapping}\n\n{split}{marker}{tail}"
    kept = {name: content for name, content in made.items() if not name.startswith("questions/")}
    return {**kept, "benchmark.toml": toml.encode(), **{name: text.encode() for name, text in files.items()}}


def questions(*arguments: Any, **options: Any) -> tuple[SourceQuestion, ...]:
    definition = declared(folder(*arguments, **options)).definition
    return definition.packaged()["test"].source.questions


def places(*arguments: Any, **options: Any) -> list[tuple[str, int, str]]:
    """File, line and field of what is wrong."""
    return [place_of(problem) for problem in problems_of(folder(*arguments, **options))]


def golds(question: SourceQuestion) -> list[str]:
    """The names of a question with one gold answer in each item."""
    return [gold["answer_text"] for gold in question.answer]


HOTPOTQA: list[dict[str, Any]] = [
    {
        "_id": "5a1",
        "question": "Which town has the older bridge, Aby or Bro?",
        "answer": "Aby",
        "type": "comparison",
        "level": "hard",
        "supporting_facts": [["Aby", 0], ["Bro", 2], ["Aby", 1]],
        "context": [["Aby", ["Aby has a bridge of 1702.", "…"]], ["Bro", ["…", "…", "Its bridge is of 1810."]]],
    },
    {"_id": "5a2", "question": "Is Bro a town?", "answer": "yes", "type": "bridge", "level": "easy"},
]
OF_HOTPOTQA = """\
[questions]
id = "_id"
categories = ["type", "level"]
evidence = "supporting_facts[][0]"
"""


class TestBenchmarks:
    def test_2wikimultihopqa_with_the_aliases_of_another_file(self) -> None:
        rows = [{**HOTPOTQA[0], "answer_id": "Q1"}, {**HOTPOTQA[1], "answer_id": None}]
        aliases = [
            {"Q_id": "Q1", "aliases": ["Aaby", "Aby"], "demonyms": ["Abyer"]},
            {"Q_id": "Q2", "aliases": [], "demonyms": []},
        ]
        mapping = OF_HOTPOTQA + (
            'answer = ["answer", "names.aliases", "names.demonyms"]\n\n'
            '[questions.joined.names]\nfile = "id_aliases.json"\nkey = "Q_id"\nby = "answer_id"\n'
        )
        files = {"dev.json": json.dumps(rows), "id_aliases.json": "\n".join(map(json.dumps, aliases))}
        first, second = questions(mapping, files, LIST)
        assert golds(first) == ["Aby", "Aaby", "Abyer"]
        assert golds(second) == ["yes"]
        declaration = declared(folder(mapping, files, LIST))
        assert not declaration.unused
        assert "id_aliases.json" not in declaration.files, "it has answers, so it is not stored"

    def test_musique(self) -> None:
        row = {
            "id": "2hop__1_2",
            "question": "Who founded the town of the Aby bridge?",
            "answer": "Ada Berg",
            "answer_aliases": ["A. Berg"],
            "answerable": True,
            "paragraphs": [{"idx": 0, "title": "Aby", "paragraph_text": "…", "is_supporting": True}],
            "question_decomposition": [{"question": "Where is the bridge?", "answer": "Aby"}],
        }
        mapping = """\
[questions]
id = ["id", "answerable"]
answer = ["answer", "answer_aliases"]
evidence = "paragraphs[].title"
decomposition = "question_decomposition"
"""
        lines = "\n".join(json.dumps({**row, "answerable": answerable}) for answerable in (True, False))
        first, second = questions(mapping, {"musique_full.jsonl": lines}, LIST)
        assert (first.qid, second.qid) == ("2hop__1_2-true", "2hop__1_2-false")
        assert golds(first) == ["Ada Berg", "A. Berg"]
        assert first.decomposition == ({"question": "Where is the bridge?", "answer": "Aby"},)

    def test_natural_questions_without_ids(self) -> None:
        rows = [
            {"question": "when was it built", "answer": ["1702", "in 1702"]},
            {"question": "by whom", "answer": ["Ada"]},
        ]
        lines = "\n".join(map(json.dumps, rows))
        first, second = questions("[questions]", {"NQ-open.dev.jsonl": lines}, LIST)
        assert (first.qid, second.qid) == tuple(map(made_id, rows))
        assert first.qid == "q-1cb313af33244dca", "ids never change: answers were sent with them"

    def test_browsecomp_decrypted_for_a_hidden_split(self) -> None:
        canary = "made-up canary 0001"
        text = "problem,answer,problem_topic,canary\n{},{},Art,{}\n"
        text = text.format(encrypted("Who built it?", canary), encrypted("Ada Berg", canary), canary)
        mapping = """\
[questions]
question = { field = "problem", password = "canary" }
answer = { field = "answer", password = "canary" }
categories = "problem_topic"
"""
        (read,) = questions(mapping, {"browse_comp_test_set.csv": text}, hidden=True)
        assert (read.text, read.answer, read.categories) == ("Who built it?", "Ada Berg", ("Art",))
        assert places(mapping, {"a.csv": text}) == [("benchmark.toml", 31, "splits.test.hidden")]
        wrong = text.replace(f",{canary}", ",another one")
        assert {place[1:] for place in places(mapping, {"a.csv": wrong}, hidden=True)} >= {
            (2, "problem"),
            (2, "answer"),
        }

    def test_agieval_with_passages_and_options(self) -> None:
        rows = [
            {"passage": "A text.", "question": "What follows?", "options": ["(A)It rains.", "(B)No."], "label": "A"},
            {"passage": "Another text.", "question": "What follows?", "options": ["(A)x", "(B)y"], "label": "B"},
        ]
        mapping = '[questions]\nanswer = "label"\nchoices = "options"\ncontext = "passage"\n'
        first, second = questions(mapping, {"sat-en.jsonl": "\n".join(map(json.dumps, rows))})
        assert first.context == ("A text.", {"A": "(A)It rains.", "B": "(B)No."})
        assert first.qid != second.qid, "questions with one text are told apart by their context"

    def test_options_in_columns_of_their_own_keep_their_places(self) -> None:
        mapping = '[questions]\nchoices = ["A", "B", "C"]\n'
        (read,) = questions(mapping, {"a.csv": "question,answer,A,B,C\nHow many?,B,0,0,1\n"})
        assert read.context == ({"A": "0", "B": "0", "C": "1"},)

    def test_an_answer_may_be_an_object_of_several_fields(self) -> None:
        mapping = '[questions]\nanswer = { town = "t", others = ["u", "v[]"], none = "w" }\n'
        row = {"question": "Where?", "t": "Aby", "u": "Bro", "v": ["Bro", "Cle"]}
        (read,) = questions(mapping, {"a.jsonl": json.dumps(row)})
        assert read.answer == {"town": "Aby", "others": ["Bro", "Cle"]}

    def test_the_texts_of_a_list_may_be_one_text(self) -> None:
        lines = [{"question": "Which?", "label": ["A", "C"]}, {"question": "And?", "label": "B"}]
        mapping = '[questions]\nanswer = { field = "label", join = ", " }\n'
        read = questions(mapping, {"a.jsonl": "\n".join(map(json.dumps, lines))})
        assert [question.answer for question in read] == ["A, C", "B"]

    def test_categories_may_be_of_fields_whose_names_are_no_paths(self) -> None:
        rules = '[[categories]]\nfield = "kind [1]["\n'
        (read,) = questions("[questions]", {"a.csv": "question,answer,kind [1][\nWho?,Ada,Art\n"}, rules=rules)
        assert read.categories == ("Art",)


class TestOptions:
    """Answers that are the numbers or letters of options."""

    COUNTED = '[questions]\nanswer = {{ field = "answer", first_option = {} }}\nchoices = "choices"\n'
    ROW: ClassVar[dict[str, Any]] = {"question": "Which town?", "choices": ["Aby", "Bro", "Cle"]}

    def answers(self, mapping: str, *values: Any) -> list[list[str]]:
        lines = [json.dumps({**self.ROW, "id": f"q-{at}", "answer": value}) for at, value in enumerate(values)]
        read = questions(mapping, {"a.jsonl": "\n".join(lines)}, SHORT)
        return [question.answer["answers"] for question in read]

    @pytest.mark.parametrize("first", [0, 1])
    def test_an_answer_is_the_number_of_an_option_or_a_list_of_them(self, first: int) -> None:
        values = [first, str(first + 2), first + 1.0, [first, first + 2], f"[{first + 1}]"]
        assert self.answers(self.COUNTED.format(first), *values) == [["A"], ["C"], ["B"], ["A, C"], ["B"]]

    @pytest.mark.parametrize("value", [3, -1, True, 0.5, "Aby", [0, 7]])
    def test_a_number_of_no_option_is_named_by_line_without_the_answer(self, value: object) -> None:
        files = {"a.jsonl": json.dumps({**self.ROW, "answer": value})}
        first, *_ = problems_of(folder(self.COUNTED.format(0), files, SHORT))
        assert place_of(first) == ("a.jsonl", 1, "answer")
        assert "from 0 to 2" in first

    def test_a_label_that_is_the_text_of_another_option_is_not_taken_for_it(self) -> None:
        row = {"question": "Which blood group?", "choices": ["AB", "A", "B", "0"], "answer": 0}
        (read,) = questions(self.COUNTED.format(0), {"a.jsonl": json.dumps(row)}, SHORT)
        (reference,) = short_references([read.answer])
        assert reference.in_words == ("A: AB",)

    def test_answers_of_another_file_are_numbers_of_options_too(self) -> None:
        files = folder(
            self.COUNTED.format(1),
            {"a.jsonl": json.dumps({**self.ROW, "id": "q-1"}), "b.csv": "id,answer\nq-1,2\n"},
            SHORT,
        )
        files["benchmark.toml"] = files["benchmark.toml"].replace(
            b'questions = "a.jsonl"', b'questions = "a.jsonl"\nanswers = "b.csv"'
        )
        (read,) = declared(files).definition.packaged()["test"].source.questions
        assert read.answer["answers"] == ["B"]

    def test_labels_of_options_may_be_in_a_list_of_their_own(self) -> None:
        row = {"question": "Which?", "choices": {"text": ["Aby", "Bro"], "label": ["1", "2"]}, "answerKey": "2"}
        mapping = '[questions]\nanswer = "answerKey"\nchoices = { field = "choices.text", labels = "choices.label" }\n'
        (read,) = questions(mapping, {"a.jsonl": json.dumps(row)}, SHORT)
        assert read.context == ({"1": "Aby", "2": "Bro"},)
        assert read.answer["answers"] == ["2"]
        for labels in (["1"], ["2", "2"]):
            row["choices"] = {"text": ["Aby", "Bro"], "label": labels}
            assert ("a.jsonl", 1, "choices.text") in places(mapping, {"a.jsonl": json.dumps(row)}, SHORT)

    def test_a_label_that_occurs_twice_is_not_quoted(self) -> None:
        row = {"question": "Which?", "answer": "1", "choices": {"text": ["Aby", "Bro"], "label": ["Secret", "Secret"]}}
        mapping = '[questions]\nchoices = { field = "choices.text", labels = "choices.label" }\n'
        problems = problems_of(folder(mapping, {"a.jsonl": json.dumps(row)}, SHORT, hidden=True))
        assert any("found the label of an earlier one at option 2" in problem for problem in problems)
        assert "Secret" not in str(problems)

    def test_a_missing_option_between_others_leaves_them_their_letters(self) -> None:
        table = "question,A,B,C,answer\nWhich?,Aby,,Cle,C\nAnd?,Aby,Bro,,B\n"
        first, second = questions('[questions]\nchoices = ["A", "B", "C"]\n', {"a.csv": table}, SHORT)
        assert first.context == ({"A": "Aby", "C": "Cle"},)
        assert second.context == ({"A": "Aby", "B": "Bro"},)

    def test_several_right_options_with_a_full_stop_after_them_are_read(self) -> None:
        mapping = '[questions]\nanswer = { field = "answer", join = ", " }\nchoices = "choices"\n'
        assert self.answers(mapping, ["A", "C", "。"], "A, B.", "AC") == [["A, C, 。"], ["A, B."], ["AC"]]
        written = mapping.replace('"answer",', '"answer[]",')
        assert self.answers(written, "['A', 'B']", '["C"]') == [["A, B"], ["C"]]

    def test_an_empty_list_of_labels_is_no_answer(self) -> None:
        mapping = '[questions]\nanswer = { field = "label", join = ", " }\nchoices = "choices"\n'
        rows = [{**self.ROW, "question": text, "label": label} for text, label in (("One?", ["A"]), ("Two?", []))]
        files = folder(mapping, {"a.jsonl": "\n".join(map(json.dumps, rows))}, SHORT)
        (problem,) = problems_of(files)
        assert place_of(problem) == ("a.jsonl", 2, "answer")
        assert "splits.test.unscored" in problem

    def test_a_proposal_counts_the_options_as_the_answers_do(self) -> None:
        for first in (0, 1):
            rows = [{**self.ROW, "answer": first + at % 3} for at in range(6)]
            proposal = propose("a.jsonl", rows)
            assert proposal.fields["answer"] == {"field": "answer", "first_option": first}
            assert proposal.task_type == SHORT


class TestUnanswerable:
    """Questions without an answer."""

    ROW: ClassVar[dict[str, Any]] = {"question": "Who built it?", "answer": "Ada Berg"}

    @pytest.mark.parametrize(
        ("stated", "row"),
        [
            ('"is_impossible"', {"is_impossible": True}),
            ('"is_impossible"', {"is_impossible": "True"}),
            ('{ field = "answerable", equals = false }', {"answerable": False}),
            ('{ field = "answerable", equals = false }', {"answerable": "false"}),
            ('{ field = "type", equals = ["none", "n/a"] }', {"type": "N/A"}),
        ],
    )
    def test_a_flag_or_a_value_says_so_and_other_answers_do_not_count(self, stated: str, row: dict[str, Any]) -> None:
        rows = [{"id": "q-1", **self.ROW, **row}, {"id": "q-2", **self.ROW, **dict.fromkeys(row, "")}]
        mapping = f"[questions]\nunanswerable = {stated}\n"
        first, second = questions(mapping, {"a.jsonl": "\n".join(map(json.dumps, rows))}, SHORT)
        assert first.answer == {"unanswerable": True}
        assert second.answer == {"answers": ["Ada Berg"]}

    def test_a_file_of_answers_says_so_too(self) -> None:
        files = folder(
            '[questions]\nunanswerable = { field = "answerable", equals = false }\n',
            {"a.csv": "id,question\nq-1,Who?\n", "b.csv": "id,answer,answerable\nq-1,Ada,false\n"},
            SHORT,
        )
        files["benchmark.toml"] = files["benchmark.toml"].replace(
            b'questions = "a.csv"', b'questions = "a.csv"\nanswers = "b.csv"'
        )
        (read,) = declared(files).definition.packaged()["test"].source.questions
        assert read.answer == {"unanswerable": True}

    def test_it_is_refused_where_no_answer_can_say_so(self) -> None:
        mapping = '[questions]\nunanswerable = "is_impossible"\n'
        (place,) = places(mapping, {"a.jsonl": json.dumps(self.ROW)}, TEXT)
        assert place[2] == "questions.unanswerable"


class TestTablesWithoutNames:
    MAPPING = '[questions]\ncolumns = ["question", "A", "B", "answer"]\nchoices = ["A", "B"]\n'

    def test_columns_are_named_by_their_places(self) -> None:
        first, second = questions(self.MAPPING, {"a.csv": "Which?,Aby,Bro,B\nAnd?,Cle,Dam,A\n"}, SHORT)
        assert (first.text, first.context, first.answer["answers"]) == ("Which?", ({"A": "Aby", "B": "Bro"},), ["B"])
        assert second.text == "And?"

    def test_a_row_of_another_length_is_named_the_first_one_too(self) -> None:
        assert places(self.MAPPING, {"a.csv": "Which?,Aby,B\nAnd?,Cle,Dam,A\n"}, SHORT) == [("a.csv", 1, "")]

    def test_a_name_twice_is_refused(self) -> None:
        mapping = self.MAPPING.replace('"B", "answer"', '"A", "answer"')
        assert ("benchmark.toml", 24, "questions.columns[3]") in places(mapping, {"a.csv": "Which?,Aby,Bro,B\n"}, SHORT)


class TestMistakes:
    """Each is named once, with the field as the file calls it."""

    ROWS = "Prompt,Gold,Kind\nWho?,Ada,x\nWhen?,1702,y\n"

    def test_a_misspelt_field_is_one_mistake_with_the_name_that_is_meant(self) -> None:
        mapping = '[questions]\nquestion = "Promt"\nanswer = "Golds"\ncategories = "Kinds"\n'
        problems = problems_of(folder(mapping, {"a.csv": self.ROWS}, hidden=True))
        assert [place_of(problem) for problem in problems] == [
            ("a.csv", 0, name) for name in ("Promt", "Golds", "Kinds")
        ]
        assert all("Did you mean" in problem for problem in problems)

    def test_a_thousand_questions_without_the_field_are_one_mistake(self) -> None:
        rows = "Prompt,Gold\n" + "Who?,Ada\n" * 3_000
        found = places('[questions]\nquestion = "text"\nanswer = "Gold"\n', {"a.csv": rows})
        assert found == [("a.csv", 0, "text")]

    def test_values_are_named_by_line_and_field_of_the_file(self) -> None:
        lines = [{"q": "Who?", "a": "Ada"}, {"q": " ", "a": "Ada"}, {"q": 5, "a": ""}, {"q": "When?", "a": "1702"}]
        mapping = '[questions]\nquestion = "q"\nanswer = "a"\n'
        found = places(mapping, {"a.jsonl": "\n".join(map(json.dumps, lines))})
        assert found == [("a.jsonl", 2, "q"), ("a.jsonl", 3, "q")]

    @pytest.mark.parametrize(
        ("mapping", "value"),
        [("tags[]", "a, b"), ("tags.x", "['a']"), ("tags[]", "['a' 'b']"), ("tags[].x", "['a']")],
    )
    def test_a_text_that_is_no_list_or_object_is_named_without_it(self, mapping: str, value: str) -> None:
        row = {"id": "q-1", "question": "Who?", "answer": "Ada", "tags": value}
        problems = problems_of(folder(f'[questions]\ncategories = "{mapping}"\n', {"a.jsonl": json.dumps(row)}))
        assert [place_of(problem) for problem in problems] == [("a.jsonl", 1, mapping)]
        assert value not in problems[0]

    def test_questions_whose_ids_are_made_of_the_same_content_are_named_and_told_apart(self) -> None:
        made = folder("[questions]", {"a.csv": "question,answer\nWho?,Ada\nWhen?,1702\nWho? ,Bo\n"})
        declaration = declared(made)
        first, _, third = declaration.questions["test"]
        assert third.question.qid == f"{first.question.qid}-2"
        assert any("a.csv: line 4" in warning for warning in declaration.warnings())

    def test_one_question_about_two_contexts_and_the_letter_of_an_option_are_not_doubtful(self) -> None:
        rows = [{"question": "What follows?", "passage": text, "options": ["x", "y"], "label": "A"} for text in "ab"]
        mapping = '[questions]\nanswer = "label"\nchoices = "options"\ncontext = "passage"\n'
        files = {"a.jsonl": "\n".join(map(json.dumps, rows))}
        assert not [text for text in declared(folder(mapping, files, "short-answer")).warnings() if "a.jsonl" in text]
        without = {"a.jsonl": "\n".join(json.dumps({**row, "passage": "", "options": []}) for row in rows)}
        doubts = declared(folder(mapping, without, "short-answer")).warnings()
        assert len([text for text in doubts if "a.jsonl" in text]) == 2

    def test_a_question_without_an_id_among_those_with_one_is_named(self) -> None:
        lines = [{"id": "q-1", "question": "Who?", "answer": "Ada"}, {"question": "When?", "answer": "1702"}]
        assert places("[questions]", {"a.jsonl": "\n".join(map(json.dumps, lines))}) == [("a.jsonl", 2, "id")]

    @pytest.mark.parametrize(
        ("mapping", "field"),
        [
            ("id = 5", "questions.id"),
            ("id = []", "questions.id"),
            ('id = ["a", 5]', "questions.id"),
            ('id = "a["', "questions.id"),
            ('answer = { names = { feld = "a" } }', "questions.answer"),
            ('context = { feld = "a" }', "questions.context"),
            ('anwser = "a"', "questions.anwser"),
            ('joined = { names = { file = "../a", key = "a", by = "b" } }', "questions.joined.names.file"),
        ],
    )
    def test_a_mapping_that_means_nothing_is_named_alone(self, mapping: str, field: str) -> None:
        found = places(f"[questions]\n{mapping}\n", {"a.csv": self.ROWS})
        assert [place[::2] for place in found] == [("benchmark.toml", field)]

    def test_a_joined_file_that_is_not_there_or_has_a_key_twice_is_named(self) -> None:
        mapping = '[questions]\n[questions.joined.names]\nfile = "b.jsonl"\nkey = "k"\nby = "id"\n'
        row = json.dumps({"id": "q-1", "question": "Who?", "answer": "Ada"})
        assert places(mapping, {"a.jsonl": row}) == [("b.jsonl", 0, "")]
        twice = "\n".join(['{"k": "q-1"}', '{"k": "q-1"}', '{"j": 1}'])
        assert places(mapping, {"a.jsonl": row, "b.jsonl": twice}) == [("b.jsonl", 2, "k"), ("b.jsonl", 3, "k")]

    def test_a_context_is_texts_and_tables(self) -> None:
        for context, is_right in (
            (["a", [["b", 1]]], True),
            ({"a": "b"}, False),
            (["a", {"b": "c"}], False),
            (5, False),
        ):
            row = {"id": "q-1", "question": "Who?", "answer": "Ada", "about": context}
            files = {"a.jsonl": json.dumps(row)}
            mapping = '[questions]\ncontext = "about"\n'
            if is_right:
                assert questions(mapping, files)[0].context == ("a", [["b", "1"]])
            else:
                assert places(mapping, files) == [("a.jsonl", 1, "about")]


def test_a_separate_answer_is_one_of_the_options_of_its_question() -> None:
    row = {"id": "q-1", "question": "Which?", "choices": ["Aby", "Bro"]}
    made = folder(
        "", {"a.jsonl": json.dumps(row), "b.jsonl": '{"id": "q-1", "answer": "B"}'}, "short-answer", hidden=True
    )
    toml = made["benchmark.toml"].replace(b'questions = "a.jsonl"', b'questions = "a.jsonl"\nanswers = "b.jsonl"')
    (question,) = declared({**made, "benchmark.toml": toml}).definition.packaged()["test"].source.questions
    assert question.answer == {"choices": {"A": "Aby", "B": "Bro"}, "answers": ["B"]}


@pytest.mark.parametrize("choices", ["a, b", [], [["a"]], ["a", ""], {"a long label": "a"}, ["x"] * 27])
def test_options_that_are_none_are_named(choices: Any) -> None:
    row = {"id": "q-1", "question": "Who?", "answer": "Ada", "choices": choices}
    files = folder("", {"a.jsonl": json.dumps(row)})
    if choices == []:
        assert declared(files).definition.packaged()["test"].source.questions[0].context == ()
    else:
        assert [place_of(problem) for problem in problems_of(files)] == [("a.jsonl", 1, "choices")]


def test_files_of_our_own_format_need_no_mapping_in_any_format() -> None:
    rows = "id,question,answer\nq-1,Who?,Ada\n"
    assert [question.qid for question in questions("", {"a.csv": rows})] == ["q-1"]


def test_a_folder_without_files_imports_them_by_its_mapping(tmp_path: Any) -> None:
    files = folder(OF_HOTPOTQA, {"a.json": json.dumps(HOTPOTQA)})
    toml = files["benchmark.toml"].decode().replace('date = 2026-01-01\nquestions = "a.json"\n', "")
    definition = declared(
        {**{name: files[name] for name in files if name != "a.json"}, "benchmark.toml": toml.encode()}
    ).definition
    assert not definition.packaged()
    published = tmp_path / "hotpot_dev_distractor_v1.json"
    published.write_text(json.dumps(HOTPOTQA))
    assert [question.qid for question in definition.read_file(published).questions] == ["5a1", "5a2"]


@pytest.mark.parametrize("key", ["id", "answer"])
def test_a_number_that_cannot_be_written_is_no_part_of_a_list_written_as_text(key: str) -> None:
    """Python reads a hexadecimal one of any length, and writes only 4,300 digits."""
    mapping = f'[questions]\n{key} = "odd[0]"'
    row = {"id": "q-1", "question": "Who?", "answer": "Ada", "odd": f"(0x{'f' * 10_000},)"}
    assert ("a.jsonl", 1, "odd[0]") in places(mapping, {"a.jsonl": json.dumps(row)})
