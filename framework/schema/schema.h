/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The languages of test plans and of board descriptions: elements, attributes, types, defaults and help, each declared
 * once. A new attribute is one line in the table of its element (plan.c, topology.c, steps.c, checks.c, board.c), a new
 * type one line in types.def. From these come the checks, messages and defaults of `validate` and of the agent, the XML
 * Schema, docs/plan-reference.md and completion. No XML here: framework/plan checks documents, framework/agent steps.
 */
#ifndef PV_SCHEMA_SCHEMA_H
#define PV_SCHEMA_SCHEMA_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Parts of a value that depend on where functions stand (framework/board/translate.h). */
enum pv_type_holds {
	PV_HOLDS_BDF = 1,
	PV_HOLDS_PMU = 2, /* names of PMUs, which may have BDFs in them */
	PV_HOLDS_TEXT = PV_HOLDS_BDF | PV_HOLDS_PMU,
	PV_HOLDS_REGEX = PV_HOLDS_TEXT | 4, /* "\." may stand for "." */
};

enum pv_type_form { PV_TYPE_FORM_ANY, PV_TYPE_FORM_PATTERN, PV_TYPE_FORM_ENUM, PV_TYPE_FORM_LIST };

struct pv_type {
	const char *name, *doc; /* doc: what is expected, ready for a message */
	enum pv_type_holds holds;
	bool parameters; /* ${name} may stand in the value, which is checked after substitution */
	enum pv_type_form form;
	const char *pattern;		  /* PATTERN: a regular expression for the whole value */
	const char *const *values;	  /* ENUM, ended by NULL */
	const char *synonym[2];		  /* ENUM: a word that is understood, too, and the value that it stands for */
	struct pv_type *item;		  /* LIST: of each word; a list has at least one */
	uint64_t max;			  /* largest number; 0: no limit */
	bool (*valid)(const char *value); /* what a pattern cannot say; or NULL */
	regex_t regex;			  /* of pattern, compiled at first use */
	bool compiled;
};

enum pv_type_id {
#define X(id, ...) PV_TYPE_##id,
#include "framework/schema/types.def"
#undef X
	PV_TYPES
};
extern struct pv_type pv_types[PV_TYPES];

enum pv_member_form {
	PV_MEMBER_NUMBER,
	PV_MEMBER_BOOL,
	PV_MEMBER_SIZE,	       /* bytes, as a field of a register: 128 << n */
	PV_MEMBER_WORD,	       /* the index of the value in its type */
	PV_MEMBER_WORD_FROM_1, /* that, from 1 */
	PV_MEMBER_FILTERS,     /* of a CPMU: bit 0 hdm, bit 1 bank */
	PV_MEMBER_SLOT,	       /* struct pv_slot_conf, from words */
	PV_MEMBER_EVENTS,      /* uint32_t[PV_DWC_GROUPS_MAX], from event numbers */
};

/* The member of a struct of drivers/regs/topology.h that an attribute of a topology sets. */
struct pv_attr_member {
	const char *key; /* in the JSON for the agent (docs/protocol.md) */
	enum pv_member_form form;
	uint16_t offset, size;
	uint16_t flag;	 /* offset of a bool without which it means nothing; 0: it always does */
	const char *yes; /* BOOL: the value that is true; NULL: yes */
};

struct pv_attr_decl {
	const char *name;
	struct pv_type *type;
	const char *doc;
	const char *value; /* the default, or NULL */
	bool required;
	uint64_t min, max;		     /* of numbers; max 0: that of the type */
	const struct pv_attr_member *member; /* of topologies; or NULL */
};

enum pv_rule { PV_RULE_NONE, PV_RULE_ONE_OF, PV_RULE_SOME_OF, PV_RULE_NOT_BOTH };
struct pv_rule_decl {
	enum pv_rule rule;
	const char *attrs[8]; /* ended by NULL */
};

#define PV_ATTR_LISTS  8
#define PV_SECONDS_MAX 99999 /* largest number of the type SECONDS */

struct pv_element_decl {
	const char *name, *doc;
	const char *within;				     /* of this element only; NULL: of all that list its name */
	struct pv_type *text;				     /* has text, no elements; or NULL */
	const struct pv_attr_decl *attrs[PV_ATTR_LISTS + 1]; /* lists, each ended by name NULL */
	const char *children;				     /* names, separated by spaces; or NULL */
	bool steps;					     /* holds steps as well */
	const struct pv_rule_decl *rules;		     /* ended by PV_RULE_NONE, or NULL */
};

struct pv_schema {
	const struct pv_element_decl *const *lists; /* ended by NULL; each list ended by name NULL */
};
extern const struct pv_schema pv_plan_schema, pv_board_schema;

/* Walk the elements of a schema and the attributes of an element, in the order of the tables. */
#define pv_element_foreach(e, s)                                                                   \
	for (const struct pv_element_decl *const *elements_ = (s)->lists; *elements_; elements_++) \
		for (const struct pv_element_decl *e = *elements_; e->name; e++)
#define pv_attr_foreach(a, e)                                                          \
	for (const struct pv_attr_decl *const *attrs_ = (e)->attrs; *attrs_; attrs_++) \
		for (const struct pv_attr_decl *a = *attrs_; a->name; a++)

/*
 * Attributes that set the members of struct pv_node_conf, pv_cpmu_conf, pv_cpmu_cap_conf, ..._counter_conf and
 * pv_cfg_override.
 */
extern const struct pv_element_decl pv_node_members, pv_cpmu_members, pv_event_cap_members, pv_counter_members,
	pv_config_members;

/* The i-th element or attribute in that order; NULL: there are no more. */
const struct pv_element_decl *pv_schema_nth(const struct pv_schema *s, unsigned i);
const struct pv_attr_decl *pv_element_nth_attr(const struct pv_element_decl *e, unsigned i);

/* Both return NULL if there is none. `within` NULL: an element that several elements can contain. */
const struct pv_element_decl *pv_schema_element(const struct pv_schema *s, const char *within, const char *name);
const struct pv_attr_decl *pv_schema_attr(const struct pv_element_decl *e, const char *name);
/* Returns the element of this name that e may hold; NULL: it holds none. */
const struct pv_element_decl *pv_schema_child(const struct pv_schema *s, const struct pv_element_decl *e,
					      const char *name);
/* Returns the i-th element that e may hold; NULL: there are no more. */
const struct pv_element_decl *pv_schema_nth_child(const struct pv_schema *s, const struct pv_element_decl *e,
						  unsigned i);
bool pv_element_is_step(const struct pv_element_decl *e);
/* Returns the declaration of a step of plans. NULL: there is no such step. */
const struct pv_element_decl *pv_schema_step(const char *name);

/* Returns true if an attribute, a text or a list of the schema is of this type. */
bool pv_schema_uses(const struct pv_schema *s, const struct pv_type *t);

/* Returns the index of a value in an ENUM, or that of its synonym; -1: no such value. */
int pv_type_index(const struct pv_type *t, const char *value);
/* Compiles the patterns of all types, for processes that are forked after it: each would compile those that it uses. */
void pv_types_compile(void);
/* Returns true if the literal value is valid. Values with ${...} are not literal. */
bool pv_type_accepts(struct pv_type *t, const char *value);
bool pv_attr_accepts(const struct pv_attr_decl *a, const char *value);
/* Writes what a value must be, for messages: "a link speed in GT/s: 2.5, 5, 8, 16 or 32". */
void pv_attr_expected(const struct pv_attr_decl *a, char *out, size_t size);

/* Sets the member of *base, from a text that the attribute accepts, or writes it as such a text. */
void pv_member_set(const struct pv_attr_decl *a, void *base, const char *text);
void pv_member_text(const struct pv_attr_decl *a, const void *base, char *out, size_t size);
/* Sets all members of *base to their defaults. */
void pv_members_default(const struct pv_element_decl *members, void *base);
uint64_t pv_member_number(const struct pv_attr_member *m, const void *base);

/*
 * Returns true if as many attributes are there as the rule wants, which `has` tells. Else writes what is wrong:
 * "exactly one of the attributes kind mix, got 2".
 */
bool pv_rule_holds(const struct pv_rule_decl *r, bool (*has)(const void *ctx, const char *attr), const void *ctx,
		   char *why, size_t size);

/* Parses a number such as "0x10", "64KiB", "3G". 0 or -EINVAL. */
int pv_number_parse(const char *text, uint64_t *out);
/* The same for one that may begin with a minus. */
int pv_integer_parse(const char *text, int64_t *out);

/* Prints the XML Schema, docs/plan-reference.md, or the steps with their attributes for a terminal. */
void pv_schema_xsd(const struct pv_schema *s, FILE *out);
void pv_schema_reference(const struct pv_schema *s, FILE *out);
void pv_schema_steps(const struct pv_schema *s, FILE *out);

#endif
