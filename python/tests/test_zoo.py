"""One data set in every form that Python has: the bytes of the model are the same, and those of the CSV file."""
import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import copse
from copse import _core, _run


def model_bytes(X, y, method="cart", task="regress", **options):
    return copse.fit(X, y, method=method, task=task, **options).to_bytes()


def of_csv(path, method="cart", task=2, categorical=None):
    """The bytes of a model of a CSV file with the target y."""
    with _run.running() as run:
        table = _core.table_read(str(path), categorical, None, None, run)
        return copse.Model(_core.fit(table, "y", task, None, None, method, [("seed", "1")], run)).to_bytes()


@pytest.fixture
def whole(rng):
    """Whole numbers, which every dtype holds."""
    X = rng.integers(0, 100, size=(300, 5))
    return X, (X[:, 0] * 2 + X[:, 3]).astype(float)


def write_csv(path, names, columns):
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n")
        for row in zip(*columns):
            file.write(",".join("" if v is None or v != v else str(v) for v in row) + "\n")


NUMERIC = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "longdouble", ">f8", ">i4"]


@pytest.mark.parametrize("method", ["cart", "mondrian", "boost"])
def test_numpy_layouts_and_dtypes(whole, tmp_path, method):
    X, y = whole
    names = ["x1", "x2", "x3", "x4", "x5"]
    write_csv(tmp_path / "t.csv", [*names, "y"], [*X.T, y])
    expected = of_csv(tmp_path / "t.csv", method)
    for dtype in NUMERIC[1:]:
        assert model_bytes(X.astype(dtype), y, method) == expected, dtype
    wide = np.zeros((600, 10))
    wide[::2, ::2] = X
    assert model_bytes(np.asfortranarray(X), y, method) == expected
    assert model_bytes(wide[::2, ::2], y, method) == expected
    assert model_bytes(X[::-1][::-1], y, method) == expected
    assert model_bytes(np.ascontiguousarray(X[:, ::-1])[:, ::-1], y, method) == expected
    assert model_bytes(X.tolist(), y.tolist(), method) == expected
    assert model_bytes(X.astype(object), y, method) == expected
    read_only = X.astype(float)
    read_only.flags.writeable = False
    assert model_bytes(read_only, y, method) == expected
    unaligned = np.frombuffer(b"\0" + X.astype(float).tobytes(), dtype=np.uint8)[1:].view(float).reshape(X.shape)
    assert model_bytes(unaligned, y, method) == expected


def test_booleans_are_numbers(whole):
    X, y = whole
    assert model_bytes(X > 50, y) == model_bytes((X > 50).astype(float), y)


def test_numpy_is_the_command_line(whole, tmp_path, program):
    X, y = whole
    write_csv(tmp_path / "t.csv", ["x1", "x2", "x3", "x4", "x5", "y"], [*X.T, y])
    for method, cls in (("cart", copse.CartRegressor), ("mondrian", copse.MondrianForestRegressor)):
        program("fit", "-m", method, tmp_path / "t.csv", "-t", "y", "--task", "regress", "--seed", 7, "-o",
                tmp_path / "m.copse")
        ours = cls(random_state=7).fit(X, y)
        assert copse.load(tmp_path / "m.copse").model_.digest() == ours.model_.digest()


@pytest.fixture
def mixed(rng):
    """Numbers with gaps, text, and times."""
    n = 200
    size = [None if i % 11 == 0 else float(v) for i, v in enumerate(rng.integers(0, 50, n))]
    colour = [None if i % 13 == 0 else ["red", "green", "blue", "größer"][k] for i, k in enumerate(rng.integers(0, 4, n))]
    when = [datetime.datetime(2021, 1, 1) + datetime.timedelta(hours=int(h)) for h in rng.integers(0, 9999, n)]
    y = np.array([(s or 0) + {"red": 10, "green": 20}.get(c, 0) for s, c in zip(size, colour)])
    return size, colour, when, y


def frames(size, colour, when):
    """The same columns size, colour and when, in every form."""
    floats = [np.nan if v is None else v for v in size]
    index = {"a": 0, "b": 1}
    del index
    plain = pd.DataFrame({"size": floats, "colour": pd.Series(colour, dtype=object), "when": when})
    yield "pandas", plain
    yield "pandas object", plain.astype(object)
    yield "pandas nullable", plain.assign(size=pd.array(size, dtype="Int64"), colour=pd.array(colour, dtype="string"))
    yield "pandas Float64", plain.assign(size=pd.array(size, dtype="Float64"))
    yield "pandas category", plain.assign(colour=pd.Categorical(colour))
    yield "pandas category, unused levels", plain.assign(
        colour=pd.Categorical(colour, categories=["unused", "größer", "red", "blue", "green"]))
    yield "pandas zone", plain.assign(when=pd.Series(when).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    yield "pandas index", plain.set_index(pd.Index(range(1000, 1000 + len(plain))))
    yield "pandas copy on read", plain.iloc[::-1].iloc[::-1]
    table = pa.table({"size": pa.array(size, pa.float64()), "colour": pa.array(colour), "when": pa.array(when)})
    yield "pandas arrow", table.to_pandas(types_mapper=pd.ArrowDtype)
    yield "polars", pl.DataFrame({"size": size, "colour": colour, "when": when})
    yield "polars categories", pl.DataFrame({"size": size, "colour": colour, "when": when}).with_columns(
        pl.col("colour").cast(pl.Categorical))
    yield "polars integers", pl.DataFrame({"size": size, "colour": colour, "when": when}).with_columns(
        pl.col("size").cast(pl.Int16))
    yield "arrow", table
    yield "arrow chunked", pa.concat_tables([table.slice(0, 3), table.slice(3, 100), table.slice(103)])
    yield "arrow sliced", pa.concat_tables([table.slice(50, 7), table]).slice(7)
    yield "arrow dictionary", table.set_column(1, "colour", table["colour"].dictionary_encode())
    yield "arrow large string", table.set_column(1, "colour", table["colour"].cast(pa.large_string()))
    yield "arrow view", table.set_column(1, "colour", table["colour"].cast(pa.string_view()))
    yield "arrow int8", table.set_column(0, "size", table["size"].cast(pa.int8()))
    yield "dict", {"size": floats, "colour": colour, "when": np.array(when, dtype="datetime64[us]")}
    yield "dict of objects", {"size": size, "colour": colour, "when": when}


@pytest.mark.parametrize("method", ["cart", "mondrian"])
def test_frames(mixed, tmp_path, method):
    size, colour, when, y = mixed
    seconds = [t.replace(tzinfo=datetime.timezone.utc).timestamp() for t in when]
    write_csv(tmp_path / "t.csv", ["size", "colour", "when", "y"], [size, colour, seconds, y])
    expected = of_csv(tmp_path / "t.csv", method)
    count = 0
    for name, frame in frames(size, colour, when):
        assert model_bytes(frame, y, method) == expected, name
        count += 1
    assert count == 22


def test_predictions_of_every_form(mixed):
    size, colour, when, y = mixed
    forms = dict(frames(size, colour, when))
    model = copse.RandomForestRegressor(trees=5, random_state=0).fit(forms["pandas"], y)
    answer = model.predict(forms["pandas"])
    for name, frame in forms.items():
        np.testing.assert_array_equal(model.predict(frame), answer, err_msg=name)


def test_targets_of_every_form(mixed):
    size, colour, when, y = mixed
    label = np.array(["high" if v > 30 else "low" for v in y])
    X = {"size": size, "colour": colour}
    expected = copse.CartClassifier(random_state=0).fit(X, label)
    for form in (pd.Series(label), pd.Series(label, dtype="category"), pd.Series(label, dtype="string"), pl.Series(label),
                 pa.array(label), label.astype(object), label.tolist()):
        model = copse.CartClassifier(random_state=0).fit(X, form)
        assert model.model_.digest() == expected.model_.digest()
        assert model.classes_.tolist() == ["high", "low"]
    assert copse.CartRegressor().fit(X, pd.Series(y, name="price")).model_.target == "price"
    assert copse.CartRegressor().fit(X, pd.Series(y, name="size")).model_.target == "y"


def test_odd_names():
    rng = np.random.default_rng(5)
    values, y = rng.uniform(size=(50, 3)), rng.uniform(size=50)
    for names in (["a*", "a..b", "x,y"], [1, 2, 3], ["a", "a", "b"], ["y", "y_", "weight"], ["", " ", "\n"]):
        frame = pd.DataFrame(values, columns=names)
        model = copse.fit(frame, y, method="cart", sample_weight=np.ones(50))
        np.testing.assert_array_equal(model.predict(frame), model.predict(frame))
        assert model.predict(frame).std() > 0


def test_read_table(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,x,1\n,y,2\n3,,3\n")
    table = copse.read_table(tmp_path / "t.csv")
    assert table.columns == ["a", "b", "y"] and len(table) == 3 and table.shape == (3, 3)
    np.testing.assert_array_equal(table["a"], [1, np.nan, 3])
    assert table["b"].tolist() == ["x", "y", None]
    model = copse.CartRegressor(min_leaf=1).fit(table.drop("y"), table["y"])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(copse.DataError, match=":2"):
        (tmp_path / "bad.csv").write_text("a,b\n1\n")
        copse.read_table(tmp_path / "bad.csv", numeric="a,b")
