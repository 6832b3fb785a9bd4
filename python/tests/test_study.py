"""Studies of our own and under Optuna."""
import math
import multiprocessing

import numpy as np
import optuna
import pytest

import copse
from copse.optuna import CopseSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)


def bowl(x, y, kind):
    return (x - 0.3) ** 2 + (math.log10(y) - 1) ** 2 + {"a": 0.5, "b": 0.0, "c": 1.0}[kind]


SPACE = {"x": (-1.0, 1.0), "y": (0.1, 1000.0, "log"), "kind": ["a", "b", "c"]}


def test_ask_tell_and_optimize(tmp_path):
    path = tmp_path / "s.study"
    study = copse.Study(SPACE, path=path, random_state=1)
    trial = study.ask()
    assert set(trial.params) == set(SPACE) and trial.state == "asked" and math.isnan(trial.value)
    study.tell(trial, bowl(**trial.params))
    study.tell(study.ask(), None)
    study.add({"x": 0.3, "y": 10.0, "kind": "b"}, 0.0)
    assert study.best.value == 0 and study.best.params == {"x": 0.3, "y": pytest.approx(10.0), "kind": "b"}
    again = copse.Study.open(path)
    assert [t.state for t in again.trials] == ["told", "failed", "told"] and again.minimise
    study.ask()
    again.refresh()
    assert len(again) == 4 and "4 trials" in repr(again)
    best = copse.Study(SPACE, random_state=2).optimize(bowl, 60)
    assert best.value < 0.15
    worst = copse.Study({"x": (0, 10)}, minimise=False, random_state=1).optimize(lambda x: -((x - 7) ** 2), 25)
    assert worst.params == {"x": 7} and isinstance(worst.params["x"], int)


def test_same_seed_same_points():
    one, other = (copse.Study(SPACE, random_state=5) for _ in range(2))
    assert one.optimize(bowl, 20) == other.optimize(bowl, 20)


def test_failures_and_misuse():
    study = copse.Study({"x": (-1.0, 1.0)}, random_state=1)

    def sometimes(x):
        if x < 0:
            raise ZeroDivisionError
        return x

    best = study.optimize(sometimes, 25, catch=ZeroDivisionError)
    assert 0 <= best.value < 0.1
    with pytest.raises(ZeroDivisionError):
        copse.Study({"x": (-1.0, -0.5)}).optimize(sometimes, 1)
    for space in ({"x": (1, 0)}, {"x": 3}, {"x": []}, {"x": (0, 1, "lag")}):
        with pytest.raises(copse.UsageError, match="space"):
            copse.Study(space)
    with pytest.raises(copse.UsageError, match="is none of"):
        copse.Study(SPACE).add({"x": 0, "y": 1, "kind": "z"}, 1)
    with pytest.raises(copse.UsageError, match="give a value"):
        copse.Study(SPACE).add({"x": 0}, 1)
    with pytest.raises(copse.UsageError):
        study.tell(999, 1.0)
    mixed = copse.Study({"x": [1, "1", None, 2.5]}, random_state=0)
    assert {mixed.ask().params["x"] for _ in range(40)} == {1, "1", None, 2.5}


def objective(trial):
    x = trial.suggest_float("x", -1, 1)
    n = trial.suggest_int("n", 1, 100, log=True)
    step = trial.suggest_float("step", 0, 1, step=0.25)
    even = trial.suggest_int("even", 0, 10, step=2)
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    assert isinstance(n, int) and step in (0, 0.25, 0.5, 0.75, 1) and even % 2 == 0
    return (x - 0.5) ** 2 + (math.log(n) - 2) ** 2 + step + abs(even - 4) + (kind != "b")


def test_optuna():
    study = optuna.create_study(sampler=CopseSampler(seed=1))
    study.optimize(objective, n_trials=60)
    assert study.best_params["kind"] == "b" and study.best_value < 1.5
    repeated = optuna.create_study(sampler=CopseSampler(seed=1))
    repeated.optimize(objective, n_trials=20)
    assert [t.params for t in repeated.trials] == [t.params for t in study.trials[:20]]


def test_optuna_threads_failures_pruning_and_conditions():
    def conditional(trial):
        x = trial.suggest_float("x", -1, 1)
        if trial.number % 7 == 3:
            raise ValueError
        trial.report(x * x, 0)
        if trial.number % 7 == 5:
            raise optuna.TrialPruned
        if trial.suggest_categorical("deep", [True, False]):
            return x * x + trial.suggest_float("y", 0, 1)
        return x * x + 0.5

    study = optuna.create_study(sampler=CopseSampler(seed=2))
    study.optimize(conditional, n_trials=50, n_jobs=4, catch=ValueError)
    assert len(study.trials) == 50 and study.best_value < 0.4
    up = optuna.create_study(sampler=CopseSampler(seed=2), direction="maximize")
    up.enqueue_trial({"x": 5.0})
    up.optimize(lambda trial: -trial.suggest_float("x", -10, 10) ** 2, n_trials=30)
    assert up.best_value > -0.5
    both = optuna.create_study(sampler=CopseSampler(), directions=["minimize", "minimize"])
    with pytest.raises(ValueError, match="one objective"):
        both.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 1), n_trials=3)


def work(url):
    study = optuna.load_study(study_name="s", storage=url, sampler=CopseSampler())
    study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.5) ** 2, n_trials=10)


@pytest.mark.filterwarnings("ignore")
def test_optuna_processes(tmp_path):
    url = f"sqlite:///{tmp_path}/o.db"
    optuna.create_study(study_name="s", storage=url)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(work, [url, url])
    study = optuna.load_study(study_name="s", storage=url)
    assert len(study.trials) == 20 and study.best_value < 0.05


def test_every_category_is_found():
    found = []
    for seed in range(10):
        study = optuna.create_study(sampler=CopseSampler(seed=seed))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1)
                       + {"p": 1.0, "q": 0.6, "r": 0.0, "s": 1.2}[trial.suggest_categorical("k", list("pqrs"))], n_trials=40)
        found.append(study.best_params["k"])
    assert found == ["r"] * 10


def test_point_and_params_agree():
    study = copse.Study(SPACE, random_state=3)
    for _ in range(20):
        trial = study.ask()
        np.testing.assert_allclose(study._params(study._point(trial.params))["x"], trial.params["x"])
