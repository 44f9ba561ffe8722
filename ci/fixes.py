# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables ci/driver-fixes.d/*.txt: reads them, applies their edits, and makes patches of them."""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import bugs

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = 'ci/driver-fixes.d/*.txt'
DEVIATIONS = 'fixtures/deviations/*.json'
ONCE = ('subject', 'fault', 'part', 'choice', 'document', 'severity', 'proof', '6.1', '7.3', 'from', 'until', 'kernel', 'options')
AGAIN = ('why', 'how', 'deviation', 'case', 'source', 'report')
PLACES = ('after', 'before', 'replace')
SERIES = ('6.12', '7.3')  # those that deviations were looked for in
SEVERITIES = ('panic', 'wrong', 'refused', 'silent', 'warning', 'minor')  # worst first; docs/linux-drivers.md explains them


# ---- tables ----

def add_line(fix, file, key, value, where):
    """Adds a line to a fix; returns the file that the next edits change."""
    if key in AGAIN:
        fix[key].append(value)
    elif key in ONCE and key not in fix:
        fix[key] = value
    elif key == 'file':
        return value
    elif key == 'edit' and file:
        fix['edits'].append({'file': file, 'edit': value})
    elif key == 'through' and fix['edits'] and 'replace' in fix['edits'][-1]:
        fix['edits'][-1]['through'] = value
    elif key in PLACES and file:
        fix['edits'].append({'file': file, key: value, 'text': []})
    else:
        raise bugs.Refused(f'{where}: "{key}" is unknown, there twice, or before its file')
    return file


def check_entry(path, entry):
    kind = 'fix' if 'fix' in entry else 'finding'
    for key in ('subject', 'why', 'edits') if kind == 'fix' else ('why', 'severity'):
        if not entry.get(key):
            raise bugs.Refused(f'{path}: {kind} {entry[kind]} has no "{key}"')
    if kind == 'finding' and (entry['edits'] or 'subject' in entry):
        raise bugs.Refused(f'{path}: finding {entry[kind]} has edits: it is a fix')
    if entry.get('severity', 'minor') not in SEVERITIES:
        raise bugs.Refused(f'{path}: {kind} {entry[kind]}: severity: expected {", ".join(SEVERITIES)}, got {entry["severity"]}')


def read_entries(path):
    """Reads paragraphs of lines "KEY VALUE" that begin with "fix NAME" or "finding NAME"; returns a list of {key: value}.

    `edits` is a list of dictionaries, in order: file, and either edit (commands of sed -E) or a place (after, before,
    replace: a regular expression that exactly one line matches; through: the last line that is replaced) with text, the
    lines that begin with "|". A line that begins with # is a comment.
    """
    fixes, file = [], None
    for number, line in enumerate(bugs.read(path).split('\n'), 1):
        key, _, value = line.partition(' ')
        value = value.strip()
        where = f'{path}:{number}'
        if line.startswith('|'):
            if not fixes or not fixes[-1]['edits'] or 'text' not in fixes[-1]['edits'][-1]:
                raise bugs.Refused(f'{where}: text belongs to after, before or replace')
            fixes[-1]['edits'][-1]['text'].append(line[1:] + '\n')
        elif not line or key.startswith('#'):
            continue
        elif key in ('fix', 'finding'):
            fixes.append({key: value, 'edits': [], **{again: [] for again in AGAIN}})
            file = None
        elif not fixes:
            raise bugs.Refused(f'{where}: "{key}" belongs to no fix')
        else:
            file = add_line(fixes[-1], file, key, value, where)
    for fix in fixes:
        check_entry(path, fix)
    return fixes


def read_fixes(path):
    """Returns the entries that are fixes; the others are findings that no fix of a driver mends."""
    return [entry for entry in read_entries(path) if 'fix' in entry]


def all_fixes():
    fixes = [fix for path in sorted(glob.glob(TABLES, root_dir=ROOT)) for fix in read_fixes(ROOT / path)]
    names = [fix['fix'] for fix in fixes]
    for name in names:
        if names.count(name) > 1:
            raise bugs.Refused(f'{TABLES}: fix {name} is there twice')
    return fixes


def named(fixes, names):
    """Returns the fixes of these names, in their order; all without names."""
    for name in sorted(set(names) - {fix['fix'] for fix in fixes}):
        raise bugs.Refused(f'there is no fix {name} for this kernel: ci/driver-fixes list')
    return [fix for fix in fixes if not names or fix['fix'] in names]


# ---- versions ----

def series(text):
    return tuple(int(part) for part in text.split('.')[:2])


def series_of(tree):
    text = bugs.read(f'{tree}/Makefile')
    found = [re.search(rf'^{name} = (\d+)$', text, re.M) for name in ('VERSION', 'PATCHLEVEL')]
    if not all(found):
        raise bugs.Refused(f'{tree}: its Makefile names no version: expected a kernel tree')
    return tuple(int(match[1]) for match in found)


def concerns(entry, version):
    """Whether a kernel has what a fix or a deviation is about: `from` is the first series with it, `until` the first
    without."""
    return (('from' not in entry or version >= series(entry['from'])) and
            ('until' not in entry or version < series(entry['until'])))


def fixes_of(tree):
    version = series_of(tree)
    return [fix for fix in all_fixes() if concerns(fix, version)]


# ---- edits ----

def line_that(lines, pattern, where, begin=None):
    """Returns the number of the one line that matches; with `begin`, of the first from there on."""
    found = [number for number, line in enumerate(lines)
             if number >= (begin or 0) and re.search(pattern, line.rstrip('\n'))]
    if not found or (len(found) > 1 and begin is None):
        raise bugs.Refused(f'{where}: expected one line that matches "{pattern}", got {len(found)}')
    return found[0]


def edit(path, change, where):
    """Makes one change of a file."""
    if 'edit' in change:
        after = bugs.edited({'edit': [change['edit']]}, path)
        if after in (None, pathlib.Path(path).read_bytes()):
            raise bugs.Refused(f'{where}: the edit changes nothing: {change["edit"]}')
        pathlib.Path(path).write_bytes(after)
        return
    lines = pathlib.Path(path).read_text(encoding='utf-8').splitlines(keepends=True)
    place = next(key for key in PLACES if key in change)
    first = line_that(lines, change[place], where)
    last = line_that(lines, change['through'], where, first) if 'through' in change else first
    if place == 'after':
        lines[first + 1:first + 1] = change['text']
    elif place == 'before':
        lines[first:first] = change['text']
    else:
        lines[first:last + 1] = change['text']
    pathlib.Path(path).write_text(''.join(lines), encoding='utf-8')


def files_of(*fixes):
    return sorted({change['file'] for fix in fixes for change in fix['edits']})


def copy_files(tree, folder, fixes):
    """Copies what the fixes change, and nothing else."""
    for file in files_of(*fixes):
        if not os.path.isfile(f'{tree}/{file}'):
            raise bugs.Refused(f'{tree} has no {file}')
        bugs.copy_changed(f'{tree}/{file}', f'{folder}/{file}')


def apply_to(folder, fix):
    for change in fix['edits']:
        edit(f'{folder}/{change["file"]}', change, f'fix {fix["fix"]}, {change["file"]}')


# ---- deviations ----

def lacking(fixes, entries):
    """Returns what is not told of deviations: neither a fix nor a choice; and what fixes name that is no deviation."""
    said = []
    for version in map(series, SERIES):
        mended = {name for fix in fixes if concerns(fix, version) for name in fix['deviation']}
        said += [f'{entry["id"]}: neither a fix nor a "choice" for {version[0]}.{version[1]}' for entry in entries
                 if concerns(entry, version) and 'choice' not in entry and entry['id'] not in mended]
    known = {entry['id'] for entry in entries if 'choice' not in entry}
    said += [f'fix {fix["fix"]}: no deviation {name} that is not a choice' for fix in fixes for name in fix['deviation']
             if name not in known]
    return list(dict.fromkeys(said))


def all_deviations():
    paths = sorted(glob.glob(DEVIATIONS, root_dir=ROOT))
    return [entry for path in paths for entry in json.loads(bugs.read(ROOT / path))]


# ---- patches ----

AUTHOR = 'Your Name <you@example.com>'


def paragraph(text):
    return textwrap.fill(text, 72, break_long_words=False, break_on_hyphens=False)


def message(fix):
    """Returns the body of the commit."""
    parts = fix['why'] + fix['how']
    if 'document' in fix:
        parts.append(f'See {fix["document"]}.')
    cases = fix['case']
    if len(cases) > 1:
        parts.append(f'Found by pcieval, cases {", ".join(cases[:-1])} and {cases[-1]}, which fail without this change and '
                     'pass with it.')
    elif cases:
        parts.append(f'Found by pcieval, case {cases[0]}, which fails without this change and passes with it.')
    else:
        parts.append('Found by reading the driver; no case of pcieval shows it.')
    return '\n\n'.join(map(paragraph, parts)) + '\n'


def diff(file, old, new):
    """Returns the change of a file as git writes it."""
    done = subprocess.run(['diff', '-U', '3', '-p', '--label', f'a/{file}', '--label', f'b/{file}', old, new],
                          stdout=subprocess.PIPE, text=True, check=False, encoding='utf-8')
    if done.returncode > 1:
        raise bugs.Refused(f'{file}: diff fails')
    return f'diff --git a/{file} b/{file}\n{done.stdout}' if done.stdout else ''


def patch(fix, number, count, diffs):
    """Returns a mail that `git am` takes."""
    head = (f'From {"0" * 40} Mon Sep 17 00:00:00 2001\nFrom: {AUTHOR}\n'
            f'Subject: [PATCH {number}/{count}] {fix["subject"]}\n'
            'MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n')
    return f'{head}\n{message(fix)}---\n{"".join(diffs)}-- \npcieval\n\n'


def write_patches(tree, fixes, folder, work):
    """Writes a numbered file for each fix; `work` gets the fixed files."""
    os.makedirs(folder, exist_ok=True)
    copy_files(tree, work, fixes)
    width = max(len(str(len(fixes))), 2)
    for number, fix in enumerate(fixes, 1):
        for file in files_of(fix):
            shutil.copy(f'{work}/{file}', f'{work}/{file}.before')
        apply_to(work, fix)
        diffs = [diff(file, f'{work}/{file}.before', f'{work}/{file}') for file in files_of(fix)]
        name = re.sub('[^A-Za-z0-9._]+', '-', fix['subject']).strip('-.')[:52].rstrip('-.')
        text = patch(fix, str(number).zfill(width), len(fixes), diffs)
        pathlib.Path(folder, f'{number:04}-{name}.patch').write_text(text, encoding='utf-8')
