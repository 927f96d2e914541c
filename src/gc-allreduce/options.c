/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <ifaddrs.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_ITERS = CLI_KEY, KEY_STEP, KEY_OP, KEY_TRANSPORT, KEY_ENGINE, KEY_ALGO, KEY_EXPLAIN_ALGO, KEY_DETERMINISTIC,
	KEY_RANDOM, KEY_PLANT_FAULT, KEY_IN_PLACE, KEY_PRIVATE, KEY_SEED, KEY_FULL, KEY_CSV, KEY_TIMELINE, KEY_TIMEOUT,
	KEY_PIECE, KEY_ISA, KEY_RANK, KEY_SIZE, KEY_ADDR, KEY_TOKEN_FILE, KEY_BIND, KEY_IF, KEY_PORT_BASE, KEY_CHANNELS,
	KEY_CONGESTION, KEY_DRY_RUN,
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Reduce files:"},
	{'i', "input", "FILE", "each rank's array, .npy or raw with --type; %r is the rank, %n their number"},
	{'o', "output", "FILE", "where each rank writes the result; %r and %n as above"},
	{0, NULL, NULL, "Benchmark, when there is no input:"},
	{'b', "minbytes", "BYTES", "smallest array (8); K, M and G are powers of 1024"},
	{'e', "maxbytes", "BYTES", "largest array (64M)"},
	{'f', "stepfactor", "NUMBER", "each size is so many times the one before (2)"},
	{KEY_STEP, "step", "BYTES", "or so much more"},
	{KEY_ITERS, "iters", "NUMBER", "rounds that are measured (20, above 1M 5)"},
	{'w', "warmup", "NUMBER", "rounds before them (2)"},
	{'c', "check", "[NUMBER]", "compare so many rounds of each size with what they must give (1)"},
	{KEY_RANDOM, "random", NULL, "check with random numbers, against double precision"},
	{KEY_PLANT_FAULT, "plant-fault", NULL, "change an element before it is compared: the check must fail"},
	{KEY_SEED, "seed", "NUMBER", "of the data that are checked (1)"},
	{KEY_IN_PLACE, "in-place", NULL, "the result replaces the input"},
	{KEY_PRIVATE, "private", NULL, "arrays in memory that ranks do not share"},
	{KEY_FULL, "full", NULL, "also the least, mean and greatest time of ranks, and the speed of combining alone"},
	{KEY_CSV, "csv", NULL, "print the table as CSV"},
	{KEY_TIMELINE, "timeline", "FILE", "draw one collective of the largest size (SVG)"},
	{0, NULL, NULL, "What is computed:"},
	{'d', "type", "TYPE", "f32 (default), f64, f16, bf16, i8, u8, i32, u32, i64 or u64"},
	{KEY_OP, "op", "OP", "sum (default), prod, avg, min, max, minnum or maxnum"},
	{KEY_DETERMINISTIC, "deterministic", NULL, "combine every element in the order of ranks, whatever the count"},
	{0, NULL, NULL, "How:"},
	{'n', "ranks", "NUMBER", "start so many ranks here (2 when nothing says otherwise)"},
	{KEY_TRANSPORT, "transport", "KIND", "inproc, shm (default of -n) or tcp (otherwise)"},
	{KEY_ENGINE, "engine", "ENGINE", "ring"},
	{KEY_ALGO, "algo", "ALGORITHM", "auto (default), ring, doubling or fold"},
	{KEY_EXPLAIN_ALGO, "explain-algo", NULL, "print which algorithm each size gets, and why; reduce nothing"},
	{KEY_PIECE, "piece", "BYTES", "what goes through a link at once (256K)"},
	{KEY_CHANNELS, "channels", "NUMBER", "tcp: connections of each edge of the ring (1)"},
	{KEY_CONGESTION, "congestion", "NAME", "tcp: congestion control of the connections (the system's)"},
	{KEY_ISA, "isa", "LEVEL", "baseline, x86-64-v3 or x86-64-v4 (the best there is)"},
	{KEY_TIMEOUT, "timeout", "SECONDS", "a rank without a sign of life for so long is lost (5)"},
	{0, NULL, NULL, "Launching, for ranks that something else started:"},
	{KEY_RANK, "rank", "NUMBER", "this rank (GLACIER_RANK, or what mpirun, srun or torchrun say)"},
	{KEY_SIZE, "size", "NUMBER", "how many ranks there are (GLACIER_SIZE)"},
	{KEY_ADDR, "addr", "HOST:PORT", "where rank 0 listens (GLACIER_ADDR, or MASTER_ADDR and MASTER_PORT)"},
	{KEY_TOKEN_FILE, "token-file", "FILE", "the job's secret, 64 hexadecimal digits, mode 0600 (GLACIER_JOB_TOKEN)"},
	{KEY_BIND, "bind", "ADDRESS", "listen at this address"},
	{KEY_IF, "if", "NAME", "or at that of this interface"},
	{KEY_PORT_BASE, "port-base", "PORT", "listen on the first free port from here"},
	{KEY_DRY_RUN, "dry-run", NULL, "print rank, size, address and transport, and do nothing"},
};

static const struct cli_program program = {
	.name = "gc-allreduce",
	.usage = "[-n RANKS] -i FILE -o FILE [OPTION]...\n"
		 "[-n RANKS] [-b BYTES] [-e BYTES] [OPTION]...",
	.purpose = "Combine the arrays of all ranks, element by element, or measure how fast that is.",
	.closing = "Exit status of this program besides: 3 ranks disagree, 4 a rank is lost, 5 a rank shows no life,\n"
		   "6 authentication failed, 7 the system refused something.\n"
		   "\n"
		   "Examples:\n"
		   "  gc-allreduce -n 4 -i grad.%r.npy -o sum.%r.npy --op=avg\n"
		   "  gc-allreduce -n 2 -b 1K -e 1M -c 1\n"
		   "  mpirun -n 4 gc-allreduce -i grad.%r.npy -o sum.%r.npy",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
};

const char *transport_name(enum transport_kind kind)
{
	switch (kind) {
	case TRANSPORT_INPROC: return "inproc";
	case TRANSPORT_SHM: return "shm";
	case TRANSPORT_TCP: return "tcp";
	default: return "default";
	}
}

/* "8", "64K", "1M", "2G". */
static uint64_t read_bytes(const char *option, const char *arg)
{
	uint64_t value;
	char *end;
	int shift;

	errno = 0;
	value = strtoull(arg, &end, 10);
	shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
	end += shift != 0;
	if (*arg < '0' || *arg > '9' || *end || errno || value > UINT64_MAX >> 1 >> shift)
		cli_bad_usage("%s takes a number of bytes, as 8, 64K or 1M, not '%s'", option, arg);
	return value << shift;
}

/* Our names, and those of nccl-tests. */
static enum glacier_type read_type(const char *arg)
{
	static const struct {
		char name[9];
		uint8_t type;
	} others[] = {{"float", GLACIER_F32}, {"double", GLACIER_F64}, {"half", GLACIER_F16}, {"bfloat16", GLACIER_BF16},
		      {"int8", GLACIER_I8}, {"uint8", GLACIER_U8}, {"int32", GLACIER_I32}, {"uint32", GLACIER_U32},
		      {"int64", GLACIER_I64}, {"uint64", GLACIER_U64}};

	for (int type = 0; type < GLACIER_TYPE_COUNT; type++)
		if (glacier_reduce_takes((enum glacier_type)type) && !strcmp(arg, glacier_type_name((enum glacier_type)type)))
			return (enum glacier_type)type;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(arg, others[i].name, sizeof others[i].name) && strlen(arg) <= sizeof others[i].name)
			return (enum glacier_type)others[i].type;
	cli_bad_usage("there is no type '%s': f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64", arg);
}

static enum transport_kind read_transport(const char *arg)
{
	for (int kind = TRANSPORT_INPROC; kind < TRANSPORT_COUNT; kind++)
		if (!strcmp(arg, transport_name((enum transport_kind)kind)))
			return (enum transport_kind)kind;
	cli_bad_usage("there is no transport '%s': inproc, shm, tcp", arg);
}

static uint64_t read_seconds(const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !(value >= 0.1) || value > 86400)
		cli_bad_usage("--timeout takes seconds from 0.1 to 86400, not '%s'", arg);
	return (uint64_t)(value * 1e9);
}

/* The first address of the interface. */
static const char *address_of_interface(const char *name)
{
	struct ifaddrs *all, *at;
	char text[INET6_ADDRSTRLEN] = "";

	if (getifaddrs(&all))
		cli_die("cannot list interfaces: %s", strerror(errno));
	for (at = all; at && !*text; at = at->ifa_next) {
		if (strcmp(at->ifa_name, name) || !at->ifa_addr)
			continue;
		if (at->ifa_addr->sa_family == AF_INET)
			inet_ntop(AF_INET, &((struct sockaddr_in *)at->ifa_addr)->sin_addr, text, sizeof text);
		else if (at->ifa_addr->sa_family == AF_INET6)
			inet_ntop(AF_INET6, &((struct sockaddr_in6 *)at->ifa_addr)->sin6_addr, text, sizeof text);
	}
	freeifaddrs(all);
	if (!*text)
		cli_die("there is no interface '%s' with an address", name);
	return cli_strdup(text);
}

static void check(struct options *o)
{
	size_t count;
	char **operands = cli_operands(&count);

	if (count)
		cli_bad_usage("'%s' is no option: files are named by -i and -o", operands[0]);
	if (o->output && !o->input)
		cli_bad_usage("-o needs -i");
	if (o->input && (o->check_rounds || o->timeline || o->explain_algo))
		cli_bad_usage("-i reduces files: no -c, --timeline or --explain-algo beside it");
	if (o->end_bytes < o->begin_bytes)
		cli_bad_usage("-e is less than -b");
	if (o->comm.algorithm == GLACIER_ALGORITHM_FOLD && o->transport == TRANSPORT_TCP)
		cli_bad_usage("--algo=fold needs memory that ranks share: no --transport=tcp beside it");
	if ((o->plant_fault || o->random) && !o->check_rounds)
		o->check_rounds = 1;
}

void options_parse(struct options *o, int argc, char **argv)
{
	const char *arg;
	int key;

	*o = (struct options){.begin_bytes = 8, .end_bytes = 64 << 20, .factor = 2, .warmup = 2, .type = GLACIER_F32,
			      .op = GLACIER_REDUCE_SUM, .seed = 1};
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END)
		switch (key) {
		case 'n': o->ranks = (uint32_t)cli_number("-n", arg, 1, GLACIER_COMM_RANKS); break;
		case 'i': o->input = arg; break;
		case 'o': o->output = arg; break;
		case 'b': o->begin_bytes = read_bytes("-b", arg); break;
		case 'e': o->end_bytes = read_bytes("-e", arg); break;
		case 'f': o->factor = (uint32_t)cli_number("-f", arg, 2, 1 << 20); break;
		case 'w': o->warmup = (uint32_t)cli_number("-w", arg, 0, 1000000); break;
		case 'd':
			o->type = read_type(arg);
			o->has_type = true;
			break;
		case 'c': o->check_rounds = arg ? (uint32_t)cli_number("-c", arg, 0, 1000000) : 1; break;
		case KEY_STEP:
			o->step_bytes = read_bytes("--step", arg);
			if (!o->step_bytes)
				cli_bad_usage("--step is at least 1");
			break;
		case KEY_ITERS: o->iters = (uint32_t)cli_number("--iters", arg, 1, 100000000); break;
		case KEY_OP:
			o->op = glacier_reduce_find(arg);
			if (o->op == GLACIER_REDUCE_COUNT)
				cli_bad_usage("there is no operation '%s': sum, prod, avg, min, max, minnum, maxnum", arg);
			break;
		case KEY_TRANSPORT: o->transport = read_transport(arg); break;
		case KEY_ENGINE:
			if (strcmp(arg, "ring"))
				cli_bad_usage("there is no engine '%s': ring", arg);
			break;
		case KEY_ALGO:
			o->comm.algorithm = glacier_algorithm_find(arg);
			if (o->comm.algorithm == GLACIER_ALGORITHM_COUNT)
				cli_bad_usage("there is no algorithm '%s': auto, ring, doubling, fold", arg);
			break;
		case KEY_EXPLAIN_ALGO: o->explain_algo = true; break;
		case KEY_DETERMINISTIC: o->comm.deterministic = true; break;
		case KEY_RANDOM: o->random = true; break;
		case KEY_PLANT_FAULT: o->plant_fault = true; break;
		case KEY_IN_PLACE: o->in_place = true; break;
		case KEY_PRIVATE: o->private_memory = true; break;
		case KEY_SEED: o->seed = cli_number("--seed", arg, 0, UINT64_MAX); break;
		case KEY_FULL: o->full = true; break;
		case KEY_CSV: o->csv = true; break;
		case KEY_TIMELINE: o->timeline = arg; break;
		case KEY_TIMEOUT: o->comm.timeout_ns = read_seconds(arg); break;
		case KEY_PIECE:
			o->comm.piece_bytes = read_bytes("--piece", arg);
			if (!o->comm.piece_bytes || o->comm.piece_bytes % 64 || o->comm.piece_bytes > 1 << 30)
				cli_bad_usage("--piece takes a multiple of 64 up to 1G, not '%s'", arg);
			break;
		case KEY_CHANNELS: o->channels = (uint32_t)cli_number("--channels", arg, 1, 16); break;
		case KEY_CONGESTION: o->congestion = arg; break;
		case KEY_ISA: o->comm.level = arg; break;
		case KEY_RANK: o->rank = arg; break;
		case KEY_SIZE: o->size = arg; break;
		case KEY_ADDR: o->address = arg; break;
		case KEY_TOKEN_FILE: o->token_file = arg; break;
		case KEY_BIND: o->bind = arg; break;
		case KEY_IF: o->bind = address_of_interface(arg); break;
		case KEY_PORT_BASE: o->port_base = (uint16_t)cli_number("--port-base", arg, 1, 65535); break;
		case KEY_DRY_RUN: o->dry_run = true; break;
		}
	check(o);
}

int exit_code_of(enum glacier_status status)
{
	switch (status) {
	case GLACIER_OK: return CLI_OK;
	case GLACIER_ERR_ARGUMENT:
	case GLACIER_ERR_UNSUPPORTED: return CLI_TROUBLE;
	case GLACIER_ERR_MISMATCH: return EXIT_MISMATCH;
	case GLACIER_ERR_PEER:
	case GLACIER_ERR_MALFORMED:  /* a frame */
	case GLACIER_ERR_CHECKSUM: return EXIT_LOST;
	case GLACIER_ERR_TIMEOUT: return EXIT_TIMEOUT;
	case GLACIER_ERR_AUTHENTICATION:
	case GLACIER_ERR_UNAVAILABLE: return EXIT_AUTHENTICATION;
	default: return EXIT_SYSTEM;
	}
}

void fail_with(struct glacier_comm *comm, enum glacier_status status)
{
	struct glacier_diag diag = cli_diag(NULL);

	if (glacier_comm_explain(comm, &diag) == GLACIER_OK)
		cli_error("%s", glacier_status_name(status));
	/* The others hear of it before the connections close. */
	glacier_comm_destroy(comm);
	cli_exit((enum cli_code)exit_code_of(status));
}
