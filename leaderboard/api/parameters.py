"""Parameters that several API endpoints take, as the schema describes them."""

from drf_spectacular.utils import OpenApiParameter

from leaderboard.api.paging import MAX_PAGE_SIZE, PAGE_SIZE

PAGING = [
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE},
        description="Number of rows per page.",
    ),
    OpenApiParameter(
        "cursor",
        str,
        description="The page to fetch. Copy the cursor unchanged from the Link header of another page.",
    ),
]
