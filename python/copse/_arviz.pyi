from typing import Any

from numpy.typing import ArrayLike

from ._base import Rows

def to_arviz(model: Any, X: Rows | None = ..., y: ArrayLike | None = ...) -> Any: ...
