"""The documented proxies in front of a site: forms are taken at any port, and uploads may wait for each other."""

import re
import ssl
import subprocess
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener

import pytest
import yaml
from django.urls import reverse

from tests.paths import ROOT
from tests.processes import Site
from tests.services import PROGRAMS, Process, accepts_connections, find_program, free_port

SECONDS = 300
"""How long a sender may have to wait for others before a deadline."""
DOCUMENTED = re.search(r"^```nginx\n(.*?)^```", (ROOT / "docs" / "deploy.md").read_text(), re.MULTILINE | re.DOTALL)


def test_both_proxies_wait_long_enough_for_uploads() -> None:
    assert DOCUMENTED is not None
    manifests = list(yaml.safe_load_all((ROOT / "docker" / "kubernetes" / "web.yaml").read_text()))
    [ingress] = [manifest for manifest in manifests if manifest["kind"] == "Ingress"]
    for name in ("proxy_read_timeout", "proxy_send_timeout"):
        assert int(re.findall(rf"{name} (\d+)s;", DOCUMENTED[1])[0]) == SECONDS
        key = f"nginx.ingress.kubernetes.io/{name.replace('_', '-')}"
        assert int(ingress["metadata"]["annotations"][key]) == SECONDS


@pytest.fixture
def process_options() -> dict[str, str]:
    return {"SECURE_SSL": "1", "BEHIND_PROXY": "1"}


@pytest.fixture
def address(live_site: Site, tmp_path: Path) -> Iterator[str]:
    """The site behind nginx with the documented file, at another port than 443."""
    assert DOCUMENTED is not None
    certificate = [*("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1")]
    files = ["-keyout", str(tmp_path / "manyhop.key"), "-out", str(tmp_path / "manyhop.pem")]
    subprocess.run([*certificate, *files], check=True, capture_output=True)
    port, plain = free_port(), free_port()
    text = DOCUMENTED[1].replace("/etc/ssl", str(tmp_path)).replace("/var/log/nginx", str(tmp_path))
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace(
        "listen 80", f"listen 127.0.0.1:{plain}"
    )
    text = text.replace("http://127.0.0.1:8000", live_site.url)
    folders = "".join(
        f"{name}_temp_path {tmp_path}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = tmp_path / "nginx.conf"
    file.write_text(f"daemon off; pid {tmp_path}/pid; events {{}}\nhttp {{\n{folders}{text}}}\n")
    nginx = find_program(PROGRAMS["nginx"])
    command = [str(nginx), "-c", str(file), "-e", str(tmp_path / "error"), "-p", str(tmp_path)]
    process = Process("nginx", command, tmp_path / "nginx.log", directory=tmp_path).start()
    try:
        process.wait_until(lambda: accepts_connections(port))
        yield f"https://127.0.0.1:{port}"
    finally:
        process.stop()


@pytest.mark.slow
@pytest.mark.nginx
def test_a_form_is_taken_at_any_port(address: str) -> None:
    open_ = build_opener(
        HTTPCookieProcessor(CookieJar()),
        HTTPSHandler(context=ssl._create_unverified_context()),
    ).open
    page = address + reverse("sign-in")
    with open_(page) as response:
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', response.read().decode())[0]
    form = urlencode({"csrfmiddlewaretoken": token, "login": "nobody", "password": "wrong"}).encode()
    try:
        with open_(Request(page, form, {"Origin": address, "Referer": page})) as response:
            status = response.status
    except HTTPError as error:
        status = error.code
    assert status != 403
