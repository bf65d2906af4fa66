"""The maintainers' view of studies."""

from django.contrib import admin

from humaneval.models import Study


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):
    """Studies with human answerers."""

    list_display = ("name", "split", "setting", "owner", "seats", "opens_at", "closes_at")
    list_filter = ("split", "setting", "drawing")
    search_fields = ("name", "slug", "owner__username")
    raw_id_fields = ("owner",)
    prepopulated_fields = {"slug": ("name",)}
