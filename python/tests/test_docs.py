"""What the documents say works at the first attempt: their code, and the notebook."""
import os
import re
import subprocess
import sys

import matplotlib
import pytest
from conftest import ROOT

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", ["python.md", "python-coming-from.md"])
def test_code_of_the_documents(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    assert len(blocks) >= 4
    names = {}
    for i, code in enumerate(blocks):
        exec(compile(code, f"{page}, block {i + 1}", "exec"), names)
    pyplot.close("all")


@pytest.mark.filterwarnings("ignore")
def test_tour(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(os.path.join(ROOT, "docs", "tour.ipynb"), 4)
    pictures = [o for cell in notebook.cells for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]
    assert len(pictures) >= 4, "the notebook is kept with its pictures"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    assert len([o for cell in notebook.cells for o in cell.get("outputs", []) if "image/png" in o.get("data", {})]) == len(pictures)


def test_reference_is_current():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "python", "reference"), "--check"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
