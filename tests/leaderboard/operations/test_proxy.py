"""The documented proxies in front of a site, at the root of a host and under a path of one."""

import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener

import httpx
import pytest
import yaml

from leaderboard.accounts import tokens
from leaderboard.models import Submission
from tests import boards, factories
from tests.paths import ROOT
from tests.processes import Site
from tests.services import PROGRAMS, Process, accepts_connections, find_program, free_port
from tests.volunteers import csrf_token

if TYPE_CHECKING:
    from tests.browser import PageFactory

SECONDS: Final = 300
"""How long a sender may have to wait for others before a deadline."""
PATH: Final = "/manyhop"
DOCUMENTED = re.findall(r"^```nginx\n(.*?)^```", (ROOT / "docs" / "deploy.md").read_text(), re.MULTILINE | re.DOTALL)
"""The file for a site at the root of its host, and its two lines that differ under a path."""


def test_both_proxies_wait_long_enough_for_uploads() -> None:
    manifests = list(yaml.safe_load_all((ROOT / "docker" / "kubernetes" / "web.yaml").read_text()))
    [ingress] = [manifest for manifest in manifests if manifest["kind"] == "Ingress"]
    for name in ("proxy_read_timeout", "proxy_send_timeout"):
        assert int(re.findall(rf"{name} (\d+)s;", DOCUMENTED[0])[0]) == SECONDS
        key = f"nginx.ingress.kubernetes.io/{name.replace('_', '-')}"
        assert int(ingress["metadata"]["annotations"][key]) == SECONDS


@pytest.fixture
def path() -> str:
    """The site's own on its host; tests of both are parametrized by it."""
    return PATH


@pytest.fixture(scope="module")
def port() -> int:
    """Another one than 443; the same for all tests, so that they share a web server."""
    return free_port()


@pytest.fixture
def address(port: int, path: str) -> str:
    """The site's address."""
    return f"https://127.0.0.1:{port}{path}"


@pytest.fixture
def process_options(address: str) -> dict[str, str]:
    return {"SECURE_SSL": "1", "BEHIND_PROXY": "1", "SITE_URL": address}


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Its own authority; the key is beside it."""
    made = [*("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1")]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(tmp_path / "manyhop.key")]
    subprocess.run([*made, "-out", str(tmp_path / "manyhop.pem")], check=True, capture_output=True)
    return tmp_path / "manyhop.pem"


@pytest.fixture
def nginx(live_site: Site, port: int, path: str, certificate: Path, tmp_path: Path) -> Iterator[None]:
    """The documented file, with the address of this site, in front of it."""
    text = DOCUMENTED[0]
    if path:
        text = re.sub(r"^ +location / \{\n.*\n", DOCUMENTED[1], text, flags=re.MULTILINE)
    for documented, here in {
        "/etc/ssl": str(tmp_path),
        "/var/log/nginx": str(tmp_path),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "listen 80": f"listen 127.0.0.1:{free_port()}",
        "http://127.0.0.1:8000": live_site.url,
    }.items():
        assert documented in text
        text = text.replace(documented, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{name}_temp_path {tmp_path}/{name};\n" for name in kinds)
    file = tmp_path / "nginx.conf"
    file.write_text(f"daemon off; pid {tmp_path}/pid; events {{}}\nhttp {{\n{folders}{text}}}\n")
    program = find_program(PROGRAMS["nginx"])
    command = [str(program), "-c", str(file), "-e", str(tmp_path / "error"), "-p", str(tmp_path)]
    process = Process("nginx", command, tmp_path / "nginx.log", directory=tmp_path).start()
    try:
        process.wait_until(lambda: accepts_connections(port))
        yield
    finally:
        process.stop()


@dataclass
class Answer:
    status: int
    url: str
    text: str


class Browser:
    """Cookies and redirects as a browser has them, without scripts."""

    def __init__(self, certificate: Path) -> None:
        context = ssl.create_default_context(cafile=certificate)
        self._open = build_opener(HTTPCookieProcessor(CookieJar()), HTTPSHandler(context=context)).open

    def ask(self, url: str, form: dict[str, str] | None = None, page: str = "") -> Answer:
        headers = {"Origin": urljoin(page, "/")[:-1], "Referer": page} if form else {}
        try:
            response = self._open(Request(url, urlencode(form).encode() if form else None, headers))
        except HTTPError as error:
            response = error
        with response:
            return Answer(response.status, response.url, response.read().decode(errors="replace"))


@pytest.fixture
def browser(certificate: Path) -> Browser:
    return Browser(certificate)


@pytest.mark.slow
@pytest.mark.nginx
@pytest.mark.usefixtures("nginx")
class TestBehindNginx:
    @pytest.mark.parametrize("path", ["", PATH])
    def test_a_form_is_taken_at_any_port(self, address: str, browser: Browser) -> None:
        factories.user("ada")
        page = f"{address}/accounts/sign-in/"
        token = csrf_token(browser.ask(page).text.encode())
        form = {"csrfmiddlewaretoken": token, "username": "ada", "password": factories.PASSWORD}
        signed_in = browser.ask(page, form, page)
        assert (signed_in.status, signed_in.url) == (200, f"{address}/submissions/")

    def test_pages_find_their_styles_scripts_and_fonts_under_the_path(self, address: str, browser: Browser) -> None:
        factories.benchmark()
        home = browser.ask(address)
        assert (home.status, home.url) == (200, f"{address}/"), "nginx adds the slash"
        waiting = [
            urljoin(home.url, found) for found in re.findall(r'(?:src|href)="([^"]+\.(?:js|css|svg))', home.text)
        ]
        known: set[str] = set()
        while waiting:
            file = waiting.pop()
            if file in known:
                continue
            known.add(file)
            assert file.startswith(f"{address}/static/")
            found = browser.ask(file)
            assert found.status == 200, file
            if file.endswith((".css", ".js")):
                used = re.findall(r'url\("?([^")]+)|(?:import|from) *"(\.[^"]+)"', found.text)
                waiting += [urljoin(file, name) for names in used for name in names if name and "data:" not in name]
        assert {file.rpartition(".")[2] for file in known} == {"css", "js", "svg", "woff2"}

    def test_the_client_and_the_schema_know_the_path(self, address: str, certificate: Path, tmp_path: Path) -> None:
        made = factories.benchmark()
        boards.fill(factories.split(made, "dev"), factories.setting(made), 3)
        _, secret = tokens.create_token(user=factories.user("ada"), name="laptop")
        file = tmp_path / "generations.jsonl"
        file.write_bytes(factories.generations(factories.perfect()))
        environment = {"MANYHOP_SITE": f"{address}/", "MANYHOP_TOKEN": secret, "SSL_CERT_FILE": str(certificate)}

        def run(*command: str) -> "subprocess.CompletedProcess[str]":
            call = [sys.executable, "-m", "manyhop", *command]
            return subprocess.run(call, env=os.environ | environment, check=True, capture_output=True, text=True)

        assert len(json.loads(run("board", "fanoutqa/dev/openbook", "--json").stdout)["rows"]) == 3
        statement = ["--split", "dev", "--name", "Mine", "--authors", "A. Author", "--type", "PROMPT", "--no-wait"]
        sent = run("submit", f"openbook={file}", *statement)
        assert f"Submitted: {address}/submissions/{Submission.objects.get().pk}/ " in sent.stderr
        context = ssl.create_default_context(cafile=certificate)
        schema = httpx.get(f"{address}/api/v1/schema/?format=json", verify=context).json()
        assert schema["servers"] == [{"url": PATH}]
        systems = httpx.get(f"{address}/api/v1/systems/?page_size=1", verify=context)
        assert systems.links["next"]["url"].startswith(f"{address}/api/v1/systems/?")

    def test_a_file_is_sent_by_scripts_under_the_path(
        self, address: str, page_factory: "PageFactory", tmp_path: Path
    ) -> None:
        factories.benchmark()
        factories.user("ada")
        file = tmp_path / "generations.jsonl"
        file.write_bytes(factories.generations(factories.perfect()))
        page = page_factory(ignore_https_errors=True)
        page.goto(f"{address}/submit/?split=dev")
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password", exact=True).fill(factories.PASSWORD)
        page.get_by_label("Password", exact=True).press("Enter")
        page.wait_for_url(f"{address}/submit/?split=dev")
        page.locator("#id_openbook").set_input_files(file)
        page.locator("#id_name").fill("Mine")
        page.locator("#id_authors").fill("A. Author")
        page.locator("#id_type").select_option(index=1)
        page.locator("#submit-button").click()
        page.wait_for_url(f"{address}/submissions/*-*/")
        assert f"{address}/submissions/{Submission.objects.get().pk}/" == page.url
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{address}/")
        assert not [cookie for cookie in page.context.cookies() if not cookie["path"].startswith(f"{PATH}/")]
