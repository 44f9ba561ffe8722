/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared parts of the text output. */
#ifndef PV_MPS_TEXT_INTERNAL_H
#define PV_MPS_TEXT_INTERNAL_H

#include "framework/util/wrap.h"

enum { INDENT = 4 }; /* of continuation lines of a paragraph */

#endif
