/* SPDX-License-Identifier: MIT */
/* Source: LLVM 3.7, LLVMBitCodes.h, whose names these are. */
#include "dxbc/bitcode.h"

#include <stddef.h>

static const struct {
	uint8_t block;
	char name[24];
} blocks[] = {
	{0, "BLOCKINFO_BLOCK"},
	{8, "MODULE_BLOCK"},
	{9, "PARAMATTR_BLOCK"},
	{10, "PARAMATTR_GROUP_BLOCK"},
	{11, "CONSTANTS_BLOCK"},
	{12, "FUNCTION_BLOCK"},
	{13, "IDENTIFICATION_BLOCK"},
	{14, "VALUE_SYMTAB"},
	{15, "METADATA_BLOCK"},
	{16, "METADATA_ATTACHMENT"},
	{17, "TYPE_BLOCK"},
	{18, "USELIST_BLOCK"},
	{19, "MODULE_STRTAB_BLOCK"},
};

static const struct {
	uint8_t block, code;
	char name[20];
} records[] = {
	{0, 1, "SETBID"}, {0, 2, "BLOCKNAME"}, {0, 3, "SETRECORDNAME"},
	{8, 1, "VERSION"}, {8, 2, "TRIPLE"}, {8, 3, "DATALAYOUT"}, {8, 4, "ASM"}, {8, 5, "SECTIONNAME"},
	{8, 6, "DEPLIB"}, {8, 7, "GLOBALVAR"}, {8, 8, "FUNCTION"}, {8, 9, "ALIAS_OLD"}, {8, 10, "PURGEVALS"},
	{8, 11, "GCNAME"}, {8, 12, "COMDAT"}, {8, 13, "VSTOFFSET"}, {8, 14, "ALIAS"},
	{9, 1, "ENTRY_OLD"}, {9, 2, "ENTRY"},
	{10, 3, "GRP_CODE_ENTRY"},
	{11, 1, "SETTYPE"}, {11, 2, "NULL"}, {11, 3, "UNDEF"}, {11, 4, "INTEGER"}, {11, 5, "WIDE_INTEGER"},
	{11, 6, "FLOAT"}, {11, 7, "AGGREGATE"}, {11, 8, "STRING"}, {11, 9, "CSTRING"}, {11, 10, "CE_BINOP"},
	{11, 11, "CE_CAST"}, {11, 12, "CE_GEP"}, {11, 13, "CE_SELECT"}, {11, 14, "CE_EXTRACTELT"},
	{11, 15, "CE_INSERTELT"}, {11, 16, "CE_SHUFFLEVEC"}, {11, 17, "CE_CMP"}, {11, 18, "INLINEASM_OLD"},
	{11, 19, "CE_SHUFVEC_EX"}, {11, 20, "CE_INBOUNDS_GEP"}, {11, 21, "BLOCKADDRESS"}, {11, 22, "DATA"},
	{11, 23, "INLINEASM"},
	{12, 1, "DECLAREBLOCKS"}, {12, 2, "BINOP"}, {12, 3, "CAST"}, {12, 4, "GEP_OLD"}, {12, 5, "SELECT"},
	{12, 6, "EXTRACTELT"}, {12, 7, "INSERTELT"}, {12, 8, "SHUFFLEVEC"}, {12, 9, "CMP"}, {12, 10, "RET"},
	{12, 11, "BR"}, {12, 12, "SWITCH"}, {12, 13, "INVOKE"}, {12, 15, "UNREACHABLE"}, {12, 16, "PHI"},
	{12, 19, "ALLOCA"}, {12, 20, "LOAD"}, {12, 23, "VAARG"}, {12, 24, "STORE_OLD"}, {12, 26, "EXTRACTVAL"},
	{12, 27, "INSERTVAL"}, {12, 28, "CMP2"}, {12, 29, "VSELECT"}, {12, 30, "INBOUNDS_GEP_OLD"},
	{12, 31, "INDIRECTBR"}, {12, 33, "DEBUG_LOC_AGAIN"}, {12, 34, "CALL"}, {12, 35, "DEBUG_LOC"},
	{12, 36, "FENCE"}, {12, 37, "CMPXCHG_OLD"}, {12, 38, "ATOMICRMW"}, {12, 39, "RESUME"},
	{12, 40, "LANDINGPAD_OLD"}, {12, 41, "LOADATOMIC"}, {12, 42, "STOREATOMIC_OLD"}, {12, 43, "GEP"},
	{12, 44, "STORE"}, {12, 45, "STOREATOMIC"}, {12, 46, "CMPXCHG"}, {12, 47, "LANDINGPAD"},
	{14, 1, "ENTRY"}, {14, 2, "BBENTRY"}, {14, 3, "FNENTRY"},
	{15, 1, "STRING_OLD"}, {15, 2, "VALUE"}, {15, 3, "NODE"}, {15, 4, "NAME"}, {15, 5, "DISTINCT_NODE"},
	{15, 6, "KIND"}, {15, 7, "LOCATION"}, {15, 8, "OLD_NODE"}, {15, 9, "OLD_FN_NODE"}, {15, 10, "NAMED_NODE"},
	{15, 11, "ATTACHMENT"}, {15, 12, "GENERIC_DEBUG"}, {15, 13, "SUBRANGE"}, {15, 14, "ENUMERATOR"},
	{15, 15, "BASIC_TYPE"}, {15, 16, "FILE"}, {15, 17, "DERIVED_TYPE"}, {15, 18, "COMPOSITE_TYPE"},
	{15, 19, "SUBROUTINE_TYPE"}, {15, 20, "COMPILE_UNIT"}, {15, 21, "SUBPROGRAM"}, {15, 22, "LEXICAL_BLOCK"},
	{15, 23, "LEXICAL_BLOCK_FILE"}, {15, 24, "NAMESPACE"}, {15, 25, "TEMPLATE_TYPE"},
	{15, 26, "TEMPLATE_VALUE"}, {15, 27, "GLOBAL_VAR"}, {15, 28, "LOCAL_VAR"}, {15, 29, "EXPRESSION"},
	{15, 30, "OBJC_PROPERTY"}, {15, 31, "IMPORTED_ENTITY"}, {15, 32, "MODULE"},
	{16, 11, "ATTACHMENT"},
	{17, 1, "NUMENTRY"}, {17, 2, "VOID"}, {17, 3, "FLOAT"}, {17, 4, "DOUBLE"}, {17, 5, "LABEL"},
	{17, 6, "OPAQUE"}, {17, 7, "INTEGER"}, {17, 8, "POINTER"}, {17, 9, "FUNCTION_OLD"}, {17, 10, "HALF"},
	{17, 11, "ARRAY"}, {17, 12, "VECTOR"}, {17, 13, "X86_FP80"}, {17, 14, "FP128"}, {17, 15, "PPC_FP128"},
	{17, 16, "METADATA"}, {17, 17, "X86_MMX"}, {17, 18, "STRUCT_ANON"}, {17, 19, "STRUCT_NAME"},
	{17, 20, "STRUCT_NAMED"}, {17, 21, "FUNCTION"},
	{18, 1, "DEFAULT"}, {18, 2, "BB"},
};

const char *glc_bitcode_block(uint32_t block)
{
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
		if (blocks[i].block == block)
			return blocks[i].name;
	return "unknown block";
}

const char *glc_bitcode_record(uint32_t block, uint64_t code)
{
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
		if (records[i].block == block && records[i].code == code)
			return records[i].name;
	return NULL;
}
