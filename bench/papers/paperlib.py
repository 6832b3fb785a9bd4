"""What the scripts of bench/papers share: folds, runs, and the page each one writes to docs/papers."""
import argparse
import contextlib
import gzip
import json
import os
import random
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import benchlib as lib  # noqa: E402

PAGES = os.path.join(lib.ROOT, 'docs', 'papers')
TADDY = 'M. Taddy, C.-S. Chen, J. Yu, M. Wyle, Bayesian and empirical Bayesian forests, ICML 2015'
TOP_DOWN = 'B. Lakshminarayanan, D. M. Roy, Y. W. Teh, Top-down particle filtering for Bayesian decision trees, ICML 2013'


# -------------------------------------------------------------------------------------------------------- running

def read_lines(name):
    """Header and rows of a data set, as text."""
    with gzip.open(lib.data_file(name), 'rt', encoding='utf-8') as file:
        return next(file), file.readlines()


def write_lines(path, header, lines):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(header)
        file.writelines(lines)


@contextlib.contextmanager
def folds(name, count, seed=1):
    """(train, test) files of each fold; every method, and every peer, meets the same rows."""
    header, lines = read_lines(name)
    random.Random(seed).shuffle(lines)
    with tempfile.TemporaryDirectory() as folder:
        pairs = []
        for k in range(count):
            pair = [os.path.join(folder, f'{part}{k}.csv') for part in ('train', 'test')]
            write_lines(pair[0], header, [line for i, line in enumerate(lines) if i % count != k])
            write_lines(pair[1], header, lines[k::count])
            pairs.append(pair)
        yield pairs


def judge(pairs, method, *options, seed=1):
    """The scores of every fold."""
    return [lib.copse('fit', train, '-t', 'target', '--task', 'regress', '-m', method, '--seed', seed, *options, '--test', test,
                      pinned=False) for train, test in pairs]


def peer(pairs, kind, trees, min_leaf):
    """The RMSE of scikit-learn's forest on every fold, all features at each split."""
    import numpy
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs:
            spec = {'kind': kind, 'task': 'regress', 'trees': trees, 'min_leaf': min_leaf, 'features': 0, 'seed': 1}
            for part, path in zip(('train', 'test'), pair):
                with open(path, encoding='utf-8') as file:
                    text = file.read().replace(',red,', ',0,').replace(',white,', ',1,')
                rows = numpy.array([line.split(',') for line in text.split('\n')[1:] if line], dtype=numpy.float64)
                spec[part] = os.path.join(folder, part + '.npy')
                numpy.save(spec[part], rows)
            answers.append(lib.peer('forest.py', json.dumps(spec)))
    return answers


def mean(runs, what='rmse', scale=1.0):
    return statistics.fmean(r[what] for r in runs) * scale


def paired(a, b):
    """Mean and standard error of a - b, entry by entry."""
    return lib.mean_se([x - y for x, y in zip(a, b)])


# ----------------------------------------------------------------------------------------------------------- page

class Page:
    """A page of docs/papers: text, tables, pictures and the claims that were checked."""

    def __init__(self, name, title, command, paper=TADDY):
        self.name, self.checks = name, []
        self.parts = [f'# {title}', '', f'Made by `{command}` with copse {lib.version()}. Paper: {paper}.', '']
        os.makedirs(os.path.join(PAGES, 'img'), exist_ok=True)

    def text(self, *paragraphs):
        for paragraph in paragraphs:
            self.parts += [paragraph, '']

    def table(self, header, rows):
        rows = [[str(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
        lines = ['| ' + ' | '.join(cell.ljust(w) for cell, w in zip(row, widths)) + ' |' for row in [header] + rows]
        lines.insert(1, '|' + '|'.join('-' * (w + 2) for w in widths) + '|')
        self.parts += [*lines, '']

    def image(self, words):
        """The path of a new picture, which the page shows; words describe it to those who cannot see it."""
        count = sum(part.startswith('![') for part in self.parts)
        file = f'{self.name}{f"-{count + 1}" if count else ""}.svg'
        self.parts += [f'![{words}](img/{file})', '']
        return os.path.join(PAGES, 'img', file)

    def check(self, claim, ours, bound, kept):
        self.checks.append([claim, ours, bound, 'yes' if kept else 'NO'])

    def finish(self):
        if self.checks:
            self.parts += ['## Checked', '']
            self.table(['', 'ours', 'bound', 'kept'], self.checks)
        path = os.path.join(PAGES, self.name + '.md')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(self.parts).rstrip() + '\n')
        print('\n'.join(self.parts))
        print(f'written: {os.path.relpath(path, lib.ROOT)}')
        return 0 if all(check[3] == 'yes' for check in self.checks) else 1


def main(doc, work):
    """One command: work(quick) answers a finished page's exit code."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='fewer folds, repeats or draws: a look, not a result')
    options = parser.parse_args()
    try:
        return work(options.quick)
    except lib.Skip as reason:
        print(f'skipped: {reason}', file=sys.stderr)
        return 0
