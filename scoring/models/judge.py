"""The records of the judge: every reply that was paid for, estimates and releases.

None of these fields is a counter: spending and progress are computed from the replies.
"""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.benchmarks.columns import JUDGES
from scoring.metrics.asking.cost import Estimate
from scoring.metrics.asking.letters import LONGEST_VERDICT, Rule
from scoring.metrics.asking.replies import Outcome

USD_DIGITS, USD_PLACES = 16, 10
"""A token of the cheapest model costs a few hundred-millionths of a dollar; amounts are summed unrounded."""


class Verdict(models.Model):
    """One reply of the judge, stored the moment it arrived; or one ask that got no reply.

    ``address`` is the content address of the request (`scoring.metrics.judge.prompt.JudgeItem.address`). An address may
    have several replies, of which at most one has a ``letter``, as verdicts of other kinds are called here too: it is
    the verdict for every answer set that contains the same question, reference and answer. ``run`` is the run that
    asked, and so paid. The reply may reveal the reference and is therefore as private.
    """

    address = models.CharField(max_length=64)
    ask = models.PositiveSmallIntegerField(help_text="1 for the first request with this address.")
    qid = models.CharField(max_length=64)
    run = models.ForeignKey("scoring.Run", on_delete=models.SET_NULL, null=True, related_name="verdicts")
    outcome = models.CharField(max_length=20, choices=[(outcome.value, outcome.label) for outcome in Outcome])
    letter = models.CharField(
        max_length=LONGEST_VERDICT,
        blank=True,
        help_text="The verdict: a letter from A to F, or of a list its counts (scoring.metrics.judge.lists).",
    )
    rule = models.CharField(
        max_length=20,
        blank=True,
        choices=[(rule.value, rule.label) for rule in Rule],
        help_text="The rule that read the letter; empty for verdicts from before version 0.6.0: the last line.",
    )
    reply = models.TextField(blank=True)
    endpoint = models.CharField(max_length=253, blank=True, help_text="Host of the endpoint.")
    model = models.CharField(max_length=200)
    reported_model = models.CharField(max_length=200, blank=True)
    system_fingerprint = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=50, blank=True)
    seed = models.BigIntegerField()
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    tokens_estimated = models.BooleanField(default=False, help_text="Empty if the endpoint did not report it.")
    price_usd = models.DecimalField(
        max_digits=USD_DIGITS,
        decimal_places=USD_PLACES,
        null=True,
        help_text="Empty if the price of the model is unknown.",
    )
    latency = models.FloatField(default=0.0, help_text="Seconds from the request to the end of the reply.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["address", "ask"], name="reply_unique_per_ask"),
            models.UniqueConstraint(fields=["address"], condition=~models.Q(letter=""), name="one_verdict_per_address"),
            models.CheckConstraint(
                condition=(models.Q(outcome=Outcome.VERDICT.value) & ~models.Q(letter=""))
                | (~models.Q(outcome=Outcome.VERDICT.value) & models.Q(letter="")),
                name="letter_if_and_only_if_verdict",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["created_at"]), models.Index(fields=["model", "created_at"])]

    def __str__(self) -> str:
        return f"{self.qid}: {self.letter or self.get_outcome_display()}"


class JudgeEstimate(models.Model):
    """The expected cost of a run, estimated before it last began to ask."""

    run = models.OneToOneField("scoring.Run", on_delete=models.CASCADE, related_name="estimate")
    n_calls = models.PositiveIntegerField()
    tokens_in = models.PositiveIntegerField()
    tokens_out = models.PositiveIntegerField()
    usd = models.DecimalField(max_digits=USD_DIGITS, decimal_places=USD_PLACES, null=True)
    method = models.CharField(max_length=60, help_text="How tokens were counted.")
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.in_words

    @property
    def in_words(self) -> str:
        """Requests, tokens and dollars."""
        metric = JUDGES.get(self.run.metric)
        is_most = metric is not None and metric.asks_in_rounds
        return Estimate(self.n_calls, self.tokens_in, self.tokens_out, self.usd, self.method, is_most).in_words


class BudgetRelease(models.Model):
    """A maintainer's release: a run may cost more than the caps allow, up to a limit of its own."""

    run = models.ForeignKey("scoring.Run", on_delete=models.CASCADE, related_name="releases")
    limit_usd = models.DecimalField(
        max_digits=USD_DIGITS,
        decimal_places=USD_PLACES,
        null=True,
        help_text="Total budget of the run in US dollars; empty for no limit.",
    )
    by = models.CharField(max_length=150)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"{self.by}: {'no limit' if self.limit_usd is None else f'{self.limit_usd:.2f} USD'}"


class JudgeTurn(models.Model):
    """The run that may ask the judge now: one row, one run at a time, whatever the number of workers.

    Limits per minute therefore hold for the whole site, no two runs pay for the same verdict, and budgets are checked
    one after another. The turn ends when its run is no longer running, or its worker is dead.
    """

    run = models.ForeignKey("scoring.Run", on_delete=models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return str(self.run_id or "nobody")
