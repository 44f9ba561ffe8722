/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plots as inline SVG: see stat_plot.h. */
#include "framework/trace/stat_plot.h"

#include <math.h>

enum { WIDTH = 900, HEIGHT = 250, LEFT = 76, RIGHT = 884, TOP = 34, BOTTOM = 200 };

static double x_of(const struct pv_plot *p, double x)
{
	return LEFT + x * (RIGHT - LEFT) / (p->x_max > 0 ? p->x_max : 1);
}

static double y_of(const struct pv_plot *p, double y)
{
	return BOTTOM - y * (BOTTOM - TOP) / p->y_max;
}

const char *pv_plot_number(double v, char buf[16])
{
	static const char units[][2] = {"", "k", "M", "G", "T", "P", "E"};
	unsigned u = 0;

	for (; v >= 999.5 && u + 1 < sizeof(units) / sizeof(*units); u++)
		v /= 1000;
	snprintf(buf, 16, "%.3g%.1s", v, units[u]);
	return buf;
}

/* The least of 1, 2, 5, 10, ... that is not below v. */
static double round_up(double v)
{
	double decade = pow(10, floor(log10(v)));
	double m = v / decade;

	return decade * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

void pv_plot_begin(struct pv_plot *p, const char *title, const char *unit)
{
	double step = p->y_max > 0 ? round_up(p->y_max / 5) : 1;
	unsigned n;
	char text[16];

	if (p->counts && step < 1)
		step = 1;
	n = p->y_max > 0 ? (unsigned)ceil(p->y_max / step) : 1;
	p->y_max = step * n;
	fprintf(p->f, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title>\n", WIDTH, HEIGHT, title);
	fprintf(p->f, "<text x=\"%d\" y=\"16\">%s</text>\n", 4, unit);
	for (unsigned i = 0; i <= n; i++) {
		double y = y_of(p, step * i);

		fprintf(p->f, "<line class=\"g\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, y, y);
		fprintf(p->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 5,
			pv_plot_number(step * i, text));
	}
}

void pv_plot_label(struct pv_plot *p, double x, const char *text)
{
	fprintf(p->f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(p, x), BOTTOM + 20, text);
}

void pv_plot_end(struct pv_plot *p, const char *unit)
{
	fprintf(p->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text></svg>\n", (LEFT + RIGHT) / 2,
		HEIGHT - 6, unit);
}

void pv_plot_end_scaled(struct pv_plot *p, double scale, const char *unit)
{
	double end = p->x_max * scale, step = round_up(end / 8);
	char text[16];

	for (double v = 0; v <= end; v += step)
		pv_plot_label(p, v / scale, pv_plot_number(v, text));
	pv_plot_end(p, unit);
}

void pv_plot_area(struct pv_plot *p, const char *cls, const double *low, const double *high, unsigned n)
{
	fprintf(p->f, "<path class=\"%s\" d=\"M%d,%d", cls, LEFT, BOTTOM);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "V%.1fH%.1f", y_of(p, high[i]), x_of(p, i + 1));
	for (unsigned i = n; i-- > 0;)
		fprintf(p->f, "V%.1fH%.1f", y_of(p, low ? low[i] : 0), x_of(p, i));
	fputs("Z\"/>\n", p->f);
}

void pv_plot_line(struct pv_plot *p, const char *cls, const double *y, unsigned n)
{
	fprintf(p->f, "<polyline class=\"l %s\" points=\"", cls);
	for (unsigned i = 0; i < n; i++)
		fprintf(p->f, "%.1f,%.1f ", x_of(p, i + 0.5), y_of(p, y[i]));
	fputs("\"/>\n", p->f);
}

void pv_plot_bar(struct pv_plot *p, const char *cls, double x, double width, double y)
{
	double height = fmax(BOTTOM - y_of(p, y), 1); /* one among millions is seen, too */

	if (y > 0)
		fprintf(p->f, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" y=\"%.1f\" height=\"%.1f\"/>\n", cls,
			x_of(p, x), x_of(p, x + width) - x_of(p, x), BOTTOM - height, height);
}

void pv_plot_mark(struct pv_plot *p, double x, unsigned level, const char *text)
{
	double at = x_of(p, x);
	int is_right = at > RIGHT - 90;

	fprintf(p->f, "<line class=\"m\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at, at, TOP - 14, BOTTOM);
	fprintf(p->f, "<text class=\"n\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", at + (is_right ? -5 : 5),
		TOP - 2 + 22 * (int)level, is_right ? "end" : "start", text);
}
