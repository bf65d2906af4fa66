"""Where things of the API are."""

from operator import attrgetter
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse


@extend_schema_field(OpenApiTypes.URI)
class AddressField(serializers.Field[Any, Any, str, Any]):
    """The whole address of what an object is about.

    Args:
        view: the address's name.
        attributes: of the object, for the address's parameters; with dots for attributes of attributes.
    """

    def __init__(self, view: str, *attributes: str, **options: Any) -> None:
        super().__init__(source="*", read_only=True, **options)
        self._view = view
        self._read = [attrgetter(attribute) for attribute in attributes]

    def to_representation(self, value: Any) -> str:
        """The address, with scheme and host."""
        arguments = [read(value) for read in self._read]
        return str(reverse(self._view, args=arguments, request=self.context["request"]))
