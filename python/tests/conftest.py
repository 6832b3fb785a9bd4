"""Data and helpers of all tests."""
import os
import subprocess

import numpy as np
import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


@pytest.fixture
def rng():
    return np.random.default_rng(12345)


@pytest.fixture
def numbers(rng):
    """A regression: 120 rows, 4 columns."""
    X = rng.uniform(size=(120, 4))
    return X, X[:, 0] * 3 + np.sin(5 * X[:, 1]) + rng.normal(0, 0.1, 120)


@pytest.fixture
def labels(rng):
    """A classification: 120 rows, 4 columns, three classes."""
    X = rng.uniform(size=(120, 4))
    return X, (X[:, 0] * 3).astype(int)


@pytest.fixture(scope="session")
def program():
    """The command line, where it has been built."""
    path = os.environ.get("COPSE_PROGRAM", os.path.join(ROOT, "build", "copse"))
    if not os.access(path, os.X_OK):
        pytest.skip("the command line is not built")

    def run(*args):
        done = subprocess.run([path, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
