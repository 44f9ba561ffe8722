#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the law as C tables: the statements of docs/hardware-notes.md and the requirements of docs/requirements.md.

law.py NOTES REQUIREMENTS

A statement is a list item `- **F-C2** (text: CXL 8.2.7) Sentence.`, a rule of use one whose id begins with two capitals
(`CP-1`). A requirement is `- CP-CT-04 Text. [F-C2 F-C3]`, with `Shown: where.` behind it if the models alone cannot
show it; one that is shown elsewhere and rests on no statement is a promise of the framework itself. A list item goes on
in indented lines. What does not fit is refused with its line: status 1.
"""
import re
import sys

HOW = ('text', 'two', 'driver', 'decision', 'unpublished')
# A sentence ends in a full stop before a space and what begins another; "7.5.3.4, e.g. so" goes on.
SENTENCE_END = re.compile(r'(?<=\.) (?=[A-Z0-9\[`])')
STATEMENT = re.compile(r'\*\*(F-[A-Z]\d+|[A-Z]{2}-\d+)\*\* \((\w+)(?:: ([^()]*(?:\([^()]*\)[^()]*)*))?\) (\S.*)', re.S)
REQUIREMENT = re.compile(r'([A-Z]+(?:-[A-Z]+)?-\d\d) (.*?)(?: \[([A-Z0-9 -]+)\])?(?: Shown: (.*))?', re.S)
ID = re.compile(r'- (?:\*\*[A-Z]+-[A-Z]?\d+\*\*|[A-Z]+(?:-[A-Z]+)?-\d\d )')


class Refused(Exception):
    """A line of a document that says nothing that a table could hold."""


def items(path):
    """Yields (where, text) of each list item that begins with an id; what is indented under one belongs to it."""
    found = []
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            if ID.match(line):
                found.append([f'{path}:{number}', line[2:].strip()])
            elif found and found[-1] and line.startswith('  ') and line.strip():
                found[-1][1] += ' ' + line.strip()
            elif line.startswith('- '):
                found.append(None)
            elif not line.strip() and found and found[-1]:
                found.append(None)
    return [item for item in found if item]


def quoted(text):
    if text is None:
        return 'NULL'
    return '"' + ''.join(c if 32 <= b < 127 and c not in '"\\?' else f'\\{b:03o}'
                         for b, c in ((b, chr(b)) for b in text.encode())) + '"'


def unique(ids, where, name):
    if name in ids:
        raise Refused(f'{where}: {name} is there twice')
    ids.add(name)


def statements(path):
    rows, ids = [], set()
    for where, text in items(path):
        m = STATEMENT.fullmatch(text)
        if not m:
            raise Refused(f'{where}: expected "**ID** (how: source) Sentence.", got "{text[:60]}"')
        name, how, source, said = m.groups()
        if how not in HOW:
            raise Refused(f'{where}: {name}: "{how}" is none of {", ".join(HOW)}')
        if not source and how not in ('decision', 'unpublished'):
            raise Refused(f'{where}: {name}: which {how}? A source is missing')
        unique(ids, where, name)
        first = SENTENCE_END.split(said, 1)[0]
        rows.append(f'{{{quoted(name)}, PV_KNOWN_{how.upper()}, {quoted(source)}, {quoted(first)}, {quoted(said)}}}')
    return rows, ids


def requirements(path, known):
    rows, ids = [], set()
    for where, text in items(path):
        m = REQUIREMENT.fullmatch(text)
        if not m:
            raise Refused(f'{where}: expected "ID Text. [STATEMENTS] Shown: where.", got "{text[:60]}"')
        name, promise, rests, shown = m.groups()
        rests = (rests or '').split()
        for r in rests:
            if r not in known:
                raise Refused(f'{where}: {name} rests on {r}, which the notes do not have')
        unique(ids, where, name)
        needs = 'MODEL' if not shown else 'LINUX' if rests else 'SELF'
        rows.append(f'{{{quoted(name)}, {quoted(promise)}, PV_NEEDS_{needs}, {quoted(shown)}, '
                    f'(const char *const[]){{{"".join(quoted(r) + ", " for r in rests)}NULL}}}}')
    return rows


def table(declaration, rows):
    print(f'const {declaration}[] = {{\n\t' + ',\n\t'.join(rows + ['{NULL}']) + ',\n};')


def main(notes, promises):
    try:
        rows, ids = statements(notes)
        print('#include "framework/law/law.h"\n')
        table('struct pv_statement pv_statements', rows)
        table('struct pv_requirement pv_requirements', requirements(promises, ids))
    except Refused as e:
        sys.exit(str(e))


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: law.py NOTES REQUIREMENTS')
    main(*sys.argv[1:])
