"""URLs for maintainers to manage their studies, below ``/maintenance/studies/``."""

from django.urls import path

from humaneval.maintenance import item_views, participant_views, result_views, shown_views, study_views

urlpatterns = [
    path("", study_views.studies, name="manage-studies"),
    path("new/", study_views.new, name="manage-study-new"),
    path("<slug:slug>/", study_views.study, name="manage-study"),
    path("<slug:slug>/edit/", study_views.edit, name="manage-study-edit"),
    path("<slug:slug>/edit/<slug:step>/", study_views.edit, name="manage-study-step"),
    path("<slug:slug>/shown/<slug:page>/", shown_views.shown, name="manage-study-shown"),
    path("<slug:slug>/delete/", study_views.delete, name="manage-study-delete"),
    path("<slug:slug>/clone/", study_views.clone, name="manage-study-clone"),
    path("<slug:slug>/preview/", study_views.preview, name="manage-study-preview"),
    path("<slug:slug>/dates/", study_views.dates, name="manage-study-dates"),
    path("<slug:slug>/invitations/", participant_views.invitations, name="manage-study-invitations"),
    path("<slug:slug>/invitations/send/", participant_views.send, name="manage-study-send"),
    path("<slug:slug>/invitations/links.csv", participant_views.links, name="manage-study-links"),
    path("<slug:slug>/invitations/<uuid:pk>/", participant_views.invitation, name="manage-study-invitation"),
    path("<slug:slug>/approvals.csv", participant_views.approvals, name="manage-study-approvals"),
    path("<slug:slug>/remind/", participant_views.remind_stuck, name="manage-study-remind"),
    path("<slug:slug>/participants/<str:code>/", participant_views.participant, name="manage-study-participant"),
    path("<slug:slug>/items/", item_views.items, name="manage-study-items"),
    path("<slug:slug>/pairs/", item_views.pairs, name="manage-study-pairs"),
    path("<slug:slug>/masks/", item_views.masks, name="manage-study-masks"),
    path("<slug:slug>/checks/", item_views.checks, name="manage-study-checks"),
    path("<slug:slug>/evidence/", result_views.evidence, name="manage-study-evidence"),
    path("<slug:slug>/results/", result_views.results, name="manage-study-results"),
    path("<slug:slug>/results/methods.<slug:extension>", result_views.methods_file, name="manage-study-methods"),
    path("<slug:slug>/results/<int:number>/publish/", result_views.publish, name="manage-study-publish"),
    path("<slug:slug>/results/unpublish/", result_views.unpublish, name="manage-study-unpublish"),
    path("<slug:slug>/export/", result_views.export, name="manage-study-export"),
]
