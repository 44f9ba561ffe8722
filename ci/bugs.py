# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by ci/mutants, ci/driver-mutants and ci/defects: reads the tables of bugs and runs their witnesses.

Programs run in threads. Their child processes have the variable PCIEVAL_WITNESS_IN, which identifies them for killing.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import filecmp
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

MARK = 'PCIEVAL_WITNESS_IN'
NO_GUESTS = 'no QEMU or no guest: ci/qemu; ci/guest fast; ci/guest base; ci/guest far'
stopping = threading.Event()
# The drivers, and the headers of the kernel tree that they include.
COPIED = ('drivers/hwtracing/ptt/*.[ch]', 'drivers/perf/cxl_pmu.c', 'drivers/perf/dwc_pcie_pmu.c', 'drivers/cxl/*.h')
MAKEFILE = 'obj-m += drivers/hwtracing/ptt/hisi_ptt.o drivers/perf/cxl_pmu.o drivers/perf/dwc_pcie_pmu.o\n'


class Refused(Exception):
    """A line of a table that a script cannot use."""


class Stopped(Exception):
    """The script is ending, and has ended a program: how it ended says nothing."""


# ---- tables ----

def read(path):
    """Returns the text of a file, "" if there is none; bytes that are no UTF-8 survive."""
    try:
        return pathlib.Path(path).read_bytes().decode(errors='surrogateescape')
    except FileNotFoundError:
        return ''


def read_mutants(path, keys):
    """Reads paragraphs of lines "KEY VALUE" that begin with "mutant NAME"; returns {name: {key: value}}.

    The values of `edit` and `case` are lists: such a line may come again. A line that begins with # is a comment.
    """
    mutants, mutant = {}, None
    for number, line in enumerate(read(path).split('\n'), 1):
        key, _, value = line.partition(' ')
        value = value.lstrip(' ')
        if not line:
            mutant = None
        elif key == 'mutant' and value in mutants:
            raise Refused(f'{path}:{number}: mutant {value} is there twice')
        elif key == 'mutant':
            mutant = mutants[value] = {'mutant': value, 'edit': [], 'case': []}
        elif key.startswith('#'):
            continue
        elif mutant is None:
            raise Refused(f'{path}:{number}: "{key}" belongs to no mutant')
        elif key not in keys:
            raise Refused(f'{path}:{number}: "{key}" is none of {", ".join(keys)}')
        elif key in ('edit', 'case'):
            mutant[key].append(value)
        elif key in mutant:
            raise Refused(f'{path}:{number}: "{key}" is there twice')
        else:
            mutant[key] = value
    if not mutants:
        raise Refused(f'{path}: there is no mutant')
    for name, mutant in mutants.items():
        for key in ('for', 'file', 'edit'):
            if not mutant.get(key):
                raise Refused(f'{path}: mutant {name} has no "{key}"')
    return mutants


def read_rows(path, names):
    """Reads lines of fields separated by tabs, the first a name; returns {name: row}. The last ones may be left out."""
    row_of = collections.namedtuple('Row', names)
    rows = {}
    for number, line in enumerate(read(path).split('\n'), 1):
        fields = line.split('\t')
        if not line:
            continue
        if len(fields) > len(row_of._fields):
            raise Refused(f'{path}:{number}: expected {len(row_of._fields)} fields at most, got {len(fields)}')
        if fields[0] in rows:
            raise Refused(f'{path}:{number}: {fields[0]} is there twice')
        rows[fields[0]] = row_of(*fields, *[''] * (len(row_of._fields) - len(fields)))
    return rows


def edited(mutant, path):
    """Returns what sed makes of a file by the edits of a mutant; None if it refuses them, and says why."""
    done = subprocess.run(['sed', '-E', '-e', '\n'.join(mutant['edit']), path], stdout=subprocess.PIPE, check=False)
    return None if done.returncode else done.stdout


def apply(mutant, path, to, where=''):
    """Writes what the edits of a mutant make of a file to its copy; returns what is wrong, as lines, or nothing."""
    if not os.path.isfile(to):
        return ['needs a file']
    after = edited(mutant, path)
    if after is None:
        return ['sed does not take its edits']
    if after == pathlib.Path(path).read_bytes():
        return [f'the edit changes nothing in {mutant["file"]}{where}']
    pathlib.Path(to).write_bytes(after)
    return []


def tell(mutant, why, shown):
    """Says what is wrong with a mutant, if anything, else the lines to be shown of it, unless they are None."""
    if why:
        text = '\n'.join(why).rstrip('\n')
        print(f'{mutant["mutant"]} ({mutant["for"]}): {text}')
    elif shown is not None:
        print('\n'.join([f'== {mutant["mutant"]}: {mutant["for"]}', *shown]))


def copy_changed(path, to):
    """Copies a file, unless the copy is the same: it keeps its time then, and is not compiled again."""
    if not os.path.exists(to) or not filecmp.cmp(path, to, shallow=False):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)


def copy_drivers(tree, work):
    """Copies the drivers of a kernel into one folder, so that only what has changed is compiled; returns the folder."""
    for pattern in COPIED:
        for path in glob.glob(pattern, root_dir=tree):
            copy_changed(f'{tree}/{path}', f'{work}/{path}')
    pathlib.Path(work, 'Makefile').write_text(MAKEFILE, encoding='utf-8')
    return work


# ---- what programs have said ----

def lines(path):
    text = read(path)
    return text.removesuffix('\n').split('\n') if text else []


def grep(path, *begins):
    """Returns the lines of a file that begin with one of these words."""
    return [line for line in lines(path) if line.startswith(begins)]


def says(said, report):
    """Returns a list of the first line of a file that matches an extended regular expression as of grep."""
    done = subprocess.run(['grep', '-E', '-m', '1', '--', report, said], stdout=subprocess.PIPE, check=False)
    return [done.stdout.decode(errors='surrogateescape').removesuffix('\n')] if done.returncode == 0 else []


# ---- running programs ----

def run(argv, out, **options):
    """Runs a program without stdin, with its output in file `out`; returns its exit status as a shell tells it."""
    with open(out, 'wb') as f:
        status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, check=False,
                                **options).returncode
    if stopping.is_set():
        raise Stopped
    return status if status >= 0 else 128 - status


def run_cases(pcieval, folder, *options, said='//failure/text()|//error/text()', **more):
    """Runs cases of the scenarios; returns the exit status.

    The folder has what was printed (`out`), and what the report says of failures (`said`).
    """
    junit = f'{folder}/junit.xml'
    shutil.rmtree(f'{folder}/run', ignore_errors=True)
    pathlib.Path(junit).unlink(missing_ok=True)
    os.makedirs(folder, exist_ok=True)
    status = run([pcieval, 'run', *options, '--results', f'{folder}/run', '--junit', junit,
                  *sorted(glob.glob('scenarios/*.xml'))], f'{folder}/out', **more)
    with open(f'{folder}/said', 'wb') as f:
        subprocess.run(['xmllint', '--xpath', said, junit], stdout=f, stderr=subprocess.DEVNULL, check=False)
    return status


Session = collections.namedtuple('Session', 'said case cases seconds')


def explore(pcieval, folder, subjects, *options):
    """Explores until the first finding; the folder gets its plan. Returns its message, "" if nothing was found, its case,
    the number of cases and the seconds that they took. Refused: the session broke off."""
    words = [word for subject in subjects for word in ('--subject', subject)]
    shutil.rmtree(folder, ignore_errors=True)
    status = run([pcieval, 'explore', *words, '--jobs', '1', '--no-shrink', '--findings', '1', '--results', folder,
                  *options], f'{folder}.out')
    text = read(f'{folder}.out')
    done = re.search(r'^seed \d+: (\d+) cases with \d+ steps in ([\d.]+) s', text, re.M)
    if status not in (0, 1) or not done:
        raise Refused(f'exit status {status} of pcieval explore, which says:\n{text}')
    found = re.search(r'^  (?:\S+:\d+: )?(.*)\n  \d+ steps?, from case (\d+) ', text, re.M)
    said, case = found.groups() if found else ('', 0)
    return Session(said, int(case), int(done[1]), float(done[2]))


def succeeds(*argv):
    """Returns whether a program ends with status 0; what it prints is not shown."""
    return run(argv, os.devnull) == 0


def exit_status(failed, untried):
    """Returns the exit status of a script of tests; 77: nothing failed, and something was not tried."""
    return 1 if failed else 77 if untried else 0


def has_guests():
    """Returns whether target qemu has what it takes; NO_GUESTS says what makes it."""
    parts = [('ci/qemu', '--cached'), ('ci/guest', '--cached', 'fast'), ('ci/guest', '--cached', 'base')]
    return all(succeeds(*part) for part in parts)


def marked(folder):
    """Returns the environment of programs that end_marked(folder) finds."""
    return os.environ | {MARK: ':'.join(filter(None, [os.environ.get(MARK), folder]))}


def environment_of(pid):
    """Returns a process's environment. The kernel shows none during execve(), and at its end for a moment an empty one: it is
    read again then."""
    empty = 0
    for _ in range(20000):
        with open(f'/proc/{pid}/environ', 'rb') as f:
            environment = f.read()
        stat = read(f'/proc/{pid}/stat').rpartition(')')[2].split()
        if environment or not stat:
            break
        vsize, env_start, env_end = stat[20], stat[47], stat[48]
        empty = empty + 1 if '0' != env_start == env_end else 0
        if vsize == '0' or empty == 100:
            break
        time.sleep(0.001)
    return environment


def find_marked(folder):
    found = set()
    for pid in filter(str.isdigit, os.listdir('/proc')):
        with contextlib.suppress(OSError):
            for entry in environment_of(pid).split(b'\0'):
                name, _, value = entry.partition(b'=')
                if name == MARK.encode() and os.fsencode(folder) in value.split(b':'):
                    found.add(int(pid))
    return found


def end_marked(folder, patience=0):
    """Ends what runs with marked(folder): first by SIGTERM, if it has seconds to clean up, then by SIGKILL."""
    began = time.monotonic()
    for how, until in ((signal.SIGTERM, began + patience), (signal.SIGKILL, began + patience + 5)):
        told = set()
        while time.monotonic() < until and (found := find_marked(folder)):
            for pid in found - told:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, how)
            told |= found
            time.sleep(0.02)


def in_parallel(jobs, function, items, folder):
    """Returns function(item) for each item, in so many threads. An exception ends all that runs with marked(folder)."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stopping.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):
                end_marked(folder, patience=3)
            raise


@contextlib.contextmanager
def scratch(kept=''):
    """Makes a folder and marks what is started from now on. These processes end with it; it is removed, if not kept."""
    folder = os.path.abspath(kept) if kept else tempfile.mkdtemp()
    os.environ[MARK] = marked(folder)[MARK]
    try:
        yield folder
    finally:
        end_marked(folder, patience=3)
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


def parser(name, text):
    return argparse.ArgumentParser(prog=name, description=text, allow_abbrev=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def end(*_):
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(130)


def start(main):
    """Runs main() as a script: SIGINT and SIGTERM end it with status 130, after it has cleaned up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    sys.stdout.reconfigure(line_buffering=True, errors='surrogateescape')
    try:
        sys.exit(main())
    except Refused as refused:
        print(refused)
        sys.exit(2)
