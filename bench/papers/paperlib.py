"""Functions that the scripts of bench/papers share: folds, runs, and the page that each writes to docs/papers."""
import argparse
import collections
import contextlib
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import benchdata  # noqa: E402,F401 (for the scripts)
import benchlib as lib  # noqa: E402

PAGES = os.path.join(lib.ROOT, 'docs', 'papers')
LOOKS = os.path.join(lib.ROOT, 'build', 'papers')  # pages of --quick, which never replace those of docs/papers

Paper = collections.namedtuple('Paper', 'short full')
TOP_DOWN = Paper('Lakshminarayanan et al. 2013',
                 'B. Lakshminarayanan, D. M. Roy, Y. W. Teh, Top-down particle filtering for Bayesian decision trees, ICML 2013')
ONLINE = Paper('Lakshminarayanan et al. 2014',
               'B. Lakshminarayanan, D. M. Roy, Y. W. Teh, Mondrian forests: efficient online random forests, NIPS 2014')
TADDY = Paper('Taddy et al. 2015',
              'M. Taddy, C.-S. Chen, J. Yu, M. Wyle, Bayesian and empirical Bayesian forests, ICML 2015')
REGRESSION = Paper('Lakshminarayanan et al. 2016',
                   'B. Lakshminarayanan, D. M. Roy, Y. W. Teh, Mondrian forests for large-scale regression when uncertainty matters, '
                   'AISTATS 2016')
THESIS = Paper('Thesis 2016',
               'B. Lakshminarayanan, Decision trees and forests: a probabilistic perspective, PhD thesis, UCL 2016')

# What a script declares: the paper, its tables and figures, a title, and the data sets that it needs.  Its number and name
# are those of its file.
About = collections.namedtuple('About', 'paper part title data', defaults=[()])

KEPT, NOT_KEPT, SKIPPED = 0, 3, 77  # exit codes; 1 is Python's own, for a script that broke


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
    """(train, test) files of each fold; every method and every peer gets the same rows."""
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

    def __init__(self, about, name, folder):
        self.name, self.folder, self.checks = name, folder, []
        self.parts = [f'# {about.title}: {about.part}', '',
                      f'Made by `bench/papers/{name}` with copse {lib.version()}. Paper: {about.paper.full}.', '']
        os.makedirs(os.path.join(folder, 'img'), exist_ok=True)

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
        """The path of a new picture of the page; words are its alternative text."""
        count = sum(part.startswith('![') for part in self.parts)
        file = f'{self.name}{f"-{count + 1}" if count else ""}.svg'
        self.parts += [f'![{words}](img/{file})', '']
        return os.path.join(self.folder, 'img', file)

    def check(self, claim, ours, bound, kept):
        self.checks.append([claim, ours, bound, 'yes' if kept else 'NO'])

    def finish(self):
        if self.checks:
            self.parts += ['## Checked', '']
            self.table(['', 'ours', 'bound', 'kept'], self.checks)
        path = os.path.join(self.folder, self.name + '.md')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(self.parts).rstrip() + '\n')
        print('\n'.join(self.parts))
        print(f'written: {os.path.relpath(path, lib.ROOT)}')
        return KEPT if all(check[3] == 'yes' for check in self.checks) else NOT_KEPT


def declare(about, name):
    print(json.dumps({'name': name, **about._asdict(), 'paper': about.paper.short}))
    return KEPT


def main(doc, about, work):
    """The command line of a script: work(page, quick) fills a page and returns the result of its finish()."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='smaller sizes, fewer repeats: a look, written to build/papers')
    parser.add_argument('--about', action='store_true', help='run nothing; print what this is as JSON')
    options, name, start = parser.parse_args(), os.path.basename(sys.argv[0]), time.monotonic()
    if options.about:
        return declare(about, name)
    try:
        for data in about.data:
            lib.data_file(data)
        code = work(Page(about, name, LOOKS if options.quick else PAGES), options.quick)
    except (lib.Skip, ModuleNotFoundError) as reason:
        print(f'skipped: {reason}', file=sys.stderr)
        return SKIPPED
    print(f'took {time.monotonic() - start:.0f} s')
    return code
