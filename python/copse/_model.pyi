import os
from typing import Any, Literal, Self

from numpy.typing import ArrayLike, NDArray

from ._distribution import Distribution, Floats, ProbaDistribution, RandomState
from ._base import Rows

Path = str | os.PathLike[str]

class Model:
    method: str
    options: dict[str, str]
    task: Literal["class", "regress"]
    target: str
    feature_names: list[str]
    has_draws: bool
    has_prob_draws: bool
    n_draws: int
    n_trees: int
    samples: bool
    classes_: NDArray[Any] | None
    @property
    def n_rows(self) -> int: ...
    @property
    def can_learn(self) -> bool: ...
    def update(self, X: Rows, y: ArrayLike, *, n_jobs: int | None = ..., verbose: int = ...) -> Self: ...
    def predict(self, X: Rows, *, n_jobs: int | None = ...) -> NDArray[Any]: ...
    def predict_proba(self, X: Rows, *, n_jobs: int | None = ...) -> Floats: ...
    def predict_quantiles(self, X: Rows, q: ArrayLike, *, n_jobs: int | None = ...) -> Floats: ...
    def predict_dist(
        self, X: Rows, *, of_mean: bool = ..., n_jobs: int | None = ...
    ) -> Distribution | ProbaDistribution: ...
    def figures(self) -> dict[str, float]: ...
    def diagnose(self) -> dict[str, Any]: ...
    def traces(self) -> dict[str, Floats]: ...
    def importances(self, *, n_jobs: int | None = ...) -> tuple[Floats, Floats]: ...
    def permutation_importance(
        self,
        X: Rows,
        y: ArrayLike,
        *,
        n_repeats: int = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> tuple[float, Floats, Floats]: ...
    def feature_index(self, feature: str | int) -> int: ...
    def effect(
        self,
        X: Rows,
        feature: str | int,
        *,
        points: int = ...,
        rows: int = ...,
        level: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> dict[str, Any]: ...
    def score_all(
        self,
        X: Rows,
        y: ArrayLike,
        *,
        interval: float = ...,
        sample_weight: ArrayLike | None = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def tree(self, i: int, format: Literal["json", "dot", "text"] = ...) -> str: ...
    def to_bytes(self, *, frozen: bool = ...) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: bytes, classes: NDArray[Any] | None = ...) -> Self: ...
    def save(self, path: Path, *, frozen: bool = ...) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Self: ...
    def copy(self) -> Model: ...
    def digest(self) -> str: ...

def fit(
    X: Rows,
    y: ArrayLike,
    *,
    method: str = ...,
    task: Literal["class", "regress"] | None = ...,
    sample_weight: ArrayLike | None = ...,
    classes: ArrayLike | None = ...,
    random_state: RandomState = ...,
    n_jobs: int | None = ...,
    verbose: int = ...,
    **options: Any,
) -> Model: ...
def methods() -> list[dict[str, Any]]: ...
