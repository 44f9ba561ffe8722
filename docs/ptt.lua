-- SPDX-License-Identifier: GPL-2.0-or-later
-- Wireshark dissector for the PCAP that `pcieval trace convert --to pcap` writes (docs/trace.md has the layout).
-- Use it once:  tshark -X lua_script:docs/ptt.lua -r trace.pcap
-- or put it in Wireshark's folder of personal Lua plugins; `meson install` puts it where Wireshark looks for global ones.

local ptt = Proto("ptt", "PCIe TLP traced by a HiSilicon PTT")

local directions = { [0] = "unknown", [1] = "inbound", [2] = "outbound" }
local statuses = { [0] = "SC", [1] = "UR", [2] = "CRS", [4] = "CA" }

-- By Fmt[1:0] and Type (PCIe 5.0 table 2-3, and DMWr of 6.0).
local kinds = {
	[0] = { [0x00] = "MRd32", [0x01] = "MRdLk32", [0x02] = "IORd", [0x04] = "CfgRd0", [0x05] = "CfgRd1",
		[0x0a] = "Cpl", [0x0b] = "CplLk" },
	[1] = { [0x00] = "MRd64", [0x01] = "MRdLk64" },
	[2] = { [0x00] = "MWr32", [0x02] = "IOWr", [0x04] = "CfgWr0", [0x05] = "CfgWr1", [0x0a] = "CplD",
		[0x0b] = "CplDLk", [0x0c] = "FetchAdd32", [0x0d] = "Swap32", [0x0e] = "CAS32", [0x1b] = "DMWr32" },
	[3] = { [0x00] = "MWr64", [0x0c] = "FetchAdd64", [0x0d] = "Swap64", [0x0e] = "CAS64", [0x1b] = "DMWr64" },
}
for routing = 0, 7 do
	kinds[1][0x10 + routing] = "Msg"
	kinds[3][0x10 + routing] = "MsgD"
end

local f = {
	version = ProtoField.uint8("ptt.version", "Version"),
	format = ProtoField.uint8("ptt.format", "Record format (DW)"),
	direction = ProtoField.uint8("ptt.direction", "Direction", base.DEC, directions),
	flags = ProtoField.uint8("ptt.flags", "Flags", base.HEX),
	time_is = ProtoField.uint8("ptt.time_is", "Time is", base.DEC, { [0] = "unknown", [1] = "clock", [2] = "distance" }, 0x06),
	time = ProtoField.uint32("ptt.time", "Time (raw)"),
	offset = ProtoField.uint64("ptt.offset", "Offset in the payload", base.HEX),
	prefix = ProtoField.uint32("ptt.prefix", "TLP prefix", base.HEX),
	pasid = ProtoField.uint32("ptt.pasid", "PASID", base.HEX, nil, 0x000fffff),
	pasid_exe = ProtoField.bool("ptt.pasid_exe", "Execute requested", 32, nil, 0x00100000),
	pasid_pmr = ProtoField.bool("ptt.pasid_pmr", "Privileged mode requested", 32, nil, 0x00200000),
	kind = ProtoField.string("ptt.kind", "Kind"),
	fmt = ProtoField.uint32("ptt.fmt", "Fmt", base.HEX, nil, 0xe0000000),
	type = ProtoField.uint32("ptt.type", "Type", base.HEX, nil, 0x1f000000),
	tc = ProtoField.uint32("ptt.tc", "Traffic class", base.DEC, nil, 0x00700000),
	ido = ProtoField.bool("ptt.ido", "ID-based ordering", 32, nil, 0x00040000),
	th = ProtoField.bool("ptt.th", "TLP hints", 32, nil, 0x00010000),
	td = ProtoField.bool("ptt.td", "TLP digest", 32, nil, 0x00008000),
	ep = ProtoField.bool("ptt.ep", "Poisoned", 32, nil, 0x00004000),
	ro = ProtoField.bool("ptt.ro", "Relaxed ordering", 32, nil, 0x00002000),
	ns = ProtoField.bool("ptt.ns", "No snoop", 32, nil, 0x00001000),
	at = ProtoField.uint32("ptt.at", "Address type", base.DEC, nil, 0x00000c00),
	length = ProtoField.uint32("ptt.length_dw", "Length (DW)"),
	requester = ProtoField.string("ptt.requester", "Requester"),
	completer = ProtoField.string("ptt.completer", "Completer"),
	destination = ProtoField.string("ptt.destination", "Destination"),
	tag = ProtoField.uint32("ptt.tag", "Tag", base.HEX),
	first_be = ProtoField.uint32("ptt.first_be", "First byte enables", base.HEX, nil, 0x0000000f),
	last_be = ProtoField.uint32("ptt.last_be", "Last byte enables", base.HEX, nil, 0x000000f0),
	address = ProtoField.uint64("ptt.address", "Address", base.HEX),
	register = ProtoField.uint32("ptt.register", "Register", base.HEX, nil, 0x00000ffc),
	message_code = ProtoField.uint32("ptt.message_code", "Message code", base.HEX, nil, 0x000000ff),
	status = ProtoField.uint32("ptt.status", "Status", base.DEC, statuses, 0x0000e000),
	bcm = ProtoField.bool("ptt.bcm", "Byte count modified", 32, nil, 0x00001000),
	byte_count = ProtoField.uint32("ptt.byte_count", "Byte count"),
	lower_address = ProtoField.uint32("ptt.lower_address", "Lower address", base.HEX, nil, 0x0000007f),
}
ptt.fields = f

local function bdf(id)
	return string.format("%02x:%02x.%x", bit.rshift(id, 8), bit.band(bit.rshift(id, 3), 0x1f), bit.band(id, 7))
end

-- T9 and T8 are in the first DW, the rest is where the caller says.
local function tag_of(dw0, low)
	return (dw0:bitfield(8, 1) * 2 + dw0:bitfield(12, 1)) * 256 + low:uint()
end

local function completion(tree, hdr, info)
	tree:add(f.completer, hdr(4, 2), bdf(hdr(4, 2):uint()))
	tree:add(f.status, hdr(4, 4))
	tree:add(f.bcm, hdr(4, 4))
	local count = bit.band(hdr(4, 4):uint(), 0xfff)
	tree:add(f.byte_count, hdr(6, 2), count == 0 and 4096 or count)
	tree:add(f.requester, hdr(8, 2), bdf(hdr(8, 2):uint()))
	tree:add(f.tag, hdr(10, 1), tag_of(hdr(0, 4), hdr(10, 1)))
	tree:add(f.lower_address, hdr(8, 4))
	info.src, info.dst = bdf(hdr(4, 2):uint()), bdf(hdr(8, 2):uint())
	local status = bit.band(bit.rshift(hdr(4, 4):uint(), 13), 7)
	info.text = string.format("tag 0x%03x %s, %d bytes left", tag_of(hdr(0, 4), hdr(10, 1)),
		statuses[status] or tostring(status), count == 0 and 4096 or count)
end

local function request(tree, hdr, info, kind)
	tree:add(f.requester, hdr(4, 2), bdf(hdr(4, 2):uint()))
	tree:add(f.tag, hdr(6, 1), tag_of(hdr(0, 4), hdr(6, 1)))
	info.src = bdf(hdr(4, 2):uint())
	info.text = string.format("tag 0x%03x", tag_of(hdr(0, 4), hdr(6, 1)))
	if kind:sub(1, 3) == "Msg" then
		tree:add(f.message_code, hdr(4, 4))
		info.text = string.format("code 0x%02x", hdr(7, 1):uint())
		return
	end
	tree:add(f.first_be, hdr(4, 4))
	tree:add(f.last_be, hdr(4, 4))
	if kind:sub(1, 3) == "Cfg" then
		tree:add(f.destination, hdr(8, 2), bdf(hdr(8, 2):uint()))
		tree:add(f.register, hdr(8, 4))
		info.dst = bdf(hdr(8, 2):uint())
		info.text = string.format("%s register 0x%03x", info.text, bit.band(hdr(8, 4):uint(), 0xffc))
		return
	end
	local four = hdr(0, 1):bitfield(2, 1) == 1
	local range = four and hdr(8, 8) or hdr(8, 4)
	local low = bit.band(four and hdr(12, 4):uint() or hdr(8, 4):uint(), 0xfffffffc)
	local address = UInt64.new(low, four and hdr(8, 4):uint() or 0)
	tree:add(f.address, range, address)
	info.dst = "0x" .. address:tohex():gsub("^0+", "")
end

local function header(tree, hdr, format, info)
	local dw0 = hdr(0, 4)
	local code = hdr(0, 1):uint()
	local by_type = code < 0x80 and kinds[bit.rshift(code, 5)] or {}
	local kind = by_type[bit.band(code, 0x1f)] or "undefined"

	tree:add(f.kind, hdr(0, 1), kind)
	for _, field in ipairs(format == 8 and { "fmt", "type", "tc", "ido", "th", "td", "ep", "ro", "ns", "at" } or
		{ "fmt", "type", "th", "ro" }) do
		tree:add(f[field], dw0)
	end
	info.kind = kind
	if kind == "undefined" then
		return
	end
	local length = bit.band(dw0:uint(), 0x3ff)
	length = length == 0 and 1024 or length
	local has_length = kind ~= "Cpl" and kind ~= "CplLk" and kind ~= "Msg"
	if has_length then
		tree:add(f.length, hdr(2, 2), length)
	end
	if kind:sub(1, 3) == "Cpl" then
		completion(tree, hdr, info)
	else
		request(tree, hdr, info, kind)
	end
	if has_length then
		info.text = string.format("%s %d DW", info.text, length)
	end
end

function ptt.dissector(buffer, pinfo, tree)
	local prefix = buffer(3, 1):bitfield(7, 1)
	local top = tree:add(ptt, buffer())
	local format = buffer(1, 1):uint()
	local info = { text = "" }

	top:add(f.version, buffer(0, 1))
	top:add(f.format, buffer(1, 1))
	top:add(f.direction, buffer(2, 1))
	top:add(f.flags, buffer(3, 1))
	top:add(f.time_is, buffer(3, 1))
	top:add(f.time, buffer(4, 4))
	top:add(f.offset, buffer(8, 8))
	if prefix == 1 then
		top:add(f.prefix, buffer(16, 4))
		if buffer(16, 1):uint() == 0x91 then
			top:add(f.pasid, buffer(16, 4))
			top:add(f.pasid_exe, buffer(16, 4))
			top:add(f.pasid_pmr, buffer(16, 4))
		end
	end
	header(top, buffer(16 + 4 * prefix):tvb(), format, info)
	pinfo.cols.protocol = "PTT"
	pinfo.cols.src = info.src or ""
	pinfo.cols.dst = info.dst or ""
	pinfo.cols.info = info.kind .. " " .. info.text
	top:append_text(": " .. info.kind .. " " .. info.text)
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, ptt)
