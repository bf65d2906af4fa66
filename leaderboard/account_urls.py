"""The addresses below ``/accounts/`` and ``/teams/``. Some have a second name, by which django-allauth knows them."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from leaderboard.views import accounts, entrance, teams


class Base36(StringConverter):
    """An account's number as links to set a password have it; a dash follows."""

    regex = "[0-9A-Za-z]+"


register_converter(Base36, "base36")

urlpatterns = [
    path("accounts/sign-in/", entrance.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-in/", entrance.SignIn.as_view(), name="account_login"),
    path("accounts/sign-out/", entrance.SignOut.as_view(), name="sign-out"),
    path("accounts/sign-out/", entrance.SignOut.as_view(), name="account_logout"),
    path("accounts/sign-up/", entrance.SignUp.as_view(), name="sign-up"),
    path("accounts/sign-up/", entrance.SignUp.as_view(), name="account_signup"),
    path("accounts/inactive/", entrance.Inactive.as_view(), name="account_inactive"),
    path("accounts/verify/", entrance.AddressToVerify.as_view(), name="account_email_verification_sent"),
    path("accounts/verify/<str:key>/", entrance.VerifyAddress.as_view(), name="account_confirm_email"),
    path("accounts/password/", entrance.ChangePassword.as_view(), name="account_change_password"),
    path("accounts/password/set/", entrance.SetPassword.as_view(), name="account_set_password"),
    path("accounts/password/reset/", entrance.ResetPassword.as_view(), name="account_reset_password"),
    path("accounts/password/reset/sent/", entrance.ResetPasswordSent.as_view(), name="account_reset_password_done"),
    path(
        "accounts/password/reset/<base36:uidb36>-<str:key>/",
        entrance.ResetPasswordFromLink.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/done/",
        entrance.ResetPasswordDone.as_view(),
        name="account_reset_password_from_key_done",
    ),
    path("accounts/password/again/", entrance.Reauthenticate.as_view(), name="account_reauthenticate"),
    path("accounts/", accounts.account, name="account"),
    path("accounts/name/", accounts.rename, name="account-name"),
    path("accounts/addresses/", entrance.Addresses.as_view(), name="account_email"),
    path("accounts/delete/", accounts.delete, name="account-delete"),
    path("accounts/tokens/", accounts.create_token, name="token-create"),
    path("accounts/tokens/<int:pk>/revoke/", accounts.revoke_token, name="token-revoke"),
    path("accounts/other-sites/", entrance.Connections.as_view(), name="socialaccount_connections"),
    path("accounts/other-sites/sign-up/", entrance.SocialSignUp.as_view(), name="socialaccount_signup"),
    path("accounts/other-sites/cancelled/", entrance.SocialCancelled.as_view(), name="socialaccount_login_cancelled"),
    path("accounts/other-sites/failed/", entrance.SocialError.as_view(), name="socialaccount_login_error"),
    path("accounts/github/login/", entrance.github_sign_in, name="github_login"),
    path("accounts/github/login/callback/", entrance.github_return, name="github_callback"),
    path("accounts/oidc/<slug:provider_id>/login/", entrance.openid_sign_in, name="openid_connect_login"),
    path("accounts/oidc/<slug:provider_id>/login/callback/", entrance.openid_return, name="openid_connect_callback"),
    path("teams/", teams.teams, name="teams"),
    path("teams/join/<str:token>/", teams.join, name="team-join"),
    path("teams/accept/<int:pk>/", teams.accept, name="team-accept"),
    path("teams/<slug:slug>/", teams.team, name="team"),
    path("teams/<slug:slug>/rename/", teams.rename, name="team-rename"),
    path("teams/<slug:slug>/invite/", teams.invite, name="team-invite"),
    path("teams/<slug:slug>/invitations/<int:pk>/resend/", teams.resend, name="team-invitation-resend"),
    path("teams/<slug:slug>/invitations/<int:pk>/revoke/", teams.revoke, name="team-invitation-revoke"),
    path("teams/<slug:slug>/members/<int:pk>/role/", teams.change_role, name="team-member-role"),
    path("teams/<slug:slug>/members/<int:pk>/remove/", teams.remove, name="team-member-remove"),
    path("teams/<slug:slug>/leave/", teams.leave, name="team-leave"),
    path("teams/<slug:slug>/dissolve/", teams.dissolve, name="team-dissolve"),
]
