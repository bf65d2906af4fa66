"""Samples of accounts and teams."""

import datetime
from types import SimpleNamespace
from typing import Any

from leaderboard.accounts.forms import DeleteAccountForm, InviteForm, NameForm, TeamForm
from leaderboard.accounts.queries import AccountView, AddressView, InvitationView, MemberView, TeamRow, TeamView
from tests.gallery.site import forms
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, NOW

ADDRESS = f"{LONG_WORD.lower()[:60]}@{LONG_WORD.lower()[:50]}.example"
LATER = NOW + datetime.timedelta(days=9)


def invitations() -> list[SimpleNamespace]:
    """What the reader is invited to."""
    by = SimpleNamespace(username="bob")
    return [
        SimpleNamespace(pk=1, team=SimpleNamespace(name="Readers"), invited_by=by, expires_at=LATER),
        SimpleNamespace(pk=2, team=SimpleNamespace(name=LONG_NAME), invited_by=None, expires_at=LATER),
    ]


def team_lines() -> list[TeamRow]:
    """A team and one with too long a name."""
    return [TeamRow("Readers", "readers", "Owner", 3, 12), TeamRow(LONG_NAME, "long", "Member", 1_204, 0)]


def account(*, new: bool = False, token: str = "") -> dict[str, Any]:
    """An account with everything, or one that was made just now."""
    addresses = [
        AddressView("ada@example.org", verified=True, primary=True),
        AddressView(ADDRESS, verified=False, primary=False),
    ]
    return {
        "account": AccountView(
            username="ada",
            name="" if new else LONG_NAME,
            joined_at=NOW,
            has_password=new,
            addresses=addresses[:1] if new else addresses,
            other_sites=[] if new else ["github"],
            teams=[] if new else team_lines(),
            invitations=[] if new else list[Any](invitations()),
            n_submissions=0 if new else 12_043,
        ),
        "name_form": NameForm(initial={"name": "" if new else LONG_NAME}),
        "form": forms.SampleTokenForm({} if token else None),
        "tokens": [] if token else forms.tokens(),
        "new_token": token,
    }


def addresses() -> dict[str, Any]:
    """Email addresses in each state, and a wrong one in the form."""
    kept = [
        SimpleNamespace(email="ada@example.org", verified=True, primary=True),
        SimpleNamespace(email="ada@lab.example", verified=True, primary=False),
        SimpleNamespace(email=ADDRESS, verified=False, primary=False),
    ]
    return {"form": InviteForm({"email": "no address"}), "addresses": kept}


def team(*, owner: bool = True) -> dict[str, Any]:
    """A team as an owner or a plain member sees it."""
    members = [
        MemberView(1, "ada", "Ada Sample", "owner", "Owner", NOW, is_reader=owner),
        MemberView(2, LONG_WORD, LONG_NAME, "member", "Member", NOW, is_reader=not owner),
        MemberView(3, "carol", "", "owner", "Owner", NOW, is_reader=False),
    ]
    invited = [
        InvitationView(1, "dan@example.org", "ada", LATER, has_run_out=False),
        InvitationView(2, ADDRESS, "", NOW, has_run_out=True),
    ]
    view = TeamView(
        name=LONG_NAME if owner else "Readers",
        slug="readers",
        created_at=NOW,
        is_owner=owner,
        is_last_owner=False,
        can_dissolve=owner,
        members=members,
        invitations=invited,
        n_submissions=0 if owner else 12,
    )
    wrong = InviteForm({"email": "no address"}) if owner else InviteForm()
    return {"team": view, "invite_form": wrong, "name_form": TeamForm(initial={"name": view.name})}


def join(*, fits: bool = True, reason: str = "") -> dict[str, Any]:
    """An invitation, for the account with its address or another."""
    invitation = SimpleNamespace(
        email="ada@example.org" if fits else ADDRESS,
        team=SimpleNamespace(name=LONG_NAME),
        invited_by=SimpleNamespace(username="bob"),
        expires_at=LATER,
    )
    return {
        "invitation": invitation,
        "fits": fits,
        "reason": reason,
        "addresses": ["ada@example.org", "ada@lab.example"],
        "here": "/gallery/",
    }


def signed_in_pages() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Pages of somebody signed in, by their names in the gallery: title, template, context."""
    page, delete = "leaderboard/accounts/account.html", "leaderboard/accounts/delete.html"
    kept = "You sent 12,043 submissions. Scores and what they were made from are kept."
    return {
        "account": ("Account", page, account()),
        "account-new": ("Account, made just now", page, account(new=True)),
        "account-token": ("Account, new token", page, account(token="mh_" + "1a2b3c4d" * 5)),
        "account-addresses": ("Email addresses", "account/email.html", addresses()),
        "account-delete": ("Delete the account", delete, {"form": DeleteAccountForm({}, expected="ada"), "reason": ""}),
        "account-kept": ("Delete the account, kept", delete, {"reason": kept}),
        "account-again": ("The password once more", "account/reauthenticate.html", {"form": forms.SampleTokenForm()}),
        "teams": (
            "Teams",
            "leaderboard/accounts/teams.html",
            {"teams": team_lines(), "invitations": invitations(), "form": TeamForm({"name": ""})},
        ),
        "teams-none": (
            "Teams, none",
            "leaderboard/accounts/teams.html",
            {"teams": [], "invitations": [], "form": TeamForm()},
        ),
        "team": ("A team, for its owner", "leaderboard/accounts/team.html", team()),
        "team-member": ("A team, for a member", "leaderboard/accounts/team.html", team(owner=False)),
        "team-join": ("An invitation", "leaderboard/accounts/team_join.html", join()),
        "team-join-other": ("An invitation for another", "leaderboard/accounts/team_join.html", join(fits=False)),
    }


def signed_out_pages() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Pages on the way in, by their names in the gallery: title, template, context."""
    out = "The invitation is older than seven days. Ada can send you another one."
    return {
        "verify-sent": ("Look into your mail", "account/verification_sent.html", {}),
        "verify-none": ("A link that does not work", "account/email_confirm.html", {}),
        "team-join-out": ("An invitation, run out", "leaderboard/accounts/team_join.html", join(reason=out)),
    }
