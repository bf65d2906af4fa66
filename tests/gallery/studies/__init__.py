"""Sample data for the gallery of studies and grading: above all what nobody meets every day, such as nothing at all,
an error, or a text that is far too long. Everything else is seen in the journeys that the tests make."""

from tests.gallery.site import SamplePage
from tests.gallery.studies import grading, studies, volunteers


def pages() -> dict[str, SamplePage]:
    """Every sample page by its name."""
    return {**volunteers.pages(), **studies.pages(), **grading.pages()}


__all__ = ["SamplePage", "pages"]
