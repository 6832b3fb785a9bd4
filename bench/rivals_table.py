"""What bench/rivals found, as tables."""
import json
import os

import numpy

import rivals_data as data

METRICS = {'regress': {'crps': 0, 'is90': 0, 'rmse': 0, 'nlpd': 0}, 'class': {'log_loss': .01, 'ece': 0, 'brier': 0, 'error': 0}}


def load(name, opt):
    """method: mean of each metric over the splits."""
    found = {}
    for file in sorted(os.listdir(opt.out)):
        if not (file.startswith(name + '.') and file.endswith('.json')):
            continue
        method = file[len(name) + 1:-len('.json')]
        if opt.methods and method not in opt.methods.split(','):
            continue
        with open(os.path.join(opt.out, file), encoding='utf-8') as f:
            runs = json.load(f)[:opt.splits]
        keys = {k for r in runs for k, v in r.items() if isinstance(v, (int, float))}
        found[method] = {k: float(numpy.mean([r[k] for r in runs if r.get(k) is not None])) for k in keys}
    return found


def ranks(values):
    order = sorted(values.values())
    return {m: numpy.mean([i + 1 for i, w in enumerate(order) if w == v]) for m, v in values.items()}


def show_task(task, names, opt):
    sets = {n: load(n, opt) for n in names if data.SETS[n].task == task}
    sets = {n: s for n, s in sets.items() if s}
    if not sets:
        return
    methods = sorted(set.intersection(*(set(s) for s in sets.values())))
    print(f'\n{task}: {len(sets)} sets; geometric mean of the ratio to the best of each set (worst), mean rank')
    print(f'{"":16}', *(f'{k:>22}' for k in METRICS[task]), '      cpu', '  held90 (least, most)' if task == 'regress' else '')
    for m in methods:
        cells = []
        for key, plus in METRICS[task].items():
            ratio, rank = [], []
            for s in sets.values():
                values = {o: s[o][key] + plus for o in methods if key in s[o]}
                if m in values and key == 'nlpd':
                    ratio.append(numpy.exp(values[m] - min(values.values())))
                elif m in values:
                    ratio.append(max(values[m], 1e-9) / max(min(values.values()), 1e-9))
                if m in values:
                    rank.append(ranks(values)[m])
            cells.append(f'{numpy.exp(numpy.mean(numpy.log(ratio))):7.3f} ({max(ratio):6.3f}) {numpy.mean(rank):4.1f}'
                         if ratio else f'{"-":>20}')
        held = [s[m]['coverage'] for s in sets.values() if 'coverage' in s[m]]
        print(f'{m:16}', *(f'{c:>22}' for c in cells), f'{numpy.mean([s[m]["cpu"] for s in sets.values()]):9.2f}',
              f'{numpy.mean(held):.3f} ({min(held):.3f}, {max(held):.3f})' if held else '')


def show(names, opt):
    for task in METRICS:
        show_task(task, names, opt)
