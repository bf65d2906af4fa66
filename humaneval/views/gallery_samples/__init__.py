"""Sample data for the gallery of studies and grading: above all what nobody meets every day, such as nothing at all,
an error, or a text that is far too long. Everything else is seen in the journeys that the tests make."""

from humaneval.views.gallery_samples import grading, studies, volunteers
from leaderboard.views.gallery_samples import SamplePage


def pages() -> dict[str, SamplePage]:
    """Every sample page by its name."""
    return {**volunteers.pages(), **studies.pages(), **grading.pages()}


__all__ = ["SamplePage", "pages"]
