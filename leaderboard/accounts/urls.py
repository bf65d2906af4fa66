"""URL patterns below ``/accounts/`` and ``/teams/``. Some have a second name, which django-allauth uses."""

from allauth.account import views as theirs
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as apps
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as social
from django.urls import path, register_converter
from django.urls.converters import StringConverter

from leaderboard.accounts import login_views, views
from leaderboard.accounts.login_views import account_page
from leaderboard.accounts.teams import views as teams


class Base36(StringConverter):
    """An account's number as used in password reset links; a dash follows."""

    regex = "[0-9A-Za-z]+"


register_converter(Base36, "base36")

urlpatterns = [
    path("accounts/sign-in/", login_views.sign_in, name="sign-in"),
    path("accounts/sign-in/", login_views.sign_in, name="account_login"),
    path("accounts/sign-out/", login_views.SignOut.as_view(), name="sign-out"),
    path("accounts/sign-out/", login_views.SignOut.as_view(), name="account_logout"),
    path("accounts/sign-up/", account_page(theirs.signup), name="sign-up"),
    path("accounts/sign-up/", account_page(theirs.signup), name="account_signup"),
    path("accounts/inactive/", account_page(theirs.account_inactive), name="account_inactive"),
    path("accounts/verify/", account_page(theirs.email_verification_sent), name="account_email_verification_sent"),
    path("accounts/verify/<str:key>/", account_page(login_views.VerifyAddress.as_view()), name="account_confirm_email"),
    path("accounts/password/", account_page(theirs.password_change), name="account_change_password"),
    path("accounts/password/set/", account_page(theirs.password_set), name="account_set_password"),
    path("accounts/password/reset/", account_page(theirs.password_reset), name="account_reset_password"),
    path("accounts/password/reset/sent/", account_page(theirs.password_reset_done), name="account_reset_password_done"),
    path(
        "accounts/password/reset/<base36:uidb36>-<str:key>/",
        account_page(theirs.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/done/",
        account_page(theirs.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    path("accounts/password/again/", account_page(theirs.reauthenticate), name="account_reauthenticate"),
    path("accounts/second-factor/", account_page(second_factor.index), name="mfa_index"),
    path("accounts/second-factor/", account_page(second_factor.index), name="mfa_list_webauthn"),
    path("accounts/second-factor/sign-in/", account_page(second_factor.authenticate), name="mfa_authenticate"),
    path("accounts/second-factor/again/", account_page(second_factor.reauthenticate), name="mfa_reauthenticate"),
    path(
        "accounts/second-factor/again/passkey/",
        account_page(passkeys.reauthenticate_webauthn),
        name="mfa_reauthenticate_webauthn",
    ),
    path("accounts/second-factor/app/", account_page(login_views.AddApp.as_view()), name="mfa_activate_totp"),
    path("accounts/second-factor/app/remove/", account_page(apps.deactivate_totp), name="mfa_deactivate_totp"),
    path("accounts/second-factor/passkeys/", account_page(login_views.AddPasskey.as_view()), name="mfa_add_webauthn"),
    path(
        "accounts/second-factor/passkeys/<int:pk>/remove/",
        account_page(passkeys.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
    path(
        "accounts/second-factor/codes/",
        account_page(login_views.RecoveryCodes.as_view()),
        name="mfa_view_recovery_codes",
    ),
    path(
        "accounts/second-factor/codes/new/",
        account_page(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("accounts/second-factor/codes/file/", codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("accounts/", views.account, name="account"),
    path("accounts/name/", views.rename, name="account-name"),
    path("accounts/addresses/", account_page(theirs.email), name="account_email"),
    path("accounts/mails/", views.mails_choice, name="account-mails"),
    path("accounts/mails/<str:token>/", views.leave_mails, name="mails-leave"),
    path("accounts/tokens/", views.create_token, name="token-create"),
    path("accounts/tokens/<int:pk>/revoke/", views.revoke_token, name="token-revoke"),
    path("accounts/other-sites/", account_page(social.connections), name="socialaccount_connections"),
    path("accounts/other-sites/sign-up/", account_page(social.signup), name="socialaccount_signup"),
    path("accounts/other-sites/cancelled/", account_page(social.login_cancelled), name="socialaccount_login_cancelled"),
    path("accounts/other-sites/failed/", account_page(social.login_error), name="socialaccount_login_error"),
    path("accounts/github/login/", login_views.github_sign_in, name="github_login"),
    path("accounts/github/login/callback/", login_views.github_return, name="github_callback"),
    path("accounts/oidc/<slug:provider_id>/login/", login_views.openid_sign_in, name="openid_connect_login"),
    path("accounts/oidc/<slug:provider_id>/login/callback/", login_views.openid_return, name="openid_connect_callback"),
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
