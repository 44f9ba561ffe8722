/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of several writers: times, and the packets of PCAP and pcapng. */
#ifndef PV_ANALYSIS_CONVERT_INTERNAL_H
#define PV_ANALYSIS_CONVERT_INTERNAL_H

#include "framework/analysis/convert.h"

#define PV_NS_PER_S 1000000000u

/* Converts ticks to units of 1/per_second s, rounded down. tick_hz 0: a tick is a nanosecond. */
static inline uint64_t pv_convert_time(uint64_t ticks, uint64_t tick_hz, uint64_t per_second)
{
	uint64_t hz = tick_hz ? tick_hz : PV_NS_PER_S;

	return hz == per_second ? ticks : (uint64_t)((unsigned __int128)ticks * per_second / hz);
}

#define PV_PCAP_PACKET_BYTES (PV_PCAP_PSEUDO_BYTES + 4 + 16)
struct pv_pcap_packet {
	uint32_t captured, original; /* bytes */
	uint8_t data[PV_PCAP_PACKET_BYTES];
};
/* Makes the packet of record i of a run. */
void pv_pcap_make_packet(struct pv_pcap_packet *p, const struct pv_convert_run *r, size_t i);

#endif
