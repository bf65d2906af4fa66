"""The addresses under which maintainers keep their studies, below ``/maintenance/studies/``."""

from django.urls import path

from humaneval.views import human_row, manage, manage_delete, manage_outcome, manage_people

urlpatterns = [
    path("", manage.studies, name="manage-studies"),
    path("new/", manage.new, name="manage-study-new"),
    path("<slug:slug>/", manage.study, name="manage-study"),
    path("<slug:slug>/edit/", manage.edit, name="manage-study-edit"),
    path("<slug:slug>/delete/", manage_delete.delete, name="manage-study-delete"),
    path("<slug:slug>/clone/", manage.clone, name="manage-study-clone"),
    path("<slug:slug>/preview/", manage.preview, name="manage-study-preview"),
    path("<slug:slug>/dates/", manage.dates, name="manage-study-dates"),
    path("<slug:slug>/invitations/", manage_people.invitations, name="manage-study-invitations"),
    path("<slug:slug>/invitations/send/", manage_people.send, name="manage-study-send"),
    path("<slug:slug>/invitations/links.csv", manage_people.links, name="manage-study-links"),
    path("<slug:slug>/invitations/<uuid:pk>/", manage_people.invitation, name="manage-study-invitation"),
    path("<slug:slug>/remind/", manage_people.remind_stuck, name="manage-study-remind"),
    path("<slug:slug>/participants/<str:code>/", manage_people.participant, name="manage-study-participant"),
    path("<slug:slug>/evidence/", manage_outcome.evidence, name="manage-study-evidence"),
    path("<slug:slug>/results/", manage_outcome.results, name="manage-study-results"),
    path("<slug:slug>/results/<int:number>/publish/", human_row.publish, name="manage-study-publish"),
    path("<slug:slug>/results/unpublish/", human_row.unpublish, name="manage-study-unpublish"),
    path("<slug:slug>/export/", manage_outcome.export, name="manage-study-export"),
]
