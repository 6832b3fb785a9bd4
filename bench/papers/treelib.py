"""Functions that the pages of the 2013 paper share: its train and test sets, runs over seeds, and its kind of picture."""
import contextlib
import math
import os
import random
import statistics
import tempfile

import figure
import paperlib
from paperlib import lib

COLOURS = [figure.BLUE, figure.VERMILION, figure.GREEN, figure.PURPLE, figure.ORANGE, figure.SKY]


@contextlib.contextmanager
def parts(name, seed=1):
    """Train and test files: the source's own split, else 70 % and 30 % of the rows in a random order, as in the paper."""
    if os.path.exists(os.path.join(lib.data_folder() or '', name + '-train.csv.gz')):
        yield lib.data_file(name + '-train'), lib.data_file(name + '-test')
        return
    header, lines = paperlib.read_lines(name)
    random.Random(seed).shuffle(lines)
    cut = round(.7 * len(lines))
    with tempfile.TemporaryDirectory() as folder:
        pair = [os.path.join(folder, part) for part in ('train.csv', 'test.csv')]
        paperlib.write_lines(pair[0], header, lines[:cut])
        paperlib.write_lines(pair[1], header, lines[cut:])
        yield pair


def point(data, method, options, seeds):
    """Means over seeds of one setting; log_p is the mean log probability of a test row's class."""
    runs = [lib.copse('fit', data[0], '-t', 'target', '--task', 'class', '-m', method, *options, '--seed', seed, '--test', data[1],
                      '--threads', 1) for seed in range(1, seeds + 1)]
    answer = {'options': options, 'seconds': statistics.fmean(run['fit_cpu_seconds'] for run in runs)}
    figures = {'log_p': [-run['log_loss'] for run in runs], 'accuracy': [run['accuracy'] for run in runs]}
    if 'log_marginal' in runs[0]:
        figures['log_marginal'] = [run['log_marginal'] for run in runs]
    for name, values in figures.items():
        answer[name] = statistics.fmean(values)
        answer[name + '_sd'] = statistics.stdev(values) if seeds > 1 else 0.0
    return answer


def series(data, method, common, option, sizes, seeds):
    """Points of growing size."""
    return [{**point(data, method, [*common, option, size], seeds), 'size': size} for size in sizes]


def cart(data):
    """The paper's horizontal lines: one tree, leaves of 10 rows, smoothed like the Bayesian ones."""
    return {criterion: point(data, 'cart', ['--min-leaf', 10, '--alpha', 5, '--criterion', criterion], 1)
            for criterion in ('gini', 'entropy')}


def seconds(value):
    return f'{value:.3g}'


def rows(label, points):
    """Table rows of a series."""
    return [[label, f'{p["size"]:,}', seconds(p['seconds']), f'{p["log_p"]:.4f} ± {p["log_p_sd"]:.4f}',
             f'{p["accuracy"]:.4f} ± {p["accuracy_sd"]:.4f}',
             f'{p["log_marginal"]:.1f} ± {p["log_marginal_sd"]:.1f}' if 'log_marginal' in p else ''] for p in points]


HEADER = ['', 'size', 'CPU s', 'log p(y given x), test', 'accuracy, test', 'log marginal']


def panels(path, title, subtitle, curves, columns, value, level=None, dashed=()):
    """One panel for each of `columns` ((key, label)), with a logarithmic x axis; `level`: horizontal lines by name."""
    width = 960
    f = figure.Figure(width, 470, title, subtitle)
    key, label = value
    heights = [p[key] + sign * p[key + '_sd'] for points in curves.values() for p in points for sign in (-1, 1)]
    heights += list((level or {}).values())
    room = (width - 120) / len(columns)
    f.legend(90, 96, [(name, 'line', colour) for name, colour in zip(curves, COLOURS)] + [(name, 'line', figure.FAINT) for name in level or {}])
    for i, (across, words) in enumerate(columns):
        xs = [math.log10(p[across]) for points in curves.values() for p in points]
        box = (90 + i * room, 120, 90 + (i + 1) * room - 50, 390)
        axes = figure.Axes(f, box, (min(xs) - .15, max(xs) + .15), figure.rounded(heights))
        axes.powers(words, 6, label if i == 0 else '')
        for height in (level or {}).values():
            f.line(box[0], axes.y(height), box[2], axes.y(height), stroke=figure.FAINT, stroke_dasharray='3 3')
        for (name, points), colour in zip(curves.items(), COLOURS):
            marks = [(math.log10(p[across]), p[key], p[key + '_sd']) for p in points]
            axes.path([(x, y) for x, y, _ in marks], stroke=colour, stroke_width=2, **({'stroke_dasharray': '6 4'} if name in dashed else {}))
            for x, y, sd in marks:
                f.line(axes.x(x), axes.y(y - sd), axes.x(x), axes.y(y + sd), stroke=colour)
                axes.dot(x, y, 3.4, fill=colour)
    f.save(path)


def time_to_reach(points, log_p):
    """The CPU time at which a series of growing size first reaches log_p, interpolated linearly in the logarithm of time; None
    if it never does."""
    before = None
    for p in points:
        if p['log_p'] >= log_p:
            if before is None:
                return p['seconds']
            share = (log_p - before['log_p']) / (p['log_p'] - before['log_p'])
            return math.exp(math.log(before['seconds']) + share * (math.log(p['seconds']) - math.log(before['seconds'])))
        before = p
    return None
