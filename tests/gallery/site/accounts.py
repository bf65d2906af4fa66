"""Samples of accounts and teams."""

import datetime
from types import SimpleNamespace
from typing import Any

from django.utils import timezone

from leaderboard.accounts.adapters import SecondFactorAdapter
from leaderboard.accounts.forms import DeleteAccountForm, InviteForm, MailsForm, NameForm, TeamForm
from leaderboard.accounts.teams.services import VALID_FOR
from leaderboard.models import MailKind, Membership, Team, TeamInvitation, User
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


def memberships() -> list[Membership]:
    """A team and one with too long a name."""
    owner = Membership(team=Team(name="Readers", slug="readers"), role="owner")
    member = Membership(team=Team(name=LONG_NAME, slug="long"), role="member")
    vars(owner).update(n_members=3, n_submissions=12)
    vars(member).update(n_members=1_204, n_submissions=0)
    return [owner, member]


def account(*, token: str = "") -> dict[str, Any]:
    """An account with everything, perhaps with a new token."""
    addresses = [
        SimpleNamespace(email="ada@example.org", verified=True, primary=True),
        SimpleNamespace(email=ADDRESS, verified=False, primary=False),
    ]
    user = User(username="ada", first_name=LONG_NAME, date_joined=NOW, password="!")
    return {
        "account": user,
        "addresses": addresses,
        "has_second_factor": True,
        "other_sites": ["github"],
        "memberships": memberships(),
        "invitations": invitations(),
        "n_submissions": 12_043,
        "name_form": NameForm(initial={"name": LONG_NAME}),
        "mails_form": MailsForm(user=User(username="ada", is_staff=True, is_superuser=True, muted_mails=["tokens"])),
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
    return {"form": InviteForm({"email": "no address"}), "emailaddresses": kept}


def team() -> dict[str, Any]:
    """A team as its owner sees it."""
    ada, bob, carol = (
        User(pk=1, username="ada", first_name="Ada", last_name="Sample"),
        User(pk=2, username=LONG_WORD, first_name=LONG_NAME),
        User(pk=3, username="carol"),
    )
    return {
        "team": Team(name=LONG_NAME, slug="readers", created_at=NOW),
        "reader": ada,
        "members": [
            Membership(pk=1, user=ada, role="owner", joined_at=NOW),
            Membership(pk=2, user=bob, role="member", joined_at=NOW),
            Membership(pk=3, user=carol, role="owner", joined_at=NOW),
        ],
        "invitations": [
            TeamInvitation(pk=1, email="dan@example.org", invited_by=ada, expires_at=timezone.now() + VALID_FOR),
            TeamInvitation(pk=2, email=ADDRESS, expires_at=NOW),
        ],
        "n_submissions": 0,
        "is_owner": True,
        "is_last_owner": False,
        "can_dissolve": True,
        "invite_form": InviteForm({"email": "no address"}),
        "name_form": TeamForm(initial={"name": LONG_NAME}),
    }


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


CODES = ["88003259", "60053612", "71993664"]


def second_factor() -> dict[str, Any]:
    """The second factors of an account: all kinds."""
    used = SimpleNamespace(pk=1, created_at=NOW, last_used_at=NOW)
    unused = SimpleNamespace(pk=2, created_at=NOW, last_used_at=None)
    passkeys = [SimpleNamespace(name="Laptop", instance=used), SimpleNamespace(name=LONG_WORD, instance=unused)]
    recovery = SimpleNamespace(get_unused_codes=CODES)
    return {
        "authenticators": {"totp": SimpleNamespace(instance=used), "webauthn": passkeys, "recovery_codes": recovery}
    }


def app() -> dict[str, Any]:
    """Setting up an authenticator app, with a wrong code."""
    form = forms.SampleAppForm({"code": ""})
    form.secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    url = f"otpauth://totp/ada?secret={form.secret}&issuer=Manyhop"
    return {"form": form, "totp_svg": SecondFactorAdapter().build_totp_svg(url)}


def passkey() -> dict[str, Any]:
    """What the browser is asked when a passkey is used."""
    return {"request_options": {"publicKey": {"challenge": "eA", "allowCredentials": [{"id": "eA"}]}}}


def second_factor_pages() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Pages of second factors, by their names in the gallery: title, template, context."""
    ways = [{"id": name, "url": "/gallery/"} for name in ("reauthenticate", "mfa_reauthenticate")]
    create = {"creation_options": {"publicKey": {"challenge": "eA", "user": {"id": "eA"}}}}
    return {
        "second-factor": ("Second factors", "mfa/index.html", second_factor()),
        "second-factor-app": ("An authenticator app", "mfa/totp/activate_form.html", app()),
        "second-factor-passkey": (
            "A passkey",
            "mfa/webauthn/add_form.html",
            {"form": forms.SamplePasskeyForm(), "js_data": create},
        ),
        "second-factor-codes": ("Recovery codes", "mfa/recovery_codes/index.html", {"codes": "\n".join(CODES)}),
        "account-again-passkey": (
            "A passkey once more",
            "account/reauthenticate.html",
            {"form": forms.SampleCredentialForm(), "js_data": passkey(), "reauthentication_alternatives": ways},
        ),
    }


def signed_in_pages() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Pages of somebody signed in, by their names in the gallery: title, template, context."""
    page, delete = "leaderboard/accounts/account.html", "leaderboard/accounts/delete.html"
    leave = "leaderboard/accounts/leave_mails.html"
    return {
        "account": ("Account", page, account()),
        "account-token": ("Account, new token", page, account(token="mh_" + "1a2b3c4d" * 5)),
        "emails-turn-off": ("Turning off emails", leave, {"kind": MailKind.TOKENS.label, "done": False}),
        "account-addresses": ("Email addresses", "account/email.html", addresses()),
        "account-delete": (
            "Delete the account",
            delete,
            {
                "form": DeleteAccountForm({}, expected="ada", has_published=True),
                "n_private": 1,
                "n_kept": 1001,
            },
        ),
        "account-again": (
            "The password once more",
            "account/reauthenticate.html",
            {"form": forms.SamplePasswordForm()},
        ),
        **second_factor_pages(),
        "teams": (
            "Teams",
            "leaderboard/accounts/teams.html",
            {"memberships": memberships(), "invitations": invitations(), "form": TeamForm({"name": ""})},
        ),
        "team": ("A team, for its owner", "leaderboard/accounts/team.html", team()),
        "team-join": ("An invitation", "leaderboard/accounts/team_join.html", join()),
    }


def signed_out_pages() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Pages on the way in, by their names in the gallery: title, template, context."""
    return {
        "verify-sent": ("Look into your mail", "account/verification_sent.html", {}),
        "sign-in-code": (
            "The second factor, to sign in",
            "mfa/authenticate.html",
            {
                "form": forms.SampleCodeForm({"code": ""}),
                "webauthn_form": forms.SampleCredentialForm(),
                "js_data": passkey(),
            },
        ),
        "verify-none": ("A link that does not work", "account/email_confirm.html", {}),
    }
