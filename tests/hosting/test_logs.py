"""Of what readers ask for, the logs of the proxy and of the app hold nothing."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from dpviz.results.folders import ROOT
from tests.hosting.site import _wait_for
from tests.support.ports import own_ports

SECRET = "7315824"
ASKED = (
    f"/figure/bounded_noise/noise?seed={SECRET}",
    f"/picture/bounded_noise/noise.svg?seed={SECRET}",
    f"/bounded_noise?view=noise&seed={SECRET}",
    f"/room/{SECRET}",
    f"/figure/no_such_page/{SECRET}",
    f"/answers/{SECRET}",
)


def proxy(port, static):
    environment = {
        "DPVIZ_SITE": f":{port}",
        "DPVIZ_BIND": "127.0.0.1",
        "DPVIZ_STATIC": str(static),
        "DPVIZ_COOKIE_KEY": "key",
        "DPVIZ_UPSTREAMS": f"127.0.0.1:{port + 1}",  # where nothing listens
    }
    config = str(ROOT / "hosting" / "Caddyfile")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", config], environment


def app(port, _):
    options = ["--server.headless=true", "--server.address=127.0.0.1", f"--server.port={port}"]
    return [sys.executable, "-m", "streamlit", "run", "app.py", *options], {}


@pytest.mark.parametrize(
    ("begun", "asked", "said"),
    [(proxy, ASKED[:1], "http.log.error"), (app, ASKED, "")],
    ids=["a proxy without replicas", "the app"],
)
def test_no_log_holds_what_was_asked_for(begun, asked, said, tmp_path):
    port = own_ports(2)
    command, environment = begun(port, tmp_path)
    log = tmp_path / "log"
    with log.open("wb") as into:
        process = subprocess.Popen(
            command, cwd=ROOT, env=dict(os.environ) | environment, stdout=into, stderr=into
        )
        try:
            if begun is app:
                _wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            for path in asked:
                answered = False
                while not answered:
                    answered = _asked(f"http://127.0.0.1:{port}{path}", process)
            # the proxy writes it after the answer is sent
            while said not in log.read_text(encoding="utf-8"):
                assert process.poll() is None
                time.sleep(0.05)
        finally:
            process.terminate()
            process.wait(timeout=600)
    text = log.read_text(encoding="utf-8")
    assert "health_checker" not in text  # each second, while replicas begin
    assert SECRET not in text


def _asked(address, process):
    assert process.poll() is None
    with contextlib.suppress(ConnectionError):
        try:
            with urllib.request.urlopen(address) as answer:
                answer.read()
        except urllib.error.HTTPError:
            return True
        except urllib.error.URLError:
            return False  # it does not listen yet
        return True
    return False
