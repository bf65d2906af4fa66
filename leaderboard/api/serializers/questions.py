"""Questions of open splits: their statistics, and the answers of all systems."""

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.addresses import AddressField
from leaderboard.api.serializers.benchmarks import QuestionSerializer
from leaderboard.api.serializers.records import serializer_of
from leaderboard.questions.lookup import VERDICTS
from leaderboard.systems.attempts import ShownAttempt
from scoring.metrics.cited.answers import Citation
from scoring.metrics.rubric.decisions import Decision
from scoring.runs.judging.citations import MOST_CITATIONS, STATES, MarkedSentence

NO_VERDICT = "empty without a score under the shown signature"


class QuestionStatisticsSerializer(serializers.Serializer[Any]):
    """What the systems of one setting say of a question."""

    id = serializers.CharField(source="summary.qid")
    setting = serializers.CharField(source="asked.setting.slug")
    revision = serializers.CharField(
        source="asked.revision.short_hash", help_text="The revision that the shown scores belong to."
    )
    score = serializers.CharField(
        source="asked.score", help_text="The score that `mean` is of; empty if none tells results question by question."
    )
    n_systems = serializers.IntegerField(source="asked.n_scored", help_text="Systems with a verdict.")
    mean = serializers.FloatField(
        source="summary.mean", allow_null=True, help_text="Mean score of the systems: the lower, the harder."
    )
    discrimination = serializers.FloatField(
        source="summary.discrimination",
        allow_null=True,
        help_text="Correlation over systems with the mean score on all other questions; null below 10 systems, and "
        "where all systems score the same.",
    )
    n_right = serializers.IntegerField(source="summary.n_right")
    n_partial = serializers.IntegerField(source="summary.n_partial")
    n_wrong = serializers.IntegerField(source="summary.n_wrong", help_text="With systems that sent no answer.")
    n_disagreements = serializers.IntegerField(
        source="summary.n_disagreements", help_text="Answers that one metric counts as right and another as wrong."
    )
    url = AddressField(
        "api-question",
        "asked.split.benchmark.slug",
        "asked.split.slug",
        "summary.qid",
        help_text="API URL of this question; of another setting than the split's first one with `setting`.",
    )


class QuestionDetailSerializer(QuestionStatisticsSerializer):
    """A question of an open split. Reference answers are not included; their strings are counted."""

    question = QuestionSerializer()
    harder_than = serializers.FloatField(
        allow_null=True, help_text="The share of the other questions whose mean is higher."
    )
    found_by = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="For each string of the reference answer, in its order: how many of `n_examined` systems found it.",
    )
    n_examined = serializers.IntegerField(help_text="Systems whose answers are not too long to be examined.")
    page = serializers.CharField(source="all_url", help_text="URL of its page on this site.")
    answers = AddressField(
        "api-question-answers",
        "asked.split.benchmark.slug",
        "asked.split.slug",
        "summary.qid",
        help_text="API URL of the answers of all systems.",
    )


AttemptSerializer = serializer_of(
    ShownAttempt,
    "Attempt",
    "number value answer",
    answer=serializers.JSONField(allow_null=True, help_text="As in generations files; null as `answer` of the system."),
)


DecisionSerializer = serializer_of(Decision, "Decision", "score reference")


CitationSerializer = serializer_of(Citation, "Citation", "id url title quote")
MarkedSentenceSerializer = serializer_of(
    MarkedSentence,
    "MarkedSentence",
    "text state",
    state=serializers.ChoiceField(choices=STATES, help_text="By the verdict of the judge."),
)


class MarkedAnswerSerializer(serializers.Serializer[Any]):
    """An answer's citations, and its sentences with their marks."""

    judge = serializers.CharField(help_text="The metric whose judge decided, in words; empty if none did.")
    n_sentences = serializers.IntegerField()
    n_citations = serializers.IntegerField()
    sentences = MarkedSentenceSerializer(many=True, help_text="All of them.")
    citations = CitationSerializer(
        many=True,
        help_text=f"The first {MOST_CITATIONS}, without their texts; `[1]` in the answer is the first.",
    )


class QuestionAnswerSerializer(serializers.Serializer[Any]):
    """A system's answer to a question."""

    system = serializers.CharField(source="entry.system.slug")
    name = serializers.CharField(source="entry.system.name")
    verdict = serializers.ChoiceField(
        choices=[("", NO_VERDICT), *((verdict, verdict) for verdict in VERDICTS)],
        source="outcome.verdict",
        help_text="right: every string of the reference was found; partial: some; wrong: none.",
    )
    value = serializers.FloatField(source="outcome.value", allow_null=True, help_text="The score on this question.")
    opinions = serializers.DictField(
        source="outcome.by_score",
        child=serializers.BooleanField(),
        help_text="Whether each score that is 1 or 0 counts the answer as right.",
    )
    answered = serializers.BooleanField(source="is_answered")
    found = serializers.ListField(
        source="marks",
        child=serializers.BooleanField(),
        allow_null=True,
        help_text="For each string of the reference answer, in its order: whether the answer has it. null if the "
        "answer is too long to be examined, or has no verdict.",
    )
    answer = serializers.JSONField(
        allow_null=True,
        help_text="As in generations files, whole. null if its owners have not made it public, or if there is none. Of "
        "several attempts, the first.",
    )
    attempts = AttemptSerializer(many=True, help_text="All attempts at the question, if there are several.")
    attempt = serializers.IntegerField(
        help_text="Number of the attempt that `citations`, `criteria` and `criteria_scores` are of."
    )
    citations = MarkedAnswerSerializer(
        source="marked",
        allow_null=True,
        help_text="What the answer cites, and whether that supports it. null where the answer has no citations "
        "and no judge of the benchmark checks them, where it has no sentences either, or where `answer` is null "
        "because its owners have not made it public. Of several attempts, `attempt`.",
    )
    criteria_scores = serializers.DictField(
        source="scores_by_name",
        child=serializers.FloatField(allow_null=True),
        help_text="By metric that decides criteria: its score on this question, of several attempts of `attempt`. null "
        "without one.",
    )
    criteria = serializers.DictField(
        source="decisions",
        child=serializers.ListField(child=DecisionSerializer(allow_null=True)),
        help_text="By metric that decides criteria: for each criterion of the question, in its order, how far "
        "the answer meets it, from 0 to 1; beside a reference report both scores, from 0 to 10. null for a criterion "
        "that the judge left out.",
    )
