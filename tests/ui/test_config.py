"""The settings of the server: a slip in the file would silently bring Streamlit's own back."""

import os
import subprocess
import sys
import tomllib

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.folders import ROOT
from dpviz.results.user_data import MOST_BYTES


def test_the_settings_are_read_and_agree_with_the_figures_and_the_limits():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for theme in (LIGHT, DARK):
        colors = settings["theme"][theme.name]
        assert colors["backgroundColor"] == theme.background
        assert colors["textColor"] == theme.text
    assert settings["server"]["maxUploadSize"] * 2**20 == MOST_BYTES
    assert "address" not in settings["server"]  # which services that run apps set
    assert settings["browser"]["serverAddress"]  # else a start asks strangers for the machine's
    assert settings["client"]["showSidebarNavigation"] is False
    assert settings["server"]["fileWatcherType"] == "none"
    assert settings["global"]["maxCachedMessageAge"] > 2  # Streamlit's own, under which pages ended


def test_services_install_what_the_lock_file_has():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line[:1] != "#"] == ["-r requirements.lock"]


def test_every_library_of_linear_algebra_has_one_thread():
    """Also the second one, of scipy, which is not loaded when the server is prepared."""
    code = (
        "from dpviz.ui.server import prepare; prepare(); import scipy.linalg, threadpoolctl; "
        "print({i['num_threads'] for i in threadpoolctl.threadpool_info() "
        "if i['user_api'] == 'blas'})"
    )
    fresh = {name: os.environ[name] for name in os.environ if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, env=fresh, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "{1}"
