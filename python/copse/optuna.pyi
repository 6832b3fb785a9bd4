from typing import Any, Literal

from optuna.samplers import BaseSampler

class CopseSampler(BaseSampler):
    def __init__(
        self,
        *,
        acquisition: Literal["ucb", "ei", "thompson", "random"] = ...,
        kappa: float = ...,
        trees: int = ...,
        initial: int = ...,
        seed: int | None = ...,
    ) -> None: ...
    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]: ...
    def sample_relative(self, study: Any, trial: Any, search_space: dict[str, Any]) -> dict[str, Any]: ...
    def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any: ...
