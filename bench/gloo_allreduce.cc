/* SPDX-License-Identifier: MIT */
/*
 * What Gloo's allreduce of f32 sums takes over TCP on the loopback, by the rule of mpi_allreduce.c. Ranks are this process
 * and its children, which meet in FOLDER.
 *
 * gloo_allreduce FOLDER RANKS SIZE...: lines of ALGORITHM, B and us
 */
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace {

std::shared_ptr<gloo::rendezvous::Context> context;

double now()
{
	return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Rank 0 asks the clock: behind the barrier all have ended. */
void measure(const char *name, size_t bytes, const std::function<void()> &once)
{
	int iters = bytes > 1 << 16 ? 10 : 100;   /* its ring takes half a second for 1 MiB */
	double begun = 0;

	for (int i = -3; i < iters; i++) {
		if (!i) {
			gloo::BarrierOptions barrier(context);
			gloo::barrier(barrier);
			begun = now();
		}
		once();
	}
	if (!context->rank)
		std::printf("%s %zu %.2f\n", name, bytes, (now() - begun) / iters);
}

void run(const char *folder, int rank, int ranks, char **sizes, int count)
{
	gloo::transport::tcp::attr attr;
	attr.hostname = "127.0.0.1";
	auto device = gloo::transport::tcp::CreateDevice(attr);
	gloo::rendezvous::FileStore store(folder);
	context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
	context->connectFullMesh(store, device);
	for (int i = 0; i < count; i++) {
		size_t bytes = std::strtoull(sizes[i], nullptr, 10), n = bytes / sizeof(float);
		std::vector<float> in(n), out(n);
		const std::pair<const char *, gloo::AllreduceOptions::Algorithm> algorithms[] = {
			{"ring", gloo::AllreduceOptions::Algorithm::RING}, {"bcube", gloo::AllreduceOptions::Algorithm::BCUBE}};
		for (const auto &algorithm : algorithms) {
			gloo::AllreduceOptions options(context);
			options.setAlgorithm(algorithm.second);
			options.setInput(in.data(), n);
			options.setOutput(out.data(), n);
			options.setReduceFunction([](void *c, const void *a, const void *b, size_t elems) {
				gloo::sum<float>(c, a, b, elems);
			});
			measure(algorithm.first, bytes, [&] { gloo::allreduce(options); });
		}
		/* In place: the older interface has no other. */
		gloo::AllreduceHalvingDoubling<float> halving(context, {in.data()}, static_cast<int>(n));
		measure("halving", bytes, [&] { halving.run(); });
		gloo::AllreduceRingChunked<float> chunked(context, {in.data()}, static_cast<int>(n));
		measure("chunked", bytes, [&] { chunked.run(); });
	}
}

}

int main(int argc, char **argv)
{
	int ranks = argc > 3 ? std::atoi(argv[2]) : 0, rank = 0, status;

	if (ranks < 2)
		return 2;
	for (int i = 1; i < ranks && !rank; i++)
		if (!fork())
			rank = i;
	run(argv[1], rank, ranks, argv + 3, argc - 3);
	/* Together: who leaves first ends the others' connections. */
	gloo::BarrierOptions barrier(context);
	gloo::barrier(barrier);
	while (!rank && wait(&status) > 0)
		continue;
	return 0;
}
