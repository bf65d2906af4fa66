"""URLs of objects in the API."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import get_attribute
from rest_framework.reverse import reverse


@extend_schema_field(OpenApiTypes.URI)
class AddressField(serializers.Field[Any, Any, str, Any]):
    """The absolute URL of an object.

    Args:
        view: the name of the URL pattern.
        attributes: the object's attributes that fill the URL's parameters; dots separate nested attributes.
    """

    def __init__(self, view: str, *attributes: str, **options: Any) -> None:
        super().__init__(source="*", read_only=True, **options)
        self._view = view
        self._paths = [attribute.split(".") for attribute in attributes]

    def to_representation(self, value: Any) -> str:
        arguments = [get_attribute(value, path) for path in self._paths]
        return str(reverse(self._view, args=arguments, request=self.context["request"]))
