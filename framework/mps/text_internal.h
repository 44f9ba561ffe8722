/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output for people: what its files share. */
#ifndef PV_MPS_TEXT_INTERNAL_H
#define PV_MPS_TEXT_INTERNAL_H

#include "framework/util/wrap.h"

enum { INDENT = 4 }; /* of the further lines of a paragraph */

#endif
