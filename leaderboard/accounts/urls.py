"""URL patterns below ``/accounts/`` and ``/teams/``. Some have a second name, which django-allauth uses."""

from allauth.mfa.recovery_codes.views import download_recovery_codes as recovery_codes_file
from django.urls import path, register_converter
from django.urls.converters import StringConverter

from leaderboard.accounts import login_views, views
from leaderboard.accounts.teams import views as teams


class Base36(StringConverter):
    """An account's number as used in password reset links; a dash follows."""

    regex = "[0-9A-Za-z]+"


register_converter(Base36, "base36")

urlpatterns = [
    path("accounts/sign-in/", login_views.SignIn.as_view(), name="sign-in"),
    path("accounts/sign-in/", login_views.SignIn.as_view(), name="account_login"),
    path("accounts/sign-out/", login_views.SignOut.as_view(), name="sign-out"),
    path("accounts/sign-out/", login_views.SignOut.as_view(), name="account_logout"),
    path("accounts/sign-up/", login_views.SignUp.as_view(), name="sign-up"),
    path("accounts/sign-up/", login_views.SignUp.as_view(), name="account_signup"),
    path("accounts/inactive/", login_views.Inactive.as_view(), name="account_inactive"),
    path("accounts/verify/", login_views.AddressToVerify.as_view(), name="account_email_verification_sent"),
    path("accounts/verify/<str:key>/", login_views.VerifyAddress.as_view(), name="account_confirm_email"),
    path("accounts/password/", login_views.ChangePassword.as_view(), name="account_change_password"),
    path("accounts/password/set/", login_views.SetPassword.as_view(), name="account_set_password"),
    path("accounts/password/reset/", login_views.ResetPassword.as_view(), name="account_reset_password"),
    path("accounts/password/reset/sent/", login_views.ResetPasswordSent.as_view(), name="account_reset_password_done"),
    path(
        "accounts/password/reset/<base36:uidb36>-<str:key>/",
        login_views.ResetPasswordFromLink.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "accounts/password/reset/done/",
        login_views.ResetPasswordDone.as_view(),
        name="account_reset_password_from_key_done",
    ),
    path("accounts/password/again/", login_views.Reauthenticate.as_view(), name="account_reauthenticate"),
    path("accounts/second-factor/", login_views.SecondFactor.as_view(), name="mfa_index"),
    path("accounts/second-factor/sign-in/", login_views.SignInCode.as_view(), name="mfa_authenticate"),
    path("accounts/second-factor/again/", login_views.ConfirmWithCode.as_view(), name="mfa_reauthenticate"),
    path(
        "accounts/second-factor/again/passkey/",
        login_views.ConfirmWithPasskey.as_view(),
        name="mfa_reauthenticate_webauthn",
    ),
    path("accounts/second-factor/app/", login_views.AddApp.as_view(), name="mfa_activate_totp"),
    path("accounts/second-factor/app/remove/", login_views.RemoveApp.as_view(), name="mfa_deactivate_totp"),
    path("accounts/second-factor/passkeys/", login_views.AddPasskey.as_view(), name="mfa_add_webauthn"),
    path(
        "accounts/second-factor/passkeys/<int:pk>/remove/",
        login_views.RemovePasskey.as_view(),
        name="mfa_remove_webauthn",
    ),
    path("accounts/second-factor/codes/", login_views.RecoveryCodes.as_view(), name="mfa_view_recovery_codes"),
    path(
        "accounts/second-factor/codes/new/", login_views.NewRecoveryCodes.as_view(), name="mfa_generate_recovery_codes"
    ),
    path("accounts/second-factor/codes/file/", recovery_codes_file, name="mfa_download_recovery_codes"),
    path("accounts/", views.account, name="account"),
    path("accounts/name/", views.rename, name="account-name"),
    path("accounts/addresses/", login_views.Addresses.as_view(), name="account_email"),
    path("accounts/mails/", views.mails_choice, name="account-mails"),
    path("accounts/mails/<str:token>/", views.leave_mails, name="mails-leave"),
    path("accounts/tokens/", views.create_token, name="token-create"),
    path("accounts/tokens/<int:pk>/revoke/", views.revoke_token, name="token-revoke"),
    path("accounts/other-sites/", login_views.Connections.as_view(), name="socialaccount_connections"),
    path("accounts/other-sites/sign-up/", login_views.SocialSignUp.as_view(), name="socialaccount_signup"),
    path(
        "accounts/other-sites/cancelled/", login_views.SocialCancelled.as_view(), name="socialaccount_login_cancelled"
    ),
    path("accounts/other-sites/failed/", login_views.SocialError.as_view(), name="socialaccount_login_error"),
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
