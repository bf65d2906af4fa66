"""The addresses under which maintainers keep their studies."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
