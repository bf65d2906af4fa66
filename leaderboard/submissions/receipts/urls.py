"""URL patterns of receipts, below ``/receipts/``."""

from django.urls import path

from leaderboard.submissions.receipts import views

urlpatterns = [
    path("verify/", views.verify, name="receipt-verify"),
    path("keys/", views.keys, name="receipt-keys"),
    path("<uuid:pk>/", views.receipt, name="receipt"),
    path("<uuid:pk>/receipt.json", views.document, name="receipt-document"),
]
