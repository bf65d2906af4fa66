"""URL patterns of submissions."""

from django.urls import path

from leaderboard.submissions import deletion_views, facts_views, upload_views, views

urlpatterns = [
    path("accounts/delete/", deletion_views.delete_account, name="account-delete"),
    path("receipts/", views.receipts, name="receipts"),
    path("receipts/<path:page>", views.receipts),
    path("submit/", upload_views.submit, name="submit"),
    path("submit/fill/", upload_views.fill, name="submit-fill"),
    path("check/", upload_views.check, name="check"),
    path("submissions/", views.my_submissions, name="my-submissions"),
    path("submissions/<uuid:pk>/", views.submission, name="submission"),
    path("submissions/<uuid:pk>/progress/", views.progress, name="submission-progress"),
    path("submissions/<uuid:pk>/edit/", facts_views.submission, name="submission-edit"),
    path("systems/<slug:slug>/edit/", facts_views.system, name="system-edit"),
    path("submissions/<uuid:pk>/publish/", views.publish, name="submission-publish"),
    path("submissions/<uuid:pk>/reveal/", views.reveal, name="submission-reveal"),
    path("submissions/<uuid:pk>/answers/", views.answers, name="submission-answers"),
    path("submissions/<uuid:pk>/unpublish/", views.unpublish, name="submission-unpublish"),
    path("submissions/<uuid:pk>/withdraw/", views.withdraw, name="submission-withdraw"),
    path("submissions/<uuid:pk>/earlier/", views.show_earlier, name="submission-earlier"),
    path("submissions/<uuid:pk>/retry/", views.retry, name="submission-retry"),
    path("submissions/<uuid:pk>/files/<slug:setting>/", views.original_file, name="submission-file"),
    path("submissions/<uuid:pk>/files/<slug:setting>/replace/", upload_views.replace, name="submission-replace"),
]
