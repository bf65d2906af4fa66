"""The ids in the links of people whom a platform recruits: Prolific's and Mechanical Turk's.

An id in an address is no secret, so it never lets anybody continue as somebody: the cookie or the own link does. The
ids as they are stand in one column of the participant, which only the list of approvals reads; everything else has the
pseudonym.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.utils.encoding import force_bytes
from django.utils.translation import gettext

from humaneval.models import Participant, Platform, Study
from humaneval.models.platforms import MTURK_PREVIEW, PARAMETERS

PURPOSE: Final = b"manyhop platform pseudonyms 1"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class PlatformLinkError(ValueError):
    """A link without the ids that the study needs; the message is for the person who opened it, and has no id."""


@dataclass(frozen=True)
class PlatformIds:
    """The ids of a person and of their submission, as the platform's link gives them."""

    platform: Platform
    person: str
    submission: str

    @property
    def is_preview(self) -> bool:
        """Whether the person has not accepted the task yet, and only looks at it."""
        return self.platform == Platform.MTURK and self.submission == MTURK_PREVIEW

    @property
    def hidden_fields(self) -> dict[str, str]:
        """What the form of the link's page sends, by the names in the platform's links."""
        names = PARAMETERS[self.platform]
        return {names.person: self.person, names.submission: self.submission}

    @property
    def stored(self) -> str:
        """Both ids, as the participant's row has them."""
        return f"{self.person} {self.submission}"

    def key_in(self, study: Study) -> str:
        """The pseudonym of the person, another one in each study: an HMAC-SHA256 with the site's key."""
        key = hmac.digest(force_bytes(settings.SECRET_KEY), PURPOSE, "sha256")
        return hmac.digest(key, f"{study.pk}:{self.platform}:{self.person}".encode(), "sha256").hex()

    def participant_in(self, study: Study) -> Participant | None:
        """The participant of a study who came with the person's id."""
        return Participant.objects.filter(study=study, platform_key=self.key_in(study)).first()


def ids_in(study: Study, given: Mapping[str, str]) -> PlatformIds:
    """The ids in the parameters of a shared link, or in the form of its page, of a study on a platform.

    Raises:
        PlatformLinkError: one is missing or malformed.
    """
    platform = Platform(study.platform)
    names = PARAMETERS[platform]
    person, submission = given.get(names.person, ""), given.get(names.submission, "")
    if submission == MTURK_PREVIEW and platform == Platform.MTURK:
        return PlatformIds(platform, "", submission)
    if not all(_ID.fullmatch(value) for value in (person, submission, given.get(names.study) or "0")):
        raise PlatformLinkError(
            gettext(
                "This study is open to people who come from %(platform)s, and the link has no valid ID from there. "
                "Open the study again from its page on %(platform)s. If this page comes back, write to the "
                "researchers there."
            )
            % {"platform": platform.label}
        )
    return PlatformIds(platform, person, submission)
