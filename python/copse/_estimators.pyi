from collections.abc import Sequence
from typing import Literal, Self

from numpy.typing import ArrayLike

from ._base import Classifier, RandomState, Regressor, Rows

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
        *,
        trees: int = ...,
        candidates: int = ...,
        rechoose: Literal["exact", "lazy"] = ...,
        lifetime: float = ...,
        min_samples_split: int | Literal["auto"] = ...,
        gamma: float | Literal["auto"] = ...,
        posterior: Literal["auto", "exact", "fast"] = ...,
        calibration: Literal["learnt", "none"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike, classes: ArrayLike | None = ...) -> Self: ...

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
        *,
        trees: int = ...,
        candidates: int = ...,
        rechoose: Literal["exact", "lazy"] = ...,
        lifetime: float = ...,
        min_samples_split: int | Literal["auto"] = ...,
        hyper: Literal["heuristic", "marginal"] = ...,
        posterior: Literal["auto", "exact", "fast"] = ...,
        calibration: Literal["learnt", "none"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike) -> Self: ...

class CartClassifier(Classifier):
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class CartRegressor(Regressor):
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class RandomForestClassifier(Classifier):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class RandomForestRegressor(Regressor):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class ExtraTreesClassifier(Classifier):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class ExtraTreesRegressor(Regressor):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class BayesianForestClassifier(Classifier):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class BayesianForestRegressor(Regressor):
    trees: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class EmpiricalBayesianForestClassifier(Classifier):
    trees: int
    trunk_leaves: int | Literal["auto"]
    trunk_min_leaf: int | Literal["auto"]
    trunk_sample: float
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        trunk_leaves: int | Literal["auto"] = ...,
        trunk_min_leaf: int | Literal["auto"] = ...,
        trunk_sample: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class EmpiricalBayesianForestRegressor(Regressor):
    trees: int
    trunk_leaves: int | Literal["auto"]
    trunk_min_leaf: int | Literal["auto"]
    trunk_sample: float
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        trunk_leaves: int | Literal["auto"] = ...,
        trunk_min_leaf: int | Literal["auto"] = ...,
        trunk_sample: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class SubsampleForestClassifier(Classifier):
    trees: int
    subsets: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    criterion: Literal["gini", "entropy"]
    alpha: float
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        subsets: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        criterion: Literal["gini", "entropy"] = ...,
        alpha: float = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class SubsampleForestRegressor(Regressor):
    trees: int
    subsets: int
    min_leaf: int | Literal["auto"]
    min_leaf_weight: float
    features_per_split: float | Literal["auto", "sqrt", "all"]
    max_depth: int | None
    max_leaves: int | None
    splits: Literal["auto", "exact", "binned"]
    def __init__(
        self,
        *,
        trees: int = ...,
        subsets: int = ...,
        min_leaf: int | Literal["auto"] = ...,
        min_leaf_weight: float = ...,
        features_per_split: float | Literal["auto", "sqrt", "all"] = ...,
        max_depth: int | None = ...,
        max_leaves: int | None = ...,
        splits: Literal["auto", "exact", "binned"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class SMCTreeClassifier(Classifier):
    particles: int
    islands: int
    proposal: Literal["prior", "empirical", "optimal", "mixed"]
    expansion: Literal["node", "node-likelihood", "layer"]
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    ess_threshold: float
    alpha: float
    alpha_split: float
    beta_split: float
    prior_only: bool
    max_stages: int
    columns: int | Literal["auto"]
    island_weights: Literal["equal", "evidence"]
    tune: str | Sequence[str]
    def __init__(
        self,
        *,
        particles: int = ...,
        islands: int = ...,
        proposal: Literal["prior", "empirical", "optimal", "mixed"] = ...,
        expansion: Literal["node", "node-likelihood", "layer"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        ess_threshold: float = ...,
        alpha: float = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        prior_only: bool = ...,
        max_stages: int = ...,
        columns: int | Literal["auto"] = ...,
        island_weights: Literal["equal", "evidence"] = ...,
        tune: str | Sequence[str] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...

class SMCTreeRegressor(Regressor):
    particles: int
    islands: int
    proposal: Literal["prior", "empirical", "optimal", "mixed"]
    expansion: Literal["node", "node-likelihood", "layer"]
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    ess_threshold: float
    alpha_split: float
    beta_split: float
    kappa: float
    nu: float
    lam: float | Literal["auto"]
    prior_only: bool
    max_stages: int
    columns: int | Literal["auto"]
    island_weights: Literal["equal", "evidence"]
    tune: str | Sequence[str]
    def __init__(
        self,
        *,
        particles: int = ...,
        islands: int = ...,
        proposal: Literal["prior", "empirical", "optimal", "mixed"] = ...,
        expansion: Literal["node", "node-likelihood", "layer"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        ess_threshold: float = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        kappa: float = ...,
        nu: float = ...,
        lam: float | Literal["auto"] = ...,
        prior_only: bool = ...,
        max_stages: int = ...,
        columns: int | Literal["auto"] = ...,
        island_weights: Literal["equal", "evidence"] = ...,
        tune: str | Sequence[str] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...

class BayesianCartClassifier(Classifier):
    chains: int
    burn_in: int
    samples: int
    thin: int
    alpha: float
    alpha_split: float
    beta_split: float
    prior_only: bool
    grow: float
    prune: float
    change: float
    swap: float
    def __init__(
        self,
        *,
        chains: int = ...,
        burn_in: int = ...,
        samples: int = ...,
        thin: int = ...,
        alpha: float = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        prior_only: bool = ...,
        grow: float = ...,
        prune: float = ...,
        change: float = ...,
        swap: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...

class BayesianCartRegressor(Regressor):
    chains: int
    burn_in: int
    samples: int
    thin: int
    alpha_split: float
    beta_split: float
    kappa: float
    nu: float
    lam: float | Literal["auto"]
    prior_only: bool
    grow: float
    prune: float
    change: float
    swap: float
    def __init__(
        self,
        *,
        chains: int = ...,
        burn_in: int = ...,
        samples: int = ...,
        thin: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        kappa: float = ...,
        nu: float = ...,
        lam: float | Literal["auto"] = ...,
        prior_only: bool = ...,
        grow: float = ...,
        prune: float = ...,
        change: float = ...,
        swap: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...

class BARTClassifier(Classifier):
    sampler: Literal["growprune", "cgm", "pg"]
    trees: int
    chains: int
    burn_in: int
    samples: int
    thin: int
    k: float | Literal["sampled"]
    alpha_split: float
    beta_split: float
    cuts: str
    sparse: bool
    start: str
    prior_only: bool
    grow: float
    prune: float
    change: float
    swap: float
    particles: int
    pg_proposal: Literal["prior", "mixed", "optimal"]
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    pg_columns: int
    pg_promise: Literal["leaf", "levels"]
    pg_ess: float
    pg_below: float
    local_moves: int
    def __init__(
        self,
        *,
        sampler: Literal["growprune", "cgm", "pg"] = ...,
        trees: int = ...,
        chains: int = ...,
        burn_in: int = ...,
        samples: int = ...,
        thin: int = ...,
        k: float | Literal["sampled"] = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        cuts: str = ...,
        sparse: bool = ...,
        start: str = ...,
        prior_only: bool = ...,
        grow: float = ...,
        prune: float = ...,
        change: float = ...,
        swap: float = ...,
        particles: int = ...,
        pg_proposal: Literal["prior", "mixed", "optimal"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        pg_columns: int = ...,
        pg_promise: Literal["leaf", "levels"] = ...,
        pg_ess: float = ...,
        pg_below: float = ...,
        local_moves: int = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class BARTRegressor(Regressor):
    sampler: Literal["growprune", "cgm", "pg"]
    trees: int
    chains: int
    burn_in: int
    samples: int
    thin: int
    k: float | Literal["sampled"]
    nu: float
    q: float
    sigma_prior: Literal["ols", "sd"]
    noise: Literal["even", "uneven"]
    noise_trees: int
    alpha_split: float
    beta_split: float
    cuts: str
    sparse: bool
    start: str
    prior_only: bool
    grow: float
    prune: float
    change: float
    swap: float
    particles: int
    pg_proposal: Literal["prior", "mixed", "optimal"]
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    pg_columns: int
    pg_promise: Literal["leaf", "levels"]
    pg_ess: float
    pg_below: float
    local_moves: int
    def __init__(
        self,
        *,
        sampler: Literal["growprune", "cgm", "pg"] = ...,
        trees: int = ...,
        chains: int = ...,
        burn_in: int = ...,
        samples: int = ...,
        thin: int = ...,
        k: float | Literal["sampled"] = ...,
        nu: float = ...,
        q: float = ...,
        sigma_prior: Literal["ols", "sd"] = ...,
        noise: Literal["even", "uneven"] = ...,
        noise_trees: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        cuts: str = ...,
        sparse: bool = ...,
        start: str = ...,
        prior_only: bool = ...,
        grow: float = ...,
        prune: float = ...,
        change: float = ...,
        swap: float = ...,
        particles: int = ...,
        pg_proposal: Literal["prior", "mixed", "optimal"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        pg_columns: int = ...,
        pg_promise: Literal["leaf", "levels"] = ...,
        pg_ess: float = ...,
        pg_below: float = ...,
        local_moves: int = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class DynamicTreeClassifier(Classifier):
    particles: int
    alpha_split: float
    beta_split: float
    min_leaf: int | Literal["auto"]
    alpha: float
    resampling: Literal["multinomial", "systematic", "residual", "stratified"]
    def __init__(
        self,
        *,
        particles: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        alpha: float = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike, classes: ArrayLike | None = ...) -> Self: ...

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
        *,
        particles: int = ...,
        alpha_split: float = ...,
        beta_split: float = ...,
        min_leaf: int | Literal["auto"] = ...,
        kappa: float = ...,
        nu: float = ...,
        lam: float | Literal["auto"] = ...,
        resampling: Literal["multinomial", "systematic", "residual", "stratified"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike) -> Self: ...

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
        *,
        trees: int = ...,
        tests: int = ...,
        min_samples: int = ...,
        min_gain: float = ...,
        max_depth: int | None = ...,
        smoothing: float = ...,
        forget: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike, classes: ArrayLike | None = ...) -> Self: ...

class OnlineForestRegressor(Regressor):
    trees: int
    tests: int
    min_samples: int
    min_gain: float
    max_depth: int | None
    smoothing: float
    def __init__(
        self,
        *,
        trees: int = ...,
        tests: int = ...,
        min_samples: int = ...,
        min_gain: float = ...,
        max_depth: int | None = ...,
        smoothing: float = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike) -> Self: ...
    def partial_fit(self, X: Rows, y: ArrayLike) -> Self: ...

class BoostClassifier(Classifier):
    trees: int
    shrinkage: float
    max_leaves: int
    max_depth: int | None
    min_leaf: int
    min_hessian: float
    l2: float
    row_share: float
    column_share: float
    members: int | Literal["auto"]
    held_out: float
    patience: int
    refit: Literal["yes", "no"]
    def __init__(
        self,
        *,
        trees: int = ...,
        shrinkage: float = ...,
        max_leaves: int = ...,
        max_depth: int | None = ...,
        min_leaf: int = ...,
        min_hessian: float = ...,
        l2: float = ...,
        row_share: float = ...,
        column_share: float = ...,
        members: int | Literal["auto"] = ...,
        held_out: float = ...,
        patience: int = ...,
        refit: Literal["yes", "no"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class BoostRegressor(Regressor):
    trees: int
    loss: Literal["squared", "gaussian", "quantile"]
    shrinkage: float
    max_leaves: int
    max_depth: int | None
    min_leaf: int
    min_hessian: float
    l2: float
    row_share: float
    column_share: float
    members: int | Literal["auto"]
    held_out: float
    patience: int
    refit: Literal["yes", "no"]
    noise: Literal["uneven", "even"]
    def __init__(
        self,
        *,
        trees: int = ...,
        loss: Literal["squared", "gaussian", "quantile"] = ...,
        shrinkage: float = ...,
        max_leaves: int = ...,
        max_depth: int | None = ...,
        min_leaf: int = ...,
        min_hessian: float = ...,
        l2: float = ...,
        row_share: float = ...,
        column_share: float = ...,
        members: int | Literal["auto"] = ...,
        held_out: float = ...,
        patience: int = ...,
        refit: Literal["yes", "no"] = ...,
        noise: Literal["uneven", "even"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class AutoClassifier(Classifier):
    effort: Literal["low", "normal", "high"]
    trees: int | Literal["auto"]
    def __init__(
        self,
        *,
        effort: Literal["low", "normal", "high"] = ...,
        trees: int | Literal["auto"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...

class AutoRegressor(Regressor):
    effort: Literal["low", "normal", "high"]
    trees: int | Literal["auto"]
    def __init__(
        self,
        *,
        effort: Literal["low", "normal", "high"] = ...,
        trees: int | Literal["auto"] = ...,
        random_state: RandomState = ...,
        n_jobs: int | None = ...,
        verbose: int = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = ...) -> Self: ...
