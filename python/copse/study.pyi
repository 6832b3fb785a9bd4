import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from ._distribution import RandomState

@dataclass(frozen=True)
class Trial:
    id: int
    params: dict[str, Any]
    state: Literal["asked", "told", "failed"]
    value: float

class Study:
    def __init__(
        self,
        space: Mapping[str, tuple[float, float] | tuple[float, float, Literal["log"]] | list[Any] | range],
        *,
        minimise: bool = ...,
        path: str | os.PathLike[str] | None = ...,
        acquisition: Literal["ucb", "ei", "thompson", "random"] = ...,
        kappa: float = ...,
        trees: int = ...,
        initial: int = ...,
        random_state: RandomState = ...,
    ) -> None: ...
    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self: ...
    @property
    def minimise(self) -> bool: ...
    def ask(self) -> Trial: ...
    def tell(self, trial: Trial | int, value: float | None) -> None: ...
    def add(self, params: Mapping[str, Any], value: float) -> Trial: ...
    def refresh(self) -> None: ...
    def optimize(
        self,
        objective: Callable[..., float],
        n_trials: int = ...,
        *,
        catch: type[BaseException] | tuple[type[BaseException], ...] = ...,
    ) -> Trial: ...
    @property
    def trials(self) -> list[Trial]: ...
    @property
    def best(self) -> Trial | None: ...
    def __len__(self) -> int: ...
