"""Generated files are current, types are sound, examples run."""
import doctest
import importlib
import inspect
import os
import subprocess
import sys

import pytest
from conftest import ROOT

import copse
from copse import _errors, _estimators


def test_generated_files_are_current(program):
    path = os.environ.get("COPSE_PROGRAM", os.path.join(ROOT, "build", "copse"))
    done = subprocess.run([sys.executable, os.path.join(ROOT, "python", "generate"), "--check", path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_method_has_its_classes():
    have = {(cls._method, cls._task) for cls in map(_estimators.__dict__.get, _estimators.__all__)}
    for method in copse.methods():
        for task in (1, 2):
            assert bool(method["tasks"] & task) == ((method["name"], task) in have), method["name"]


def test_renamed_options_are_renamed_alike():
    source = open(os.path.join(ROOT, "python", "generate"), encoding="utf-8").read()
    line = next(line for line in source.split("\n") if line.startswith("RENAMED = "))
    assert eval(line.split("=", 1)[1]) == _errors.RENAMED


@pytest.mark.parametrize("command", [["mypy", "--strict", "-p", "copse"], ["pyright", "--verifytypes", "copse",
                                                                           "--ignoreexternal"]])
def test_types(command, tmp_path):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


MODULES = ["copse", "copse._table", "copse._distribution", "copse._model", "copse._base", "copse._estimators", "copse.river", "copse.study",
           "copse.optuna"]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_examples(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_every_public_name_has_a_docstring():
    for name in [*copse.__all__, *_estimators.__all__]:
        thing = getattr(copse, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("copse"):
            for part, value in vars(thing).items():
                if not part.startswith("_") and callable(value):
                    assert inspect.getdoc(value), f"{name}.{part}"
