"""What holds for every template and style sheet: the content security policy, the house rules, self-reliance."""

import hashlib
import re
from pathlib import Path

import pytest
from django import forms
from django.conf import settings
from django.template import engines
from django.template.loader import get_template, render_to_string

from scoring.benchmarks import definitions

ROOT = Path(settings.BASE_DIR)
GALLERY = ROOT / "tests" / "gallery"


def files(pattern: str, *directories: Path) -> dict[str, Path]:
    """The files that match the pattern below the directories, by their names there."""
    found = {path.relative_to(place).as_posix(): path for place in directories for path in place.glob(pattern)}
    return dict(sorted(found.items()))


TEMPLATES = files("**/*.html", ROOT / "templates", GALLERY / "templates")
STYLES = files("css/*.css", ROOT / "static", GALLERY / "static")
SCRIPTS = files("js/*.js", ROOT / "static")
TAG = re.compile(r"<[a-z][^<>]*?(?:\{%.*?%\}|\{\{.*?\}\}|[^<>{])*?>", re.DOTALL)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_keeps_to_the_content_security_policy(name: str) -> None:
    text = TEMPLATES[name].read_text()
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:|hx-on", text)
    for script in re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL):
        assert not script.strip()
    text = re.sub(r'<link rel="(canonical|alternate)"[^>]*>', "", text)  # nothing is loaded from there
    for source in re.findall(r"""<(?:script|link|img|source|iframe)\b[^>]*?\b(?:src|href)="([^"]*)""", text):
        assert source.startswith(("{% static", "{% get_static_prefix", "{% ")), source


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_works_without_scripts(name: str) -> None:
    text = TEMPLATES[name].read_text()
    for tag in TAG.findall(text):
        if tag.startswith("<a ") and "hx-get" in tag:
            assert "href=" in tag, tag
        if tag.startswith("<form"):
            assert "action=" in tag, tag
            assert "method=" in tag, tag
    posts = len(re.findall(r"""method="post\"""", text))
    assert text.count("{% csrf_token %}") == posts


@pytest.mark.parametrize("name", [name for name in TEMPLATES if name.startswith("components/") or "/_" in name])
def test_a_component_names_its_inputs(name: str) -> None:
    first = TEMPLATES[name].read_text().splitlines()[0]
    assert re.fullmatch(r"\{# .*(Inputs|Context|No inputs).* #\}", first)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_names_no_benchmark_and_compiles(name: str) -> None:
    text = TEMPLATES[name].read_text()
    assert not [one.name for one in definitions().values() if one.name.casefold() in text.casefold()]
    engines["django"].from_string(text)


@pytest.mark.parametrize("name", [*STYLES, *SCRIPTS])
def test_styles_and_scripts_ask_nobody_else(name: str) -> None:
    text = {**STYLES, **SCRIPTS}[name].read_text()
    assert not re.search(r"https?://|//[a-z0-9-]+\.[a-z]|@import|data:", text)


@pytest.mark.parametrize("name", STYLES)
def test_every_property_that_a_style_uses_is_defined(name: str) -> None:
    sheets = "".join(sheet.read_text() for sheet in STYLES.values())
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", sheets))
    used = set(re.findall(r"var\((--[a-z0-9-]+)", STYLES[name].read_text()))
    assert used <= defined


def test_every_icon_that_a_template_asks_for_is_drawn() -> None:
    drawn = set(re.findall(r'<symbol id="([a-z-]+)"', (ROOT / "static/img/icons.svg").read_text()))
    asked = set()
    for name in TEMPLATES:
        asked |= set(re.findall(r'\b(?:icon|icon\.html" with name)="([a-z-]+)"', TEMPLATES[name].read_text()))
    assert asked
    assert asked <= drawn


@pytest.mark.parametrize("name", ["400.html", "404.html", "413.html", "500.html"])
def test_an_error_page_needs_no_request_and_no_context(name: str) -> None:
    page = get_template(name).render()
    assert "<h1>" in page
    assert "Manyhop" in page or name == "500.html"


def test_the_failure_page_looks_nothing_up() -> None:
    text = TEMPLATES["500.html"].read_text()
    assert "{% static" not in text
    assert "{% url" not in text
    assert "{{" not in text


def test_htmx_is_the_version_that_its_note_names() -> None:
    digest = hashlib.sha256((ROOT / "static/vendor/htmx/htmx.min.js").read_bytes()).hexdigest()
    assert digest in (ROOT / "static/vendor/htmx/README.md").read_text()


def test_a_field_takes_a_paste_that_is_too_long_and_says_so() -> None:
    """With ``maxlength``, browsers cut what is pasted without a word."""

    class Form(forms.Form):
        reason = forms.CharField(max_length=3)
        text = forms.CharField(max_length=3, widget=forms.Textarea)

    form = Form({"reason": "long", "text": "long"})
    for field in form:
        shown = render_to_string("components/field.html", {"field": field})
        assert "maxlength" not in shown
        assert "errorlist" in shown
