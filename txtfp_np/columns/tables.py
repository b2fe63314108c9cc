"""Results as tables of other libraries, which are imported when they are first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import NDArray

from ..errors import FeatureDisabledError
from .arrow import pyarrow

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    PandasFrame: TypeAlias = pd.DataFrame
    PolarsFrame: TypeAlias = pl.DataFrame
    ArrowTable: TypeAlias = pa.Table


def make_table(kind: str, columns: dict[str, NDArray[Any]]) -> Any:
    """A data frame of ``"pandas"`` or ``"polars"``, or a table of ``"arrow"``.

    Raises
    ------
    FeatureDisabledError
        If the library is not installed.
    """
    if kind == "arrow":
        return pyarrow().table(columns)
    try:
        library = importlib.import_module(kind)
    except ImportError:
        raise FeatureDisabledError(kind) from None
    return library.DataFrame(columns)
