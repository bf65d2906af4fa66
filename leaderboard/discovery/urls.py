"""URL patterns of what leads to the site from elsewhere."""

from django.contrib.sitemaps import views as sitemap_views
from django.urls import path

from leaderboard.discovery import feeds, views
from leaderboard.discovery.sitemaps import SECTIONS

BOARD = "<slug:benchmark>/<slug:split>/<slug:setting>/"
sitemaps = {"sitemaps": SECTIONS}

urlpatterns = [
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("preview.png", views.site_preview, name="site-preview"),
    path("sitemap.xml", sitemap_views.index, sitemaps | {"sitemap_url_name": "sitemap-section"}, name="sitemap"),
    path("sitemap-<slug:section>.xml", sitemap_views.sitemap, sitemaps, name="sitemap-section"),
    path("systems/<slug:slug>/preview.png", views.system_preview, name="system-preview"),
    path("<slug:benchmark>/feed/", feeds.BenchmarkFeed(), name="benchmark-feed"),
    path(
        "<slug:benchmark>/<slug:split>/questions/<path:qid>/preview.png",
        views.question_preview,
        name="question-preview",
    ),
    path(f"{BOARD}feed/", feeds.BoardFeed(), name="board-feed"),
    path(f"{BOARD}preview.png", views.board_preview, name="board-preview"),
    path(f"{BOARD}badges/<slug:system>.svg", views.badge, name="board-badge"),
    path(f"{BOARD}embed/", views.embed, name="board-embed"),
]
