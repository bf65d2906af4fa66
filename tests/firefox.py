"""A real Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/): Debian's has no Playwright."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

START_SECONDS = 60.0
REPLY_SECONDS = 60.0
ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://[^\s/]+)")


def find_firefox() -> Path | None:
    """Firefox, if it is installed."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    return Path(found) if found else None


class FirefoxError(Exception):
    """Firefox did not start, or refused a command; the message says which."""


class Firefox:
    """One Firefox with one page: ``with Firefox((1280, 900)) as page: page.open(url)``."""

    def __init__(self, size: tuple[int, int], *, javascript: bool = True) -> None:
        self._size = size
        self._javascript = javascript
        self._number = 0

    def __enter__(self) -> Self:
        program = find_firefox()
        if program is None:
            raise FirefoxError("Firefox is not installed.")
        self._profile = Path(tempfile.mkdtemp(prefix="manyhop-firefox-"))
        settings = {
            "javascript.enabled": self._javascript,
            "network.proxy.type": 1,  # a proxy that nobody runs: no host but this machine's is reached
            "network.proxy.http": "127.0.0.1",
            "network.proxy.http_port": 9,
            "network.proxy.ssl": "127.0.0.1",
            "network.proxy.ssl_port": 9,
            "network.proxy.no_proxies_on": "127.0.0.1, localhost",
            "ui.prefersReducedMotion": 1,
            "remote.active-protocols": 1,
        }
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items())
        (self._profile / "user.js").write_text("\n".join(lines))
        self._log = self._profile / "log.txt"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", self._profile, "--remote-debugging-port", "0"],
                stdout=log,
                stderr=log,
                env={"HOME": str(self._profile), "PATH": "/usr/bin:/bin", "MOZ_HEADLESS_WIDTH": "1400"},
            )
        try:
            self._socket = self._connected()
            self._do("session.new", capabilities={})
            # Not the first tab: there the address bar has the focus, and no key activates a button of the page.
            self._context = self._do("browsingContext.create", type="tab")["context"]
            width, height = self._size
            self._do("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._end()

    def open(self, url: str) -> None:
        """Load a page, with its pictures and frames."""
        self._do("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def give_cookie(self, name: str, value: str, host: str) -> None:
        """Set a cookie."""
        cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": host, "path": "/"}
        self._do("storage.setCookie", cookie=cookie)

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, by JSON. Works without scripts of the page, too."""
        result = self._do(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._context, "sandbox": "test"},
            awaitPromise=True,
        )
        if result["type"] != "success":
            raise FirefoxError(f"{expression}: {result['exceptionDetails']['text']}")
        return json.loads(result["result"].get("value", "null"))

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + REPLY_SECONDS
        while not self.value(f"Boolean({expression})"):
            if time.monotonic() > deadline:
                raise FirefoxError(f"Still not true: {expression}")
            time.sleep(0.05)

    def press(self, keys: str) -> None:
        """Press and release keys one after the other; https://www.w3.org/TR/webdriver2/#keyboard-actions has those
        without a character."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._do(
            "input.performActions", context=self._context, actions=[{"type": "key", "id": "k", "actions": actions}]
        )

    def tap(self, x: float, y: float, *, pointer: str = "touch") -> None:
        """Tap a place of the viewport with a finger, or click it with a mouse."""
        steps: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        steps += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}, "actions": steps}
        self._do("input.performActions", context=self._context, actions=[source])

    def picture(self) -> bytes:
        """A picture of what is in view, as PNG."""
        return base64.b64decode(self._do("browsingContext.captureScreenshot", context=self._context)["data"])

    def _connected(self) -> "ClientConnection":
        from websockets.sync.client import connect  # the runner imports this module before anything is installed

        deadline = time.monotonic() + START_SECONDS
        while not (address := ADDRESS.search(self._log.read_text(errors="replace"))):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise FirefoxError(f"Firefox did not start: {self._log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)
        return connect(f"{address[1]}/session", max_size=None, origin=None)

    def _do(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            reply = json.loads(self._socket.recv(timeout=REPLY_SECONDS))
            if reply.get("id") == self._number:  # the rest are events
                break
        if reply["type"] == "error":
            raise FirefoxError(f"{method}: {reply['error']}: {reply['message']}")
        return reply["result"]

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)
