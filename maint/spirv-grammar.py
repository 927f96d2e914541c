#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes lib/spirv/grammar_enum.h and lib/spirv/grammar.inc from Khronos' machine-readable grammars.

	maint/spirv-grammar.py [FOLDER [OUTPUT]]

FOLDER holds spirv.core.grammar.json and the extinst.*.grammar.json that SETS names (Debian's spirv-headers
puts them in /usr/include/spirv/unified1); OUTPUT is the folder to write into. The same input gives the same bytes.
"""

import json
import os
import sys

# Sets of extended instructions: by which name they are imported, and the file. A name that ends with a dot is
# followed by the set's revision. Later files add values to the kinds of operands of earlier ones; the names of earlier ones stay.
SETS = [
	("GLSL.std.450", "glsl.std.450"),
	("OpenCL.std", "opencl.std.100"),
	("OpenCL.DebugInfo.100", "opencl.debuginfo.100"),
	("DebugInfo", "debuginfo"),
	("NonSemantic.Shader.DebugInfo.100", "nonsemantic.shader.debuginfo.100"),
	("NonSemantic.ClspvReflection.", "nonsemantic.clspvreflection"),
	("SPV_AMD_gcn_shader", "spv-amd-gcn-shader"),
	("SPV_AMD_shader_ballot", "spv-amd-shader-ballot"),
	("SPV_AMD_shader_explicit_vertex_parameter", "spv-amd-shader-explicit-vertex-parameter"),
	("SPV_AMD_shader_trinary_minmax", "spv-amd-shader-trinary-minmax"),
]
CATEGORIES = ["BitEnum", "ValueEnum", "Id", "Literal", "Composite"]
QUANTIFIERS = {"": 0, "?": 0x40, "*": 0x80}
NEAR = 448      # opcodes that are looked up in an array
NEVER = 255     # a version that no module has: reserved, an extension or a capability must allow it
HEADER = "/* SPDX-License-Identifier: MIT */\n/* %s Made by maint/spirv-grammar.py from grammar 1.%d revision %d; do not edit. */\n"


def minor(version, default):
	if version is None:
		return default
	return NEVER if version == "None" else int(version.split(".")[1])


def number(value):
	return int(value, 0) if isinstance(value, str) else value


class Strings:
	"""One array of terminated strings; a string is its offset."""

	def __init__(self):
		self.text, self.offsets = [], {}
		self.bytes = 0

	def add(self, text):
		if text not in self.offsets:
			self.offsets[text] = self.bytes
			self.text.append(text)
			self.bytes += len(text) + 1
		return self.offsets[text]


class Lists:
	"""One array of small numbers; a list is its offset, shared with equal ones."""

	def __init__(self):
		self.values, self.known = [], {}

	def add(self, values):
		key = tuple(values)
		if not key:
			return 0
		if key not in self.known:
			self.known[key] = len(self.values)
			self.values += values
		return self.known[key]


class Rows:
	"""Rows of a table, equal ones once."""

	def __init__(self):
		self.rows, self.known = [], {}

	def add(self, row):
		if row not in self.known:
			self.known[row] = len(self.rows)
			self.rows.append(row)
		return self.known[row]


class Grammar:
	def __init__(self, folder):
		with open(os.path.join(folder, "spirv.core.grammar.json"), encoding="utf-8") as file:
			self.core = json.load(file)
		self.sets = []
		for name, place in SETS:
			with open(os.path.join(folder, "extinst.%s.grammar.json" % place), encoding="utf-8") as file:
				self.sets.append((name, json.load(file)))
		self.strings, self.operands, self.needs = Strings(), Lists(), Rows()
		self.capability_lists, self.extension_lists = Lists(), Lists()
		self.operand_kinds = self.all_kinds()
		self.kinds = [kind["kind"] for kind in self.operand_kinds]
		self.kind_number = {kind: i for i, kind in enumerate(self.kinds)}
		self.enumerants = {kind["kind"]: self.merged(kind) for kind in self.operand_kinds
				   if "enumerants" in kind}
		self.capabilities = [row["enumerant"] for row in self.enumerants["Capability"]]
		self.capability_number = {}
		for i, row in enumerate(self.enumerants["Capability"]):
			for name in row["aliases"]:
				self.capability_number[name] = i
		self.extensions = sorted({name for name in self.all_extensions()})
		self.extension_number = {name: i for i, name in enumerate(self.extensions)}
		self.classes = sorted({i["class"] for i in self.core["instructions"]})

	@staticmethod
	def merge(rows, number_key, name_key):
		"""Several names of one number become one row: what allows any of them allows it."""
		merged = {}
		for row in rows:
			value = number(row[number_key])
			if value not in merged:
				merged[value] = dict(row, aliases=[row[name_key]])
				merged[value][number_key] = value
				continue
			first = merged[value]
			first["aliases"].append(row[name_key])
			for key in ("capabilities", "extensions"):
				first[key] = first.get(key, []) + [x for x in row.get(key, []) if x not in first.get(key, [])]
			if minor(row.get("version"), 0) < minor(first.get("version"), 0):
				first["version"] = row.get("version")
		return [merged[value] for value in sorted(merged)]

	def all_kinds(self):
		"""The core's kinds and those of the sets that some instruction takes, by category."""
		kinds = {kind["kind"]: kind for kind in self.core["operand_kinds"]}
		for _, grammar in self.sets:
			used = {o["kind"] for row in grammar["instructions"] for o in row.get("operands", [])}
			for kind in grammar.get("operand_kinds", []):
				if kind["kind"] not in used:
					continue
				known = kinds.setdefault(kind["kind"], dict(kind, enumerants=[]))["enumerants"]
				values = [number(row["value"]) for row in known]
				known += [row for row in kind["enumerants"] if number(row["value"]) not in values]
		return sorted(kinds.values(), key=lambda kind: CATEGORIES.index(kind["category"]))

	def merged(self, kind):
		return self.merge(kind["enumerants"], "value", "enumerant")

	def all_extensions(self):
		for row in self.core["instructions"]:
			yield from row.get("extensions", [])
		for kind in self.operand_kinds:
			for row in kind.get("enumerants", []):
				yield from row.get("extensions", [])

	def need(self, row):
		capabilities = sorted({self.capability_number[name] for name in row.get("capabilities", [])})
		extensions = sorted(self.extension_number[name] for name in row.get("extensions", []))
		return self.needs.add((self.capability_lists.add(capabilities), len(capabilities),
				       self.extension_lists.add(extensions), len(extensions),
				       minor(row.get("version"), 0), minor(row.get("lastVersion"), NEVER)))

	def kind_list(self, operands):
		kinds = [self.kind_number[o["kind"]] | QUANTIFIERS[o.get("quantifier", "")] for o in operands]
		return self.operands.add(kinds), len(kinds)

	def opcodes(self):
		return self.merge(self.core["instructions"], "opcode", "opname")

	def implied(self):
		"""For each capability, all that declaring it declares."""
		direct = [[self.capability_number[name] for name in row.get("capabilities", [])]
			  for row in self.enumerants["Capability"]]
		sets = []
		for i in range(len(direct)):
			seen, open_ = {i}, [i]
			while open_:
				for next_ in direct[open_.pop()]:
					if next_ not in seen:
						seen.add(next_)
						open_.append(next_)
			sets.append(sum(1 << bit for bit in seen))
		return sets


def write_enum(grammar, out):
	core = grammar.core
	out.write(HEADER % ("The numbers of SPIR-V, as the specification names them.",
			    core["minor_version"], core["revision"]))
	out.write("#ifndef GLC_SPIRV_GRAMMAR_ENUM_H\n#define GLC_SPIRV_GRAMMAR_ENUM_H\n\nenum spv_op {\n")
	for row in core["instructions"]:
		out.write("\t%s = %d,\n" % (row["opname"], row["opcode"]))
	out.write("};\n\nenum spv_class {\n")
	for name in grammar.classes:
		out.write("\tClass%s,\n" % name.replace("@", "").replace("-", "").replace("_", ""))
	out.write("};\n\n/* Kinds of operands. */\nenum spv_kind {\n")
	for name in grammar.kinds:
		out.write("\tKind%s,\n" % name)
	out.write("\tKindCount\n};\n")
	for kind in core["operand_kinds"]:
		if "enumerants" not in kind:
			continue
		bits = kind["category"] == "BitEnum"
		out.write("\nenum spv_%s {\n" % kind["kind"])
		for row in kind["enumerants"]:
			name = kind["kind"] + row["enumerant"] + ("Mask" if bits else "")
			value = number(row["value"])
			out.write("\t%s = %s,\n" % (name, "0x%x" % value if bits else value))
		out.write("};\n")
	out.write("\n/* Capabilities and extensions by place in the tables: members of sets. */\nenum {\n")
	for name in grammar.capabilities:
		out.write("\tHas%s,\n" % name)
	out.write("\tHasCount\n};\n\nenum spv_extension {\n")
	for name in grammar.extensions:
		out.write("\t%s,\n" % name)
	out.write("\tExtensionCount\n};\n\n/* Sets of extended instructions. */\nenum spv_set_name {\n")
	for name, _ in grammar.sets:
		out.write("\tSet%s,\n" % "".join(c for c in name if c.isalnum()))
	out.write("\tSetCount\n};\n\nenum spv_glsl {\n")
	for row in grammar.sets[0][1]["instructions"]:
		out.write("\tGlsl%s = %d,\n" % (row["opname"], row["opcode"]))
	out.write("};\n\n#endif\n")


def numbers(out, declaration, values):
	out.write("%s = {" % declaration)
	for i, value in enumerate(values):
		out.write("%s%d," % ("\n\t" if i % 24 == 0 else " ", value))
	out.write("\n};\n\n" if values else "0};\n\n")


def table(out, declaration, row_format, rows):
	out.write("%s = {\n" % declaration)
	for row in rows:
		out.write("\t{%s},\n" % (row_format % row))
	out.write("};\n\n")


def write_tables(grammar, out):
	core = grammar.core
	strings = grammar.strings
	out.write(HEADER % ("Opcodes, operands and what allows them.", core["minor_version"], core["revision"]))
	opcodes, enumerants, kinds = [], [], []
	for row in grammar.opcodes():
		operands = row.get("operands", [])
		offset, count = grammar.kind_list(operands)
		flags = any(o["kind"] == "IdResultType" for o in operands) | \
			any(o["kind"] == "IdResult" for o in operands) << 1
		opcodes.append((row["opcode"], strings.add(row["opname"]), grammar.need(row), offset, count,
				grammar.classes.index(row["class"]), flags))
	for kind in grammar.operand_kinds:
		rows = grammar.enumerants.get(kind["kind"], [])
		kinds.append((len(enumerants), len(rows), strings.add(kind["kind"]),
			      CATEGORIES.index(kind["category"])))
		for row in rows:
			offset, count = grammar.kind_list(row.get("parameters", []))
			enumerants.append((row["value"], strings.add(row["enumerant"]), grammar.need(row), offset, count))
	sets, extended = [], []
	for name, instructions in grammar.sets:
		rows = sorted(instructions["instructions"], key=lambda row: row["opcode"])
		sets.append((strings.add(name), len(extended), len(rows)))
		for row in rows:
			offset, count = grammar.kind_list(row.get("operands", []))
			extended.append((row["opcode"], strings.add(row["opname"]), offset, count))

	table(out, "const struct spv_op_row spv_op_rows[]", "%d, %d, %d, %d, %d, %d, %d", opcodes)
	out.write("/* Rows + 1 of the low opcodes, which nearly all are. */\nconst uint16_t spv_near_rows[SPV_NEAR] = {\n")
	places = {row[0]: i + 1 for i, row in enumerate(opcodes)}
	for i in range(0, NEAR, 16):
		out.write("\t%s,\n" % ", ".join(str(places.get(op, 0)) for op in range(i, i + 16)))
	out.write("};\n\n")
	table(out, "const struct spv_enumerant spv_enumerants[]", "%uu, %d, %d, %d, %d", enumerants)
	table(out, "const struct spv_kind_row spv_kind_rows[KindCount]", "%d, %d, %d, %d", kinds)
	table(out, "static const struct spv_need needs[]", "%d, %d, %d, %d, %d, %d", grammar.needs.rows)
	table(out, "static const struct spv_set_row set_rows[SetCount]", "%d, %d, %d", sets)
	out.write("/* Set by set, in each by number. */\n")
	table(out, "static const struct spv_ext_row ext_rows[]", "%d, %d, %d, %d", extended)
	out.write("/* What each capability declares besides itself, and itself. */\n"
		  "static const uint64_t implied[HasCount][4] = {\n")
	for bits in grammar.implied():
		out.write("\t{%s},\n" % ", ".join("0x%x" % (bits >> 64 * i & (1 << 64) - 1) for i in range(4)))
	out.write("};\n\n")
	numbers(out, "static const uint16_t extension_names[ExtensionCount]",
		[strings.add(name) for name in grammar.extensions])
	numbers(out, "const uint8_t spv_kind_lists[]", grammar.operands.values)
	numbers(out, "static const uint8_t capability_lists[]", grammar.capability_lists.values)
	numbers(out, "static const uint8_t extension_lists[]", grammar.extension_lists.values)
	out.write("static const char strings[] =\n")
	for text in strings.text:
		out.write('\t"%s\\0"\n' % text)
	out.write("\t;\n")


def main():
	folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/include/spirv/unified1"
	output = sys.argv[2] if len(sys.argv) > 2 else "lib/spirv"
	grammar = Grammar(folder)
	with open(os.path.join(output, "grammar_enum.h"), "w", encoding="utf-8") as out:
		write_enum(grammar, out)
	with open(os.path.join(output, "grammar.inc"), "w", encoding="utf-8") as out:
		write_tables(grammar, out)


main()
