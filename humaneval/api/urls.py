"""API URLs of studies, below ``/api/v1/studies/``."""

from django.urls import path

from humaneval.api import views

urlpatterns = [
    path("", views.Studies.as_view(), name="api-studies"),
    path("<slug:study>/", views.StudyDetail.as_view(), name="api-study"),
]
