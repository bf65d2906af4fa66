"""The addresses of studies: what volunteers see. Those of maintainers stand in `maintenance_urls`."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
