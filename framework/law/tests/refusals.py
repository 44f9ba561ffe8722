#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What law.py takes from the two documents, and what it refuses."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAW = pathlib.Path(__file__).parent.parent / 'law.py'
NOTES = '- **F-C1** (text: CXL 8.2.7) A sentence\n  goes on.\n'
PROMISES = '- CP-CT-04 Threshold. [F-C1]\n'


def run(notes, promises):
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ('notes.md', 'requirements.md')]
        for path, text in zip(paths, (notes, promises)):
            path.write_text(text, encoding='utf-8')
        return subprocess.run([sys.executable, LAW, *paths], capture_output=True, text=True, check=False)


class Law(unittest.TestCase):
    def refused(self, message, notes=NOTES, promises=PROMISES):
        ended = run(notes, promises)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(message, ended.stderr)

    def test_a_statement_goes_on_in_indented_lines(self):
        self.assertIn('{"F-C1", PV_KNOWN_TEXT, "CXL 8.2.7", "A sentence goes on.", "A sentence goes on."}',
                      run(NOTES, PROMISES).stdout)

    def test_a_sentence_ends_before_the_next_one(self):
        for first, more in (('One is here.', ' Two is there.'), ('PCIe 7.5.3.4 says so.', ''),
                            ('Bits [7:0], e.g. all ones, stay.', ' `x` goes.'), ('No stop', '')):
            self.assertIn(f'"{first}", "{first}{more}"}}', run(f'{NOTES}- **F-C9** (decision) {first}{more}\n', PROMISES).stdout)

    def test_other_list_items_and_tables_are_prose(self):
        notes = NOTES + '\n| a | b |\n|---|---|\n\n- prose\n  of a list\n'
        self.assertEqual(run(notes, PROMISES).stdout, run(NOTES, PROMISES).stdout)

    def test_a_requirement_has_its_statements_and_where_it_is_shown(self):
        self.assertIn('{"CP-LX-01", "It counts.", PV_NEEDS_LINUX, "on QEMU.", (const char *const[]){"F-C1", NULL}}',
                      run(NOTES, '- CP-LX-01 It counts. [F-C1] Shown: on QEMU.\n').stdout)

    def test_a_decision_may_be_its_own_source(self):
        self.assertIn('PV_KNOWN_DECISION, NULL', run(NOTES + '- **F-C9** (decision) So.\n', PROMISES).stdout)

    def test_a_statement_says_how_it_is_known(self):
        self.refused('notes.md:3', NOTES + '- **F-C9** So.\n')
        self.refused('"hearsay" is none of text, two', NOTES + '- **F-C9** (hearsay: a friend) So.\n')

    def test_a_statement_has_a_source(self):
        self.refused('F-C9: which driver?', NOTES + '- **F-C9** (driver) So.\n')

    def test_ids_are_unique(self):
        self.refused('F-C1 is there twice', NOTES + NOTES)
        self.refused('CP-CT-04 is there twice', promises=PROMISES + PROMISES)

    def test_a_requirement_rests_on_statements_that_are_there(self):
        self.refused('requirements.md:1: CP-CT-04 rests on F-C7', promises='- CP-CT-04 Threshold. [F-C7]\n')


if __name__ == '__main__':
    unittest.main()
