import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Table:
    @property
    def columns(self) -> list[str]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def drop(self, *names: str) -> dict[str, NDArray[Any]]: ...

def read_table(
    path: str | os.PathLike[str],
    *,
    categorical: str | Sequence[str] | None = ...,
    numeric: str | Sequence[str] | None = ...,
    na: str | Sequence[str] | None = ...,
    n_jobs: int | None = ...,
) -> Table: ...
