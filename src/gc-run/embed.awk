# SPDX-License-Identifier: MIT
# Texts as C strings, each named after its file: examples/saxpy.gasm becomes saxpy_gasm.

BEGIN { print "/* SPDX-License-Identifier: MIT */" }

FNR == 1 {
	if (NR > 1)
		print "\t;"
	name = FILENAME
	sub(/.*\//, "", name)
	gsub(/[^A-Za-z0-9]/, "_", name)
	printf "static const char %s[] =\n", name
}

{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	printf "\t\"%s\\n\"\n", $0
}

END { print "\t;" }
