"""Pages in a real browser: Debian's Chromium, without a screen, driven by selenium."""

import json
import shutil
import tempfile
import time

import pytest

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1400,1000",
)  # fmt: skip


def chromium():
    """A browser; where none can be had the test is skipped."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pages are not driven")
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        pytest.skip("no chromium and chromedriver on this machine: pages are not driven (apt install chromium-driver)")
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tempfile.mkdtemp()}")
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))


class Opened:
    """A page from disk, and what it said and asked for while it was opened."""

    def __init__(self, browser, path):
        self.browser = browser
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(path.resolve().as_uri())
        for _ in range(300):
            if self.js("return document.documentElement.dataset.ready") == "yes":
                break
            time.sleep(0.1)
        self.js("window.scrollTo(0, 0)")

    def js(self, script, *arguments):
        """What a script returns."""
        return self.browser.execute_script(script, *arguments)

    def painted(self, script, *arguments):
        """The same, when the page has been painted again."""
        then = "window.done = false; requestAnimationFrame(() => setTimeout(() => { window.done = true; }))"
        self.js(f"{script}; {then}", *arguments)
        while not self.js("return window.done"):
            time.sleep(0.02)

    def complaints(self):
        """What the browser's console says."""
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requests(self):
        """The addresses that the page asked for, beside its own."""
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = [
            event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith(("data:", "blob:")) and not url.endswith(".html")]
