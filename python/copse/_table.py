"""Tables of the library from what Python has: arrays, data frames, Arrow, dicts, files.

Numbers, booleans (0 and 1), dates and times (seconds since 1970 in UTC, or since midnight) become columns of numbers;
text and categories become columns of text.  Missing are NaN, None, pandas.NA and NaT.
"""

import datetime
import decimal
import os
import sys
from collections.abc import Mapping

import numpy as np

from . import _core
from ._errors import DataError
from ._run import running


def _pandas():
    """pandas, if the program has imported it: else its objects cannot occur."""
    return sys.modules.get("pandas")


def is_frame(x):
    """Is this a data frame, an Arrow table, or another thing with named columns?"""
    pandas = _pandas()
    if pandas is not None and isinstance(x, pandas.DataFrame):
        return True
    return isinstance(x, (Mapping, Table)) or hasattr(x, "__arrow_c_stream__")


def refuse_sparse(x):
    """Sparse matrices are refused, with the reason."""
    if hasattr(x, "tocsr") and hasattr(x, "toarray"):
        raise TypeError(
            "Sparse data was passed, but dense data is required: every tree looks at every value of a column, zeros too. "
            "Use X.toarray(), or fewer columns."
        )


class Table:
    """A table of the library, read from a file: what the command line would see.

    >>> import copse, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "t.csv")
    >>> _ = open(path, "w").write("a,b\\n1,x\\n2,y\\n")
    >>> copse.read_table(path).columns
    ['a', 'b']
    """

    def __init__(self, core):
        self._core = core

    @property
    def columns(self):
        """The names of the columns."""
        return self._core.names()

    def __len__(self):
        return self._core.rows

    @property
    def shape(self):
        """Rows and columns."""
        return (self._core.rows, len(self.columns))

    def __getitem__(self, name):
        """A column as an array: floats, or objects (str and None)."""
        names = self.columns
        if name not in names:
            raise KeyError(name)
        i = names.index(name)
        return np.array(self._core.column(i), dtype=object if self._core.is_text(i) else float)

    def drop(self, *names):
        """The columns but these, as a dict of arrays."""
        return {name: self[name] for name in self.columns if name not in names}

    def __repr__(self):
        return f"<copse.Table: {len(self)} rows, columns {', '.join(self.columns)}>"


def read_table(path, *, categorical=None, numeric=None, na=None, n_jobs=None):
    """Reads a file as the command line does: csv, tsv, npy, libsvm, ndjson, plain or compressed by gzip or zstd.

    Parameters
    ----------
    path : str or path
    categorical, numeric : list of str or str, optional
        Columns that are text though they look like numbers, or that must be numbers.
    na : list of str or str, optional
        Further words that mean "missing".

    Returns
    -------
    Table
    """

    def words(value):
        return value if value is None or isinstance(value, str) else ",".join(value)

    with running(n_jobs) as run:
        return Table(_core.table_read(os.fspath(path), words(categorical), words(numeric), words(na), run))


# ----------------------------------------------------------------------------------------------------- columns


def _missing(value):
    """None, NaN, NaT and pandas.NA: the values that are not equal to themselves, or cannot say."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _seconds(values):
    """Times as seconds, NaN where there is none.  Seconds and their fractions are divided once, as Arrow's are."""
    values = np.asarray(values)
    unit, step = np.datetime_data(values.dtype)
    if unit in ("D", "h", "m", "W", "M", "Y", "generic"):
        values = values.astype(f"{values.dtype.kind}8[s]")
        unit, step = "s", 1
    per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12, "fs": 1e15, "as": 1e18}[unit]
    out = values.astype("i8").astype(float) * step / per_second
    out[np.isnat(values)] = np.nan
    return out


def _time_number(value):
    """A date or time of the standard library in seconds, or None if it is none."""
    if isinstance(value, datetime.datetime):
        zone = value.tzinfo or datetime.timezone.utc
        return value.replace(tzinfo=zone).timestamp()
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days * 86400.0
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return None


def _number(value):
    """An object as a float, or None if it is no number."""
    if isinstance(value, (bool, int, float, np.number, np.bool_, decimal.Decimal)):
        return float(value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(_seconds(np.array([value]))[0])
    time = _time_number(value)
    if time is None and hasattr(value, "__float__") and not isinstance(value, complex):
        return float(value)
    return time


def _objects(name, values):
    """A column of Python objects: a list of str and None, or an array of floats."""
    numbers, texts = 0, 0
    for row, value in enumerate(values):
        if isinstance(value, str):
            texts += 1
        elif not _missing(value):
            if _number(value) is None:
                raise TypeError(
                    f"column '{name}', row {row}: argument must be a string or a number, not "
                    f"{type(value).__name__!r} ({str(value)[:40]})"
                )
            numbers += 1
        if numbers and texts:
            raise DataError(
                f"column '{name}' mixes text and numbers, first in row {row} ({str(value)[:40]!r}): convert it, "
                f"for instance by .astype(str)"
            )
    if texts:
        return [None if _missing(value) else str(value) for value in values]
    return np.array([np.nan if _missing(value) else _number(value) for value in values], dtype=float)


def _array(name, values):
    """A one-dimensional array as something that the extension takes."""
    kind = values.dtype.kind
    if kind in "mM":
        return _seconds(values)
    if kind == "U":
        return [str(value) for value in values]
    if kind == "O":
        return _objects(name, values.tolist())
    if kind == "c":
        raise ValueError(f"Complex data not supported: column '{name}'")
    if kind not in "biuf":
        raise TypeError(f"column '{name}': argument must be a string or a number, not an array of {values.dtype}")
    if values.dtype.itemsize > 8 or values.dtype == np.float16:
        values = values.astype(float)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values.copy() if values.strides[0] == 0 and len(values) > 1 else values


def _levels(name, levels):
    """Levels of a category as text."""
    return [level if isinstance(level, str) else _label_text(level) for level in levels]


def _series(name, column):
    """A column of a pandas frame."""
    pandas = _pandas()
    dtype = column.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return (column.cat.codes.to_numpy(), _levels(name, column.cat.categories))
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return _seconds(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if isinstance(dtype, np.dtype):
        return _array(name, column.to_numpy())
    if isinstance(dtype, getattr(pandas, "PeriodDtype", ())):
        return _seconds(column.dt.to_timestamp().to_numpy())
    if getattr(dtype, "_is_numeric", False) or getattr(dtype, "_is_boolean", False):
        return column.to_numpy(dtype=float, na_value=np.nan)
    if isinstance(dtype, getattr(pandas, "ArrowDtype", ())):
        return _arrow_series(name, column)
    return _array(name, column.to_numpy(dtype=object))


def _arrow_series(name, column):
    """A column that pandas keeps as Arrow."""
    import pyarrow

    kind = column.dtype.pyarrow_dtype
    if pyarrow.types.is_dictionary(kind):
        category = column.astype("category")
        if hasattr(category, "cat"):
            return (category.cat.codes.to_numpy(), _levels(name, category.cat.categories))
    if pyarrow.types.is_temporal(kind) and not pyarrow.types.is_time(kind):
        if pyarrow.types.is_date(kind):
            return _objects(name, column.tolist())
        values = column.astype("datetime64[ns]" if pyarrow.types.is_timestamp(kind) and not kind.tz else object)
        return _array(name, values.to_numpy())
    return _array(name, column.to_numpy(dtype=object))


def _add(table, name, values):
    """Adds a column: an array of numbers, a list of text, or (codes, levels)."""
    if isinstance(values, tuple):
        table.add_codes(name, *values)
    elif isinstance(values, list):
        table.add_text(name, values)
    else:
        table.add_values(name, values)


# ----------------------------------------------------------------------------------------------------- frames


def _plain_names(n):
    return [f"x{i + 1}" for i in range(n)]


def _own_names(columns):
    """The names of a frame's columns, if they can be the library's; else None."""
    names = [str(column) for column in columns]
    good = len(set(names)) == len(names) and all(name and "\0" not in name for name in names)
    return names if good else None


def _frame_columns(x):
    """(names or None, [column ...]) of a pandas frame or a mapping."""
    pandas = _pandas()
    if pandas is not None and isinstance(x, pandas.DataFrame):
        parts = [(name, x.iloc[:, i]) for i, name in enumerate(x.columns)]
    else:
        parts = list(x.items())
    made = []
    for name, part in parts:
        if pandas is not None and isinstance(part, pandas.Series):
            made.append(_series(name, part))
        else:
            made.append(_array(name, np.asarray(part)))
    return _own_names([name for name, _ in parts]), made


def _length(values):
    return len(values[0]) if isinstance(values, tuple) else len(values)


def _rename(x, names):
    """An Arrow table or polars frame with other names, by position; the thing itself if it has them already."""
    own = getattr(x, "column_names", None) or getattr(x, "columns", None)
    if names is None or list(own or names) == list(names):
        return x
    if hasattr(x, "rename_columns"):
        return x.rename_columns(list(names))
    return x.rename(dict(zip(own, names)))


def to_table(x, names=None):
    """A new table of the library, to which more columns can be added.

    names: the names to use, by position; None for those of x.
    """
    refuse_sparse(x)
    if isinstance(x, Table):
        x = x.drop()
    pandas = _pandas()
    if isinstance(x, Mapping) or (pandas is not None and isinstance(x, pandas.DataFrame)):
        own, columns = _frame_columns(x)
        names = names or own or _plain_names(len(columns))
        rows = len(x) if not isinstance(x, Mapping) else (_length(columns[0]) if columns else 0)
        if len(names) != len(columns):
            raise DataError(f"X has {len(columns)} columns, but the model was fitted to {len(names)}")
        table = _core.table_new(rows)
        for name, values in zip(names, columns):
            if _length(values) != rows:
                raise DataError(f"column '{name}' has {_length(values)} rows, the first column {rows}")
            _add(table, name, values)
        return table
    if hasattr(x, "__arrow_c_stream__"):
        return _core.table_from_arrow(_rename(x, names).__arrow_c_stream__())
    return _matrix(np.asarray(x), names)


def _matrix(x, names):
    if x.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {x.ndim}D array instead. Reshape your data using array.reshape(-1, 1) if it has one "
            f"feature, or array.reshape(1, -1) if it is one row."
        )
    names = names or _plain_names(x.shape[1])
    if len(names) != x.shape[1]:
        raise DataError(f"X has {x.shape[1]} columns, but the model was fitted to {len(names)}")
    table = _core.table_new(x.shape[0])
    plain = x.dtype.kind in "biuf" and x.dtype.itemsize <= 8 and x.dtype != np.float16 and x.dtype.isnative
    if plain and (x.shape[0] < 2 or 0 not in x.strides):
        table.add_matrix(names, x)
    else:
        for name, i in zip(names, range(x.shape[1])):
            _add(table, name, _array(name, x[:, i]))
    return table


# ----------------------------------------------------------------------------------------------------- targets


def _label_text(value):
    """A label as the library writes it: 1 for 1.0."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, float, np.number)):
        number = float(value)
        return str(int(value)) if number == int(number) else repr(number)
    return str(value)


def free_name(name, taken):
    """The name, or one like it that is not taken."""
    while name in taken:
        name += "_"
    return name


def target_name(y, taken):
    """The name of the target's column: y itself if it is a str, that of a Series, or "y"."""
    name = y if isinstance(y, str) else getattr(y, "name", None)
    return free_name(name if isinstance(name, str) and name and "\0" not in name and name not in taken else "y", taken)


def numeric_labels(classes):
    """Are labels of this dtype numbers to the library?"""
    return classes.dtype.kind in "biuf" and bool(np.all(np.abs(classes.astype(float)) <= 2**53))


def add_labels(table, name, y, classes):
    """Adds the labels y, each of which occurs in the sorted array classes."""
    if numeric_labels(classes):
        table.add_values(name, np.ascontiguousarray(y, dtype=float))
    else:
        codes = np.searchsorted(classes, y).astype(np.int32)
        table.add_codes(name, codes, [_label_text(label) for label in classes])


def class_texts(classes):
    """The labels as the library calls them."""
    if numeric_labels(classes):
        return [_label_text(float(label)) for label in classes]
    return [_label_text(label) for label in classes]


def class_positions(texts, classes):
    """For each class of the model its position in the sorted array classes."""
    if numeric_labels(classes):
        known = {float(label): k for k, label in enumerate(classes)}
        return np.array([known[float(text)] for text in texts], dtype=np.intp)
    known = {_label_text(label): k for k, label in enumerate(classes)}
    return np.array([known[text] for text in texts], dtype=np.intp)


def classes_of_texts(texts):
    """The labels of a loaded model: whole numbers, numbers, or text."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return np.array(texts)
    return np.sort(numbers.astype(int) if np.all(numbers == np.floor(numbers)) else numbers)
