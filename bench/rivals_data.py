"""The sets of bench/rivals, and their splits as files."""
import collections
import gzip
import os

import numpy
import pandas

import benchlib as lib

Set = collections.namedtuple('Set', 'task half make')


def read(*names):
    """Files of $COPSE_DATA as one table."""
    parts = []
    for name in names:
        with gzip.open(lib.data_file(name), 'rt', encoding='utf-8') as file:
            parts.append(pandas.read_csv(file, na_values=['?']))
    return pandas.concat(parts, ignore_index=True)


def file(*names):
    return lambda rng: read(*names)


def frame(x, y):
    return pandas.DataFrame({**{f'x{i + 1}': x[:, i] for i in range(x.shape[1])}, 'target': y})


def friedman1(rng, n=3000):
    x = rng.random((n, 10))
    y = 10 * numpy.sin(numpy.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - .5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return frame(x, y + rng.standard_normal(n))


def friedman2(rng, n=3000):
    x = rng.random((n, 4)) * [100, 520 * numpy.pi, 1, 10] + [0, 40 * numpy.pi, 0, 1]
    y = numpy.sqrt(x[:, 0] ** 2 + (x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])) ** 2)
    return frame(x, y + 125 * rng.standard_normal(n))


def uneven(rng, n=3000):
    """Noise whose size depends on the row."""
    x = rng.random((n, 6))
    return frame(x, numpy.sin(6 * x[:, 0]) + x[:, 1] + (.05 + x[:, 2]) * rng.standard_normal(n))


def skewed(rng, n=3000):
    """Positive, with a heavy right tail."""
    x = rng.random((n, 6))
    return frame(x, numpy.exp(2 * x[:, 0] * x[:, 1] + x[:, 2] + .5 * rng.standard_normal(n)))


def rings(rng, n=3000):
    x = rng.standard_normal((n, 8))
    p = 1 / (1 + numpy.exp(-2 * ((x[:, :4] ** 2).sum(1) - 4)))
    return frame(x, numpy.where(rng.random(n) < p, 'out', 'in'))


def elec2_demand(rng):
    return read('elec2').drop(columns=['target', 'date']).rename(columns={'nswdemand': 'target'})


def wine_class(rng):
    t = read('winequality')
    return t.assign(target='q' + t.target.clip(4, 8).astype(int).astype(str))


SETS = {
    'california': Set('regress', 'choose', file('california')),
    'wine': Set('regress', 'choose', file('winequality')),
    'nyc2013': Set('regress', 'choose', file('flight-nyc2013')),
    'svm-time': Set('regress', 'choose', file('hpo-svm-grid-time')),
    'friedman1': Set('regress', 'choose', friedman1),
    'ctslices': Set('regress', 'choose', file('ctslices-part')),
    'uneven': Set('regress', 'choose', uneven),
    'us2008feb': Set('regress', 'report', file('flight-us2008feb')),
    'hou2011': Set('regress', 'report', file('flight-hou2011')),
    'airbnb': Set('regress', 'report', file('airbnb-nyc19')),
    'yearmsd': Set('regress', 'report', file('yearmsd-part')),
    'svm': Set('regress', 'report', file('hpo-svm-grid')),
    'friedman2': Set('regress', 'report', friedman2),
    'skewed': Set('regress', 'report', skewed),
    'elec2-demand': Set('regress', 'report', elec2_demand),
    'motorcycle': Set('regress', 'report', file('motorcycle')),
    'letter': Set('class', 'choose', file('letter-train', 'letter-test')),
    'satimage': Set('class', 'choose', file('satimage-train', 'satimage-test')),
    'magic04': Set('class', 'choose', file('magic04')),
    'dna': Set('class', 'choose', file('dna-train', 'dna-test', 'dna-valid')),
    'airlines': Set('class', 'choose', file('airlines')),
    'covertype': Set('class', 'choose', file('covertype')),
    'weather': Set('class', 'choose', file('weather')),
    'usps': Set('class', 'report', file('usps-train', 'usps-test')),
    'pendigits': Set('class', 'report', file('pendigits-train', 'pendigits-test')),
    'madelon': Set('class', 'report', file('madelon-train', 'madelon-test')),
    'elec2': Set('class', 'report', file('elec2')),
    'wine-class': Set('class', 'report', wine_class),
    'mushroom': Set('class', 'report', file('mushroom')),
    'rings': Set('class', 'report', rings),
    'california-north': Set('regress', 'shift', file('california')),
    'flights-month': Set('regress', 'shift', file('flight-nyc2013')),
    'wine-colour': Set('regress', 'shift', file('winequality')),
    'friedman1-corner': Set('regress', 'shift', friedman1),
}
# Which rows of a shift are tested; the others are learnt from.
AWAY = {
    'california-north': lambda t: t.latitude > t.latitude.quantile(.8),
    'flights-month': lambda t: t.month > 9,
    'wine-colour': lambda t: t.colour == t.colour.value_counts().index[-1],
    'friedman1-corner': lambda t: t.x4 > .8,
}


def split(name, t, rng, rows):
    t['target'] = t.target.astype(str) if SETS[name].task == 'class' else t.target
    t = t.iloc[rng.permutation(len(t))]
    if name in AWAY:
        away = AWAY[name](t)
        train, test = t[~away][:rows * 2 // 3], t[away][:rows // 3]
        return (train.drop(columns='colour'), test.drop(columns='colour')) if 'colour' in t else (train, test)
    t = t[:rows]
    return t[len(t) // 3:], t[:len(t) // 3]


def folder(name, number, rows, out):
    """Where train.csv and test.csv of a split are; makes them."""
    path = os.path.join(out, 'splits', f'{name}-{rows}-{number}')
    if not os.path.exists(os.path.join(path, 'test.csv')):
        rng = numpy.random.default_rng(1000 + number)
        train, test = split(name, SETS[name].make(rng), rng, rows)
        os.makedirs(path, exist_ok=True)
        train.to_csv(os.path.join(path, 'train.csv'), index=False)
        test.to_csv(os.path.join(path, 'test.csv'), index=False)
    return path
