/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wrapping words: see wrap.h. */
#include "framework/util/wrap.h"

#include <string.h>

enum { COLUMNS = 80 };

void pv_put_wrapped(FILE *f, const char *head, const char *words, unsigned indent)
{
	size_t column = strlen(head);

	fputs(head, f);
	while (*words) {
		size_t n = strcspn(words, " ");

		if (column + 1 + n > COLUMNS && column > indent) {
			fprintf(f, "\n%*s", (int)indent - 1, "");
			column = indent - 1;
		}
		fprintf(f, " %.*s", (int)n, words);
		column += 1 + n;
		words += n + strspn(words + n, " ");
	}
	fputc('\n', f);
}
