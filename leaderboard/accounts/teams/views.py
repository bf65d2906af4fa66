"""Teams, their members and invitations. A stranger gets 404 for every team."""

from collections.abc import Callable
from functools import partial
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import access
from leaderboard.access import signed_in_user
from leaderboard.accounts import queries
from leaderboard.accounts.forms import InviteForm, TeamForm
from leaderboard.accounts.teams import services
from leaderboard.models import Membership, Team, TeamRole, User
from leaderboard.web.http import post_action

LEFT: Final = "You left the team."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """The reader's teams and invitations; POST creates a team."""
    user = signed_in_user(request)
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_team(by=user, name=form.cleaned_data["name"])
        except services.TeamError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Created the team {made.name}. You can now invite members.")
            return redirect("team", made.slug)
    context = {"form": form, "memberships": queries.memberships_of(user), "invitations": queries.invitations_to(user)}
    return render(request, "leaderboard/accounts/teams.html", context, status=422 if request.method == "POST" else 200)


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    return _team(request, access.team_for(request.user, slug))


def _team(
    request: HttpRequest,
    team: Team,
    *,
    invite_form: InviteForm | None = None,
    name_form: TeamForm | None = None,
    status: int = 200,
) -> HttpResponse:
    reader = signed_in_user(request)
    members = list(team.memberships.select_related("user").order_by("joined_at", "pk"))
    owners = [member.user_id for member in members if member.role == TeamRole.OWNER and member.user.is_active]
    n_submissions = team.submissions.count()
    context = {
        "team": team,
        "reader": reader,
        "members": members,
        "invitations": team.invitations.filter(queries.OPEN).select_related("invited_by"),
        "n_submissions": n_submissions,
        "is_owner": reader.pk in owners,
        "is_last_owner": owners == [reader.pk],
        "can_dissolve": reader.pk in owners and not n_submissions,
        "invite_form": invite_form or InviteForm(),
        "name_form": name_form or TeamForm(initial={"name": team.name}),
    }
    return render(request, "leaderboard/accounts/team.html", context, status=status)


@login_required
@require_POST
def rename(request: HttpRequest, slug: str) -> HttpResponse:
    team = access.team_for(request.user, slug)
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _team(request, team, name_form=form, status=422)
    name = form.cleaned_data["name"]
    return _change(request, slug, partial(services.rename, name=name), f"Renamed the team to {name}.")


@login_required
@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    team = access.team_for(request.user, slug)
    form = InviteForm(request.POST)
    if form.is_valid():
        email = form.cleaned_data["email"]
        try:
            services.invite(by=signed_in_user(request), team=team, email=email)
        except services.TeamError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Invited {email}. An email with a link is on its way.")
            return redirect("team", slug)
    return _team(request, team, invite_form=form, status=422)


@login_required
@require_POST
def resend(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    team = access.team_for(request.user, slug)
    invitation = get_object_or_404(team.invitations, pk=pk)
    done = f"Sent {invitation.email} a new invitation link. The old link no longer works."
    return _change(request, slug, partial(services.resend, invitation=invitation), done)


@login_required
@require_POST
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    team = access.team_for(request.user, slug)
    invitation = get_object_or_404(team.invitations, pk=pk)
    done = f"Revoked the invitation of {invitation.email}."
    return _change(request, slug, partial(services.revoke, invitation=invitation), done)


@login_required
@require_POST
def change_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = _member(request, slug, pk)
    role = TeamRole.OWNER if request.POST.get("role") == TeamRole.OWNER else TeamRole.MEMBER
    name = member.user.get_username()
    done = f"{name} is now an owner of the team." if role == TeamRole.OWNER else f"{name} is now a member of the team."
    return _change(request, slug, partial(services.change_role, member=member, role=role), done)


@login_required
@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = _member(request, slug, pk)
    done = f"Removed {member.user.get_username()} from the team."
    return _change(request, slug, partial(services.remove, member=member), done)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    return _change(request, slug, lambda *, by, team: services.leave(user=by, team=team), LEFT, then="teams")


@login_required
@require_POST
def dissolve(request: HttpRequest, slug: str) -> HttpResponse:
    return _change(request, slug, services.dissolve, "Deleted the team.", then="teams")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The target of an invitation's link: a page that names the team; POST joins it."""
    invitation = services.invitation_of(token)
    if invitation is None:
        raise Http404("This invitation does not exist. It may have been resent with a new link.")
    user = request.user if isinstance(request.user, User) else None
    reason = services.why_not(invitation)
    if user is not None and not reason and request.method == "POST":
        try:
            joined = services.accept(user=user, invitation=invitation)
        except services.TeamError as error:
            reason = "" if isinstance(error, services.WrongAccountError) else str(error)
        else:
            messages.success(request, f"You joined the team {joined.name}.")
            return redirect("team", joined.slug)
    context = {
        "invitation": invitation,
        "reason": reason,
        "fits": user is not None and services.is_for(invitation, user),
        "addresses": list(queries.verified_addresses(user)) if user else [],
        "here": request.path,
    }
    return render(
        request, "leaderboard/accounts/team_join.html", context, status=422 if request.method == "POST" else 200
    )


@login_required
@require_POST
def accept(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation that is listed on the reader's own pages, without its link."""
    user = signed_in_user(request)
    invitation = get_object_or_404(queries.invitations_to(user), pk=pk)
    return post_action(
        request,
        lambda: services.accept(user=user, invitation=invitation),
        done=f"You joined the team {invitation.team.name}.",
        refused=services.TeamError,
        then=redirect("team", invitation.team.slug),
        instead=redirect("teams"),
    )


def _member(request: HttpRequest, slug: str, pk: int) -> Membership:
    team = access.team_for(request.user, slug)
    return get_object_or_404(team.memberships.select_related("user"), pk=pk)


def _change(
    request: HttpRequest, slug: str, change: Callable[..., object], done: str, *, then: str = "team"
) -> HttpResponse:
    """Change one of the reader's teams, and report success or the reason for the refusal."""
    team = access.team_for(request.user, slug)
    return post_action(
        request,
        partial(change, by=signed_in_user(request), team=team),
        done=done,
        refused=services.TeamError,
        then=redirect(then, *([slug] if then == "team" else [])),
        instead=redirect("team", slug),
    )
