"""URL patterns of what leads to the site from elsewhere."""

from django.contrib.sitemaps import views as sitemap_views
from django.urls import path

from leaderboard.discovery import views
from leaderboard.discovery.sitemaps import SECTIONS

sitemaps = {"sitemaps": SECTIONS}

urlpatterns = [
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("sitemap.xml", sitemap_views.index, sitemaps | {"sitemap_url_name": "sitemap-section"}, name="sitemap"),
    path("sitemap-<slug:section>.xml", sitemap_views.sitemap, sitemaps, name="sitemap-section"),
    path("<slug:benchmark>/<slug:split>/<slug:setting>/badges/<slug:system>.svg", views.badge, name="board-badge"),
]
