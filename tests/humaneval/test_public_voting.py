"""Public voting on pairs: one vote a pair and visitor, names after the vote, suspicious votes left out."""

import base64
import datetime
import re
from collections import Counter
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.core import signing
from django.test import Client
from django.utils import timezone

from humaneval.answering import public_views, public_votes
from humaneval.models import ItemOrigin, OpenPair, Preference, PublicVote, Study
from humaneval.results import public_outcome, suspicion
from humaneval.results.suspicion import CastVote, suspicions
from humaneval.studies import masking, pairs, public_voting
from humaneval.studies.items import BEGUN, ItemsError
from leaderboard.board import write
from leaderboard.models import Entry, User
from leaderboard.web.rate_limits import RateLimit
from scoring.models import AnswerBlock, Split
from tests import factories
from tests.bench.calibration.public_votes import ATTACKS, FAVOURITE, person
from tests.humaneval.test_pairs import N_QUESTIONS, NAMES, add_systems, exported, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def grace() -> User:
    return factories.maintainer()


@pytest.fixture
def study(grace: User) -> Study:
    made = make_study(grace)
    pairs.make_pairs(made, add_systems(made), N_QUESTIONS, by=grace)
    public_voting.open_voting(made, by=grace)
    return Study.objects.get(pk=made.pk)


def address(study: Study) -> str:
    return f"/studies/{study.slug}/vote/"


def shown(client: Client, study: Study) -> Any:
    return client.get(address(study)).context["pair"]


def test_a_vote_and_then_the_names(client: Client, study: Study) -> None:
    first = client.get(address(study))
    before = first.content.decode() + str(first.headers)
    assert not re.search(
        "|".join([*NAMES, "I-000", *map(str, Entry.objects.values_list("answer_set", flat=True))]), before
    )
    assert not PublicVote.objects.exists()
    pair = first.context["pair"]
    response = client.post(address(study), {"token": pair["token"], "vote": "left"}, follow=True)
    vote = PublicVote.objects.select_related("item").get()
    texts = [vote.item.candidate, vote.item.other][:: -1 if vote.swapped else 1]
    assert [text for _, _, text in pair["sides"]] == texts
    keys = [vote.item.first_set_id, vote.item.second_set_id][:: -1 if vote.swapped else 1]
    names = [Entry.objects.get(answer_set=key).system.name for key in keys]
    assert [name for _, name in response.context["seen"]["systems"]] == names
    assert client.get(address(study)).context["seen"] is None
    assert "127.0.0.1" not in vote.address


@pytest.mark.parametrize("change", [{"shows_answers": False}, {"replaced_at": timezone.now()}], ids=["private", "gone"])
def test_answers_that_are_no_longer_public_are_not_shown(
    client: Client, study: Study, grace: User, change: dict[str, Any]
) -> None:
    gone = Entry.objects.get(system__name=NAMES[0])
    Entry.objects.filter(pk=gone.pk).update(**change)
    pairs_left = set()
    while (pair := public_votes.next_pair(study, "somebody", "somewhere")) is not None:
        pk = public_votes.read_token(pair["token"])[0]
        pairs_left.add(pk)
        PublicVote.objects.create(item_id=pk, visitor="somebody", address="a", swapped=False, vote="tie", seconds=9)
    shown = study.items.filter(pk__in=pairs_left)
    assert len(pairs_left) == N_QUESTIONS
    assert not shown.filter(first_set=gone.answer_set).exists()
    assert not shown.filter(second_set=gone.answer_set).exists()
    public_voting.close_voting(study, by=grace)
    with pytest.raises(public_voting.PublicVotingError, match=NAMES[0]):
        public_voting.open_voting(study, by=grace)


def test_the_board_links_to_open_voting(client: Client, study: Study, grace: User) -> None:
    setting = Entry.objects.filter(replaced_at=None).select_related("setting").latest("pk").setting
    board = f"/{study.split.benchmark.slug}/{study.split.slug}/{setting.slug}/"
    for is_open in (True, False):
        write.write(study.split, setting)
        assert (address(study) in client.get(board).content.decode()) == is_open
        public_voting.close_voting(study, by=grace)


def test_one_vote_a_pair_and_visitor(client: Client, study: Study) -> None:
    token = shown(client, study)["token"]
    assert Client().post(address(study), {"token": token, "vote": "left"}).status_code == 422, "another's form"
    for vote in ("left", "right"):
        assert client.post(address(study), {"token": token, "vote": vote}).status_code == 302
    assert list(PublicVote.objects.values_list("vote", flat=True)) == ["left"]
    for sent in ({}, {"token": "x", "vote": "left"}, {"token": shown(client, study)["token"], "vote": "maybe"}):
        assert client.post(address(study), sent).status_code == 422
    seen = set()
    for _ in range(3 * N_QUESTIONS - 1):
        token = shown(client, study)["token"]
        item, swapped, _, visitor = public_votes.read_token(token)
        said = {"address": "x", "swapped": swapped, "vote": "tie", "seconds": 9.0}
        PublicVote.objects.create(item_id=item, visitor=visitor, **said)
        seen.add(item)
    assert len(seen) == 3 * N_QUESTIONS - 1
    assert shown(client, study) is None
    injected = study.items.filter(origin=ItemOrigin.INJECTED)
    assert not PublicVote.objects.filter(item__in=injected).exists()


def test_a_vote_belongs_to_its_visitor(client: Client, study: Study) -> None:
    other = Client()
    tokens = {one: shown(one, study)["token"] for one in (client, other)}
    assert other.post(address(study), {"token": tokens[client], "vote": "left"}).status_code == 422
    assert not PublicVote.objects.exists(), "the page was made for somebody else"
    client.post(address(study), {"token": tokens[client], "vote": "left"})
    visitors = {one: public_votes.read_token(tokens[one])[3] for one in tokens}
    assert public_votes.seen_vote(study, visitors[client]) is not None
    assert public_votes.seen_vote(study, visitors[other]) is None
    other.post(address(study), {"token": tokens[other], "vote": "right"})
    votes = {one: PublicVote.objects.get(visitor=visitors[one]) for one in tokens}
    assert [votes[client].vote, votes[other].vote] == ["left", "right"]
    assert public_votes.forget(study, votes[other].visitor) == 1
    assert list(PublicVote.objects.all()) == [votes[client]]


def test_a_token_tells_a_visitor_nothing_and_is_no_cookie(client: Client, study: Study) -> None:
    token = shown(client, study)["token"]
    visitor = public_votes.read_token(token)[3]
    by_order: dict[bool, set[int]] = {False: set(), True: set()}
    for _ in range(200):
        pair = public_votes.next_pair(study, visitor, visitor)
        assert pair is not None
        by_order[public_votes.read_token(pair["token"])[1]].add(len(pair["token"]))
    assert by_order[False] == by_order[True], "nor does its length"
    plain = [base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in re.split(r"[:.]", token)]
    assert not any(visitor.encode() in text for text in plain)
    forger = Client()
    forger.cookies[public_views.COOKIE] = token
    request = forger.get(address(study)).wsgi_request
    assert public_views.visitor_of(request) == ""
    signed = signing.dumps([1, False], salt=public_votes.SALT)
    forger.cookies[public_views.COOKIE] = signed
    assert public_views.visitor_of(forger.get(address(study)).wsgi_request) == ""


def test_a_vote_under_the_sites_earlier_key_counts_for_the_same_side(
    client: Client, study: Study, settings: Any
) -> None:
    pair = shown(client, study)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key of this site, which is long enough" * 2
    assert client.post(address(study), {"token": pair["token"], "vote": "left"}).status_code == 302
    vote = PublicVote.objects.select_related("item").get()
    assert (vote.item.other if vote.swapped else vote.item.candidate) == pair["sides"][0][2]


def test_a_vote_without_a_choice_shows_the_same_pair(client: Client, study: Study) -> None:
    pair = shown(client, study)
    again = client.post(address(study), {"token": pair["token"]})
    assert again.status_code == 422
    assert again.context["pair"] == pair, "with its time"


def test_answers_that_became_private_while_a_visitor_looks_get_no_vote(client: Client, study: Study) -> None:
    token = shown(client, study)["token"]
    Entry.objects.update(shows_answers=False)
    refused = client.post(address(study), {"token": token, "vote": "left"})
    assert refused.status_code == 422
    assert not any(name in refused.content.decode() for name in NAMES)
    assert not PublicVote.objects.exists()
    assert public_voting.voting_url(study.split_id) == "", "there is nothing to vote on"


def test_the_time_of_a_vote_begins_at_the_vote_before(client: Client, study: Study) -> None:
    """Somebody who opens several pairs, waits and votes on all of them has not read them at the same time."""
    tokens = {client.get(address(study), REMOTE_ADDR=f"10.0.0.{n}").context["pair"]["token"] for n in range(40)}
    of_items = {public_votes.read_token(token)[0]: token for token in tokens}
    assert len(of_items) > 1
    for token in list(of_items.values())[:2]:
        client.post(address(study), {"token": token, "vote": "left"})
    first, second = PublicVote.objects.order_by("pk")
    assert second.seconds <= (second.made_at - first.made_at).total_seconds() + 0.1 < 60
    PublicVote.objects.filter(pk=first.pk).delete()
    PublicVote.objects.filter(pk=second.pk).update(made_at=timezone.now() - datetime.timedelta(hours=1))
    token = next(one for item, one in of_items.items() if item not in (first.item_id, second.item_id))
    client.post(address(study), {"token": token, "vote": "left"})
    assert PublicVote.objects.latest("pk").seconds < 60, "from when it was shown"


def test_a_skipped_pair_is_shown_again_with_any_cookie_and_the_skips_are_kept(client: Client, study: Study) -> None:
    def item_of(visitor: Client, **options: Any) -> int:
        return public_votes.read_token(visitor.get(address(study), **options).context["pair"]["token"])[0]

    first = item_of(client)
    assert {item_of(Client()) for _ in range(20)} == {first}
    assert len({item_of(Client(), REMOTE_ADDR=f"10.0.0.{n}") for n in range(20)}) > 1, "elsewhere any pair"
    pair = shown(client, study)
    client.post(address(study), {"token": pair["token"], "vote": "left"})
    vote = PublicVote.objects.get()
    assert (vote.item_id, vote.n_skipped) == (first, 21)
    assert item_of(client) != first
    (row,) = exported(study)["public_votes"]
    assert (row["skips"], row["group"]) == (21, "G-1")
    public_voting.close_voting(study, by=study.owner)
    assert not OpenPair.objects.exists()


def test_many_cookies_of_one_address_are_one_suspect() -> None:
    """Ten cookies with ten votes each on pairs of one system, all for it, beside fifteen people with twenty votes."""
    chance = np.random.default_rng(5)
    people = [vote for n in range(15) for vote in person(chance, f"v{n}", 20)]
    attackers = []
    for n in range(10):
        votes = person(chance, f"a{n}@attacker", 90, ATTACKS["for one system"])
        attackers += [vote for vote in votes if FAVOURITE in vote.systems][:10]
    assert len(attackers) == 100
    reasons = suspicions([*people, *attackers])
    assert Counter(reasons[:300]) == {"": 300}
    assert Counter(reasons[300:]) == {"one system": 100}
    apart = [replace(vote, address=vote.visitor) for vote in attackers]
    assert suspicions([*people, *apart])[300:].count("") > 90, "with addresses of their own they are not found"


def test_answers_that_name_their_system_are_masked(client: Client, grace: User) -> None:
    made = make_study(grace)
    entries = add_systems(made)
    for entry in entries:
        assert entry.answer_set is not None
        texts = AnswerBlock.objects.texts_of(entry.answer_set)
        name = entry.system.name.upper()
        factories.change_answers(entry.answer_set, {qid: f"As {name}, I say: {text}" for qid, text in texts.items()})
    pairs.make_pairs(made, entries, N_QUESTIONS, by=grace)
    public_voting.open_voting(made, by=grace)
    page = client.get(address(made)).content.decode()
    assert masking.MASK in page
    assert not re.search("|".join(NAMES), page, re.IGNORECASE)
    assert not made.items.filter(named=True).exists()


def test_votes_on_answers_that_were_shown_with_a_name_are_left_out(client: Client, study: Study) -> None:
    item = study.items.exclude(origin=ItemOrigin.INJECTED)[0]
    item.candidate = f"{NAMES[0]} says so."
    item.save()
    other = study.items.exclude(origin=ItemOrigin.INJECTED).exclude(pk=item.pk)[0]
    said = {"visitor": "v", "address": "a", "swapped": False, "vote": "left", "seconds": 30}
    PublicVote.objects.create(item=item, **said)
    PublicVote.objects.create(item=other, **said)
    import_module("humaneval.migrations.0015_blind_pairs").mask_pairs(apps, None)
    item.refresh_from_db()
    assert (item.candidate, item.named) == (f"{masking.MASK} says so.", True)
    assert [row["left_out"] for row in exported(study)["public_votes"]] == ["named", ""]
    outcome = public_outcome.public_outcome_of(study)
    assert outcome is not None and outcome["n_counted"] == 1


def test_too_many_votes_wait(client: Client, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_votes, "RATE", RateLimit(2, 60))
    token = shown(client, study)["token"]
    codes = [client.post(address(study), {"token": token, "vote": "tie"}).status_code for _ in range(4)]
    assert codes == [302, 302, 429, 429]


def test_votes_can_be_deleted(client: Client, study: Study) -> None:
    other = Client()
    for one in (client, other):
        one.post(address(study), {"token": shown(one, study)["token"], "vote": "left"})
    assert client.post(f"{address(study)}forget/").status_code == 302
    assert PublicVote.objects.count() == 1
    assert not client.cookies[public_views.COOKIE].value


@pytest.mark.parametrize("change", ["closed", "draft", "hidden", "shut"])
def test_the_page_exists_only_while_it_is_open(client: Client, study: Study, grace: User, change: str) -> None:
    """Or, unless the split is hidden by now, for those who voted: they may delete their votes."""
    token = shown(client, study)["token"]
    past = timezone.now() - datetime.timedelta(minutes=1)
    if change == "closed":
        public_voting.close_voting(study, by=grace)
    elif change == "hidden":
        Split.objects.filter(pk=study.split_id).update(hidden=True)
    else:
        Study.objects.filter(pk=study.pk).update(**({"opens_at": None} if change == "draft" else {"closes_at": past}))
    assert client.get(address(study)).status_code == 404
    assert client.post(address(study), {}).status_code == 404
    add_votes(study, 1, public_views.visitor_of(client.get(address(study)).wsgi_request))
    if change == "hidden":
        assert client.get(address(study)).status_code == 404
        return
    page = client.get(address(study))
    assert (page.status_code, page.context["pair"]) == (200, None)
    assert client.post(address(study), {"token": token, "vote": "left"}).status_code == 422
    assert PublicVote.objects.count() == 1
    assert client.post(f"{address(study)}forget/", follow=True).status_code == 200
    assert not PublicVote.objects.exists()


def test_opening_needs_a_maintainer_pairs_and_public_answers(client: Client, grace: User) -> None:
    olga = factories.user("olga")
    made = make_study(olga)
    where = f"/maintenance/studies/{made.slug}/pairs/public/"
    client.force_login(olga)
    assert client.post(where, {"open": "1"}).status_code == 404
    client.force_login(grace)

    def is_open() -> bool:
        assert client.post(where, {"open": "1"}).status_code == 302
        return Study.objects.get(pk=made.pk).public_from is not None

    assert not is_open(), "no pairs"
    entries = add_systems(made, 2, public=False)
    pairs.make_pairs(made, entries, 3, by=grace)
    assert not is_open(), "the answers are not public"
    Entry.objects.update(shows_answers=True)
    Split.objects.filter(pk=made.split_id).update(hidden=True)
    assert not is_open(), "hidden"
    Split.objects.filter(pk=made.split_id).update(hidden=False)
    assert is_open()
    PublicVote.objects.create(item=made.items.all()[0], visitor="v", address="a", swapped=False, vote="tie", seconds=9)
    with pytest.raises(ItemsError, match=re.escape(BEGUN)):
        pairs.make_pairs(made, entries, 3, by=grace)
    assert client.post(where).status_code == 302
    assert Study.objects.get(pk=made.pk).public_from is None


def add_votes(study: Study, n: int, visitor: str, *, vote: str = "", where: str = "a", seconds: float = 9.0) -> None:
    """Votes of one visitor on different pairs; in turn for the left and the right side, if none is given."""
    items = list(study.items.exclude(origin=ItemOrigin.INJECTED).order_by("key"))[:n]
    said = {"visitor": visitor, "address": where, "seconds": seconds}
    PublicVote.objects.bulk_create(
        PublicVote(item=item, vote=vote or ("left", "right")[number % 2], swapped=number % 3 == 0, **said)
        for number, item in enumerate(items)
    )


def test_suspicious_votes_are_left_out_with_the_reason(
    client: Client, study: Study, grace: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspicion, "MOST_A_DAY", 30)
    assert public_outcome.public_outcome_of(study) is None
    add_votes(study, 18, "careful")
    add_votes(study, 9, "short", vote=Preference.LEFT, where="b")
    add_votes(study, 18, "quick", seconds=1.0, where="c")
    add_votes(study, 18, "lazy", vote=Preference.RIGHT, where="d")
    add_votes(study, 18, "tied", vote=Preference.TIE, where="d")
    found = public_outcome.public_outcome_of(study)
    assert found is not None
    assert (found["n_counted"], found["n_visitors"]) == (18 + 9, 2)
    texts = public_outcome.REASONS
    assert dict(found["left_out"]) == {texts["fast"]: 18, texts["one side"]: 18, texts["address"]: 18}
    assert {row.name for row in found["ranking"]} == set(NAMES)
    rows = exported(study)["public_votes"]
    assert Counter(row["left_out"] for row in rows) == {"": 27, "fast": 18, "one side": 18, "address": 18}
    assert {row["visitor"] for row in rows} == {f"V-{n}" for n in range(1, 6)}
    client.force_login(grace)
    page = client.get(f"/maintenance/studies/{study.slug}/results/")
    assert page.context["public"] == found
    assert page.context["outcome"]["n_votes"] == 0, "public votes are not participants' choices"


def test_a_visitor_who_always_chooses_one_system_is_found_and_one_who_mostly_does_is_not() -> None:
    """Others choose it in half of the cases."""
    day = datetime.date(2026, 1, 1)

    def votes(visitor: str, n: int, n_won: int) -> list[CastVote]:
        sides = [number % 2 == 0 for number in range(n)]
        return [
            CastVote(visitor, visitor, day, 30.0, left, ("x", "y") if left == (number < n_won) else ("y", "x"))
            for number, left in enumerate(sides)
        ]

    others = [vote for number in range(8) for vote in votes(f"other {number}", 10, 5)]
    found = suspicion.suspicions([*votes("loyal", 40, 40), *votes("fond", 40, 30), *others])
    assert found == ["one system"] * 40 + [""] * (40 + 80)
    assert not any(suspicion.suspicions([*votes("loyal", 40, 40), *others[:70]])), "too few others to know"
