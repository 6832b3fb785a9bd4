"""Functions that the scripts of bench share: running copse and its peers, finding data, tables."""
import argparse
import hashlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
COPSE = os.path.join(ROOT, 'build', 'copse')
PYTHON = '/usr/bin/python3'  # Debian's, which has Debian's scikit-learn
VENV = os.path.join(ROOT, 'build', 'bench-venv')  # peers that are not Debian packages: --install-peers
CACHE = os.path.join(ROOT, 'build', 'bench-peers.json')


class Skip(Exception):
    """A case cannot run here; the text says what is missing."""


# --------------------------------------------------------------------------------------------------------- data

def data_folder():
    """The folder of the data sets: $COPSE_DATA, else ../shared/data beside the tree; None if neither exists."""
    for folder in (os.environ.get('COPSE_DATA'), os.path.join(ROOT, '..', 'shared', 'data')):
        if folder and os.path.isdir(folder):
            return os.path.abspath(folder)
    return None


def data_file(name):
    folder = data_folder()
    if not folder:
        raise Skip('no data sets: set COPSE_DATA to a folder with letter-train.csv.gz and the others')
    path = os.path.join(folder, name + '.csv.gz')
    if not os.path.exists(path):
        raise Skip(f'{name}.csv.gz is not in the data folder')
    return path


# ------------------------------------------------------------------------------------------------------ running

def one_core():
    """In the child: one core and no extra threads, so that CPU seconds are comparable."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def copse(*args, pinned=True):
    """Runs the program with --json and returns its last object, with wall and cpu seconds of the process added."""
    command = [COPSE, *map(str, args), '--json', '--quiet']
    # Through a shell: a process inherits the peak memory of its parent, and Python is large.
    wrapped = ['/bin/sh', '-c', '"$@"; exit $?', 'sh', *command]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(wrapped, capture_output=True, text=True, preexec_fn=one_core if pinned else None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}\nexit {done.returncode}: {done.stderr.strip()}')
    lines = [line for line in done.stdout.split('\n') if line.startswith('{')]
    answer = json.loads(lines[-1])
    answer['process_seconds'] = time.monotonic() - start
    answer['process_cpu_seconds'] = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return answer


def run_copse(*args):
    """The same without reading a result from stdout."""
    done = subprocess.run([COPSE, *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'copse {" ".join(map(str, args))}\nexit {done.returncode}: {done.stderr.strip()}')
    return done.stdout


def install_peers(*names):
    """Installs peers from PyPI into a virtual environment of the build."""
    if not os.path.exists(os.path.join(VENV, 'bin', 'pip')):
        subprocess.run([PYTHON, '-m', 'venv', VENV], check=True)
    subprocess.run([os.path.join(VENV, 'bin', 'pip'), 'install', '--quiet', *names], check=True)


def peer(script, *args, python=PYTHON):
    """A peer in its own process, on one core; it prints one JSON object."""
    env = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
    interpreter = ['Rscript', '--vanilla'] if script.endswith('.R') else [python]
    command = [*interpreter, os.path.join(ROOT, 'bench', 'peers', script), *map(str, args)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, preexec_fn=one_core)
    except FileNotFoundError as error:
        raise Skip(f'{interpreter[0]} is not installed: tools/setup bench, or --install-peers') from error
    if done.returncode:
        if 'ModuleNotFoundError' in done.stderr or 'no package called' in done.stderr:
            raise Skip(f'{script}: its package is not installed: tools/setup bench')
        raise RuntimeError(f'{script}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def packages(*names):
    """The versions of Debian packages, as a text that changes when one of them does."""
    done = subprocess.run(['dpkg-query', '-W', '-f', '${Package} ${Version}\n', *names], capture_output=True, text=True)
    return done.stdout


def remembered(enabled, key, measure):
    """The result of `measure`, which is saved under its key.  If enabled, a saved result is used instead of measuring
    again, and marked: that is quick, but then the two sides of a ratio are not from one run."""
    kept = {}
    name = hashlib.sha256(json.dumps([machine(), *key]).encode()).hexdigest()[:16]
    if os.path.exists(CACHE):
        with open(CACHE, encoding='utf-8') as file:
            kept = json.load(file)
    if enabled and name in kept:
        return {**kept[name], 'earlier': True}
    kept[name] = measure()
    with open(CACHE + '.new', 'w', encoding='utf-8') as file:
        json.dump(kept, file, indent=1)
    os.replace(CACHE + '.new', CACHE)
    return kept[name]


def program(name, *args):
    """A benchmark program of the build, run on one core; every line of JSON it prints."""
    path = os.path.join(ROOT, 'build', 'bench', name)
    if not os.path.exists(path):
        raise Skip(f'{name} is not built: meson configure build -Dtests=true && ninja -C build')
    done = subprocess.run([path, *map(str, args)], capture_output=True, text=True, preexec_fn=one_core, check=True)
    return [json.loads(line) for line in done.stdout.split('\n') if line.startswith('{')]


def bare_rss():
    """Peak memory of the program with almost nothing to do."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'tiny.csv')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('x,y\n' + ''.join(f'{i},{i % 7}.5\n' for i in range(20)))
        return copse('fit', path, '-m', 'mondrian', '-t', 'y', '--task', 'regress', '--trees', 1, '--threads', 1)['peak_rss_mb']


# ------------------------------------------------------------------------------------------------------ figures

def spread(values):
    return {'min': min(values), 'median': statistics.median(values), 'repeats': len(values)}


def mean_se(values):
    mean = statistics.fmean(values)
    return mean, statistics.stdev(values) / len(values) ** .5 if len(values) > 1 else 0.0


def version():
    return run_copse('--version').split()[-1]


def machine():
    """A line about the machine: its hardware, not its name."""
    model = platform.machine()
    try:
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            model = next(line.split(':', 1)[1].strip() for line in file if line.startswith('model name'))
    except (OSError, StopIteration):
        pass
    return f'{model}, {os.cpu_count()} cores, Linux, {platform.machine()}'


class Report:
    """Collects JSON lines and tables, prints both at once, and writes them to the files given."""

    def __init__(self, title, options):
        self.options = options
        self.version = version()
        self.parts = [f'# {title}', '', f'copse {self.version}; {machine()}.', '']
        print(f'copse {self.version} on {machine()}', flush=True)

    def record(self, **fields):
        line = json.dumps({**fields, 'version': self.version})
        print(line, flush=True)
        if self.options.json:
            with open(self.options.json, 'a', encoding='utf-8') as file:
                file.write(line + '\n')

    def text(self, *lines):
        self.parts += [*lines, '']
        print('\n'.join(lines) + '\n', flush=True)

    def table(self, title, header, rows):
        rows = [[str(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
        lines = ['| ' + ' | '.join(cell.ljust(w) for cell, w in zip(row, widths)) + ' |' for row in [header] + rows]
        lines.insert(1, '|' + '|'.join('-' * (w + 2) for w in widths) + '|')
        self.text(f'## {title}', '', *lines)

    def finish(self):
        if self.options.markdown:
            with open(self.options.markdown, 'w', encoding='utf-8') as file:
                file.write('\n'.join(self.parts).rstrip() + '\n')


def main(title, cases, doc):
    """The command line of both programs: cases by name, each on its own."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cases', nargs='*', help='which to run (default: all)')
    parser.add_argument('--list', action='store_true', help='name the cases')
    parser.add_argument('--quick', action='store_true', help='fewer repeats and smaller sizes: a look, not a result')
    parser.add_argument('--earlier-peers', action='store_true',
                        help='take figures of peers measured earlier with the same version where there are any')
    parser.add_argument('--install-peers', action='store_true',
                        help='first install peers that are no Debian packages into build/bench-venv, from PyPI')
    parser.add_argument('--json', metavar='FILE', help='append the JSON lines to FILE')
    parser.add_argument('--markdown', metavar='FILE', help='write the tables to FILE')
    options = parser.parse_args()
    if options.list:
        for name, case in cases.items():
            print(f'{name:12} {case.__doc__.splitlines()[0]}')
        return 0
    unknown = [name for name in options.cases if name not in cases]
    if unknown:
        print(f'no case {", ".join(unknown)}; --list names them', file=sys.stderr)
        return 2
    if not os.path.exists(COPSE):
        print('build/copse is not there: run make', file=sys.stderr)
        return 2
    report, failed = Report(title, options), 0
    for name in options.cases or cases:
        print(f'== {name}', flush=True)
        try:
            cases[name](report, options.quick)
        except Skip as reason:
            report.text(f'{name}: skipped. {reason}')
        except (RuntimeError, subprocess.CalledProcessError, KeyError) as error:
            failed += 1
            print(f'{name}: FAILED. {type(error).__name__}: {error}', flush=True)
    report.finish()
    return 1 if failed else 0
