/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target without libFuzzer: over the files that are named, or over generated inputs, the same
 * in every run. What is found this way is what any compiler's sanitizers can see.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS	 3000
#define MAX_SIZE 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Zeros, ones and random bytes in stretches: plain noise never looks like a record. */
static size_t generate(uint8_t *buf)
{
	size_t size = next_random() % (MAX_SIZE + 1);

	for (size_t i = 0; i < size;) {
		size_t stretch = 1 + next_random() % 32;
		unsigned how = next_random() % 4;

		for (; stretch && i < size; stretch--, i++)
			buf[i] = how == 0 ? 0 : how == 1 ? 0xff : (uint8_t)next_random();
	}
	return size;
}

static int run_file(const char *name)
{
	static uint8_t buf[1 << 20];
	FILE *f = fopen(name, "rb");
	size_t n;

	if (!f) {
		perror(name);
		return 1;
	}
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	return LLVMFuzzerTestOneInput(buf, n);
}

int main(int argc, char **argv)
{
	uint8_t buf[MAX_SIZE];
	int r = 0;

	for (int i = 1; i < argc; i++)
		r |= run_file(argv[i]);
	for (int i = 0; argc < 2 && i < RUNS; i++)
		r |= LLVMFuzzerTestOneInput(buf, generate(buf));
	return r;
}
