"""Data sets that several benchmarks share, as matrices and as files for every peer."""
import contextlib
import csv
import gzip
import math
import os
import random
import tempfile

import benchlib as lib

try:
    import numpy
except ModuleNotFoundError:
    numpy = None


# Files of flights with all eight attributes of the paper, from other years than the paper's: 927,787 rows.
FLIGHTS = ['flight-' + name for name in ('us2008feb', 'us2004', 'us2003', 'nyc2017', 'hou2011', 'pnw2023', 'pnw2014', 'nyc2013')]


def write_flights(folder, train_rows, test_rows):
    """Train and test files of flights, shuffled with a fixed seed; the same rows for every method and peer."""
    lines, header = [], None
    for name in FLIGHTS:
        with gzip.open(lib.data_file(name), 'rt', encoding='utf-8') as file:
            header = next(file)
            lines += file.readlines()
    random.Random(1).shuffle(lines)
    paths = os.path.join(folder, 'train.csv'), os.path.join(folder, 'test.csv')
    for path, part in zip(paths, (lines[:train_rows], lines[train_rows:train_rows + test_rows])):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(header)
            file.writelines(part)
    return paths


def table(name):
    """A data set as a matrix, the target last; classes are numbered in the order of their names."""
    with gzip.open(lib.data_file(name), 'rt', encoding='utf-8') as file:
        rows = list(csv.reader(file))[1:]
    target = [row[-1] for row in rows]
    if not target[0].replace('.', '').isdigit():
        number = {label: i for i, label in enumerate(sorted(set(target)))}
        target = [number[label] for label in target]
    return numpy.array([[*row[:-1], y] for row, y in zip(rows, target)], dtype=numpy.float64)


def shuffled(data):
    return data[numpy.random.default_rng(1).permutation(len(data))]


def friedman(rows, dims, test_rows=50_000, truth=False, seed=1):
    """Friedman's function of five columns, and irrelevant columns; truth: the test target has no noise."""
    def make():
        rng = numpy.random.default_rng(seed)
        x = rng.random((rows + test_rows, dims), dtype=numpy.float32)
        f = 10 * numpy.sin(math.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - .5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        y = f + rng.standard_normal(len(x))
        if truth:
            y[rows:] = f[rows:]
        data = numpy.column_stack([x, y])
        return data[:rows], data[rows:]
    return make


@contextlib.contextmanager
def files(make):
    """A folder with train and test as .npy, and as bare columns for R."""
    if numpy is None:
        raise lib.Skip('numpy is not installed: tools/setup bench')
    with tempfile.TemporaryDirectory() as folder:
        for name, data in zip(('train', 'test'), make()):
            small = data.astype(numpy.float32)
            numpy.save(os.path.join(folder, name + '.npy'), small)
            small.T.tofile(os.path.join(folder, name + '.f4'))
            with open(os.path.join(folder, name + '.rows'), 'w', encoding='ascii') as file:
                file.write(f'{len(data)}\n')
        yield folder


def paths(folder):
    """The .npy of train and test."""
    return [os.path.join(folder, part + '.npy') for part in ('train', 'test')]
