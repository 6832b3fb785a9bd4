from collections.abc import Sequence
from typing import Literal

from ._online import Classifier, Regressor

__all__: list[str]

class MondrianForestClassifier(Classifier):
    trees: int
    candidates: int
    rechoose: Literal["exact", "lazy"]
    lifetime: float
    min_samples_split: int | Literal["auto"]
    gamma: float | Literal["auto"]
    posterior: Literal["auto", "exact", "fast"]
    calibration: Literal["learnt", "none"]
    def __init__(
        self,
        trees: int = ...,
        candidates: int = ...,
        rechoose: Literal["exact", "lazy"] = ...,
        lifetime: float = ...,
        min_samples_split: int | Literal["auto"] = ...,
        gamma: float | Literal["auto"] = ...,
        posterior: Literal["auto", "exact", "fast"] = ...,
        calibration: Literal["learnt", "none"] = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...

class MondrianForestRegressor(Regressor):
    trees: int
    candidates: int
    rechoose: Literal["exact", "lazy"]
    lifetime: float
    min_samples_split: int | Literal["auto"]
    hyper: Literal["heuristic", "marginal"]
    posterior: Literal["auto", "exact", "fast"]
    calibration: Literal["learnt", "none"]
    def __init__(
        self,
        trees: int = ...,
        candidates: int = ...,
        rechoose: Literal["exact", "lazy"] = ...,
        lifetime: float = ...,
        min_samples_split: int | Literal["auto"] = ...,
        hyper: Literal["heuristic", "marginal"] = ...,
        posterior: Literal["auto", "exact", "fast"] = ...,
        calibration: Literal["learnt", "none"] = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...

class DynamicTreeClassifier(Classifier):
    particles: int
    alpha_split: float
    beta_split: float
    min_leaf: int | Literal["auto"]
    alpha: float
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    def __init__(
        self,
        particles: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        alpha: float = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...

class DynamicTreeRegressor(Regressor):
    particles: int
    alpha_split: float
    beta_split: float
    min_leaf: int | Literal["auto"]
    kappa: float
    nu: float
    lam: float | Literal["auto"]
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    def __init__(
        self,
        particles: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        kappa: float = ...,
        nu: float = ...,
        lam: float | Literal["auto"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...

class OnlineForestClassifier(Classifier):
    trees: int
    tests: int
    min_samples: int
    min_gain: float
    max_depth: int | None
    smoothing: float
    forget: float
    def __init__(
        self,
        trees: int = ...,
        tests: int = ...,
        min_samples: int = ...,
        min_gain: float = ...,
        max_depth: int | None = ...,
        smoothing: float = ...,
        forget: float = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...

class OnlineForestRegressor(Regressor):
    trees: int
    tests: int
    min_samples: int
    min_gain: float
    max_depth: int | None
    smoothing: float
    def __init__(
        self,
        trees: int = ...,
        tests: int = ...,
        min_samples: int = ...,
        min_gain: float = ...,
        max_depth: int | None = ...,
        smoothing: float = ...,
        warm_up: int = ...,
        seed: int = ...,
    ) -> None: ...
