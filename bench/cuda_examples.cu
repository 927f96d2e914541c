/* SPDX-License-Identifier: MIT */
/*
 * The examples as somebody would write them in CUDA C, a thread an invocation and without any
 * vector types: the same algorithms over the same parameters. bench/gpu runs both.
 *
 *	nvcc -O3 -arch=sm_90 -cubin cuda_examples.cu -o cuda_examples.cubin
 */
typedef unsigned u32;

#define GLOBAL_X (blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_Y (blockIdx.y * blockDim.y + threadIdx.y)
#define KERNEL extern "C" __global__ void

__constant__ float poly_terms[5] = {1.330274429f, -1.821255978f, 1.781477937f, -0.356563782f, 0.319381530f};

static __device__ float normal(float d)
{
	float x = 1 / (1 + 0.2316419f * fabsf(d)), poly = 0, tail;

	for (int j = 0; j < 5; j++)
		poly = (poly + poly_terms[j]) * x;
	tail = 0.3989422804f * expf(-0.5f * (d * d)) * poly;
	return d < 0 ? tail : 1 - tail;
}

KERNEL black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, float rate,
		     float volatility, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	float s = price[i], k = strike[i], t = years[i], vt = volatility * sqrtf(t);
	float d1 = (logf(s / k) + (volatility * 0.5f * volatility + rate) * t) / vt, d2 = d1 - vt;
	float n1 = normal(d1), n2 = normal(d2);

	k *= expf(-(rate * t));
	call[i] = s * n1 - k * n2;
	put[i] = k * (1 - n2) - s * (1 - n1);
}

KERNEL block_reduce(const float *in, float *out, u32 n)
{
	__shared__ float tile[256];
	u32 i = GLOBAL_X, t = threadIdx.x;

	tile[t] = i < n ? in[i] : 0;
	__syncthreads();
	for (u32 s = 128; s; s >>= 1) {
		if (t < s)
			tile[t] += tile[t + s];
		__syncthreads();
	}
	if (!t)
		out[blockIdx.x] = tile[0];
}

KERNEL reduce_stride(const float *in, float *out, u32 n)
{
	__shared__ float tile[256];
	u32 t = threadIdx.x;
	float v = 0;

	for (u32 i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	tile[t] = v;
	__syncthreads();
	for (u32 s = 128; s; s >>= 1) {
		if (t < s)
			tile[t] += tile[t + s];
		__syncthreads();
	}
	if (!t)
		out[blockIdx.x] = tile[0];
}

KERNEL fibonacci(const int *in, int *out, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	int index = in[i];
	u32 a = 0, b = 1;

	for (int k = 1; k < index; k++) {
		u32 c = a + b;

		a = b;
		b = c;
	}
	out[i] = (int)b;
}

KERNEL gcd(const int *a, const int *b, int *out, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	int x = a[i], y = b[i];

	while (y) {
		int r = x % y;

		x = y;
		y = r;
	}
	out[i] = x;
}

KERNEL histogram(const u32 *data, u32 *bins, u32 n)
{
	__shared__ u32 counts[256];
	u32 whole = n >> 2;

	counts[threadIdx.x] = 0;
	__syncthreads();
	for (u32 i = GLOBAL_X;; i += gridDim.x * blockDim.x) {
		u32 bytes = i < whole ? 4 : i == whole ? n & 3 : 0, word;

		if (!bytes)
			break;
		word = data[i];
		for (u32 k = 0; k < bytes; k++)
			atomicAdd(&counts[word >> 8 * k & 255], 1);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

static __device__ float sum_128(float *tile, float sum)
{
	u32 t = threadIdx.x;
	float all;

	tile[t] = sum;
	__syncthreads();
	for (u32 s = 64; s; s >>= 1) {
		if (t < s)
			tile[t] += tile[t + s];
		__syncthreads();
	}
	all = tile[0];
	__syncthreads();
	return all;
}

KERNEL layer_norm(const float *x, const float *gamma, const float *beta, float *y, u32 columns, float epsilon)
{
	__shared__ float tile[128];
	u32 start = blockIdx.x * columns;
	float sum = 0, mean, scale;

	for (u32 c = threadIdx.x; c < columns; c += 128)
		sum += x[start + c];
	mean = sum_128(tile, sum) / (float)columns;
	sum = 0;
	for (u32 c = threadIdx.x; c < columns; c += 128) {
		float d = x[start + c] - mean;

		sum += d * d;
	}
	scale = 1 / sqrtf(sum_128(tile, sum) / (float)columns + epsilon);
	for (u32 c = threadIdx.x; c < columns; c += 128)
		y[start + c] = (x[start + c] - mean) * scale * gamma[c] + beta[c];
}

KERNEL logistic_map(const float *in, float *out, u32 iters, u32 n)
{
	for (u32 i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x) {
		float v = in[i];

		for (u32 k = 0; k < iters; k++)
			v = 3.9f * v * (1 - v);
		out[i] = v;
	}
}

KERNEL mandelbrot(u32 *out, float left, float top, float step, u32 width, u32 height, u32 limit)
{
	u32 x = GLOBAL_X, y = GLOBAL_Y, rounds = 0;
	float cr = (float)x * step + left, ci = (float)y * step + top, zr = 0, zi = 0;

	if (x >= width || y >= height)
		return;
	while (rounds < limit) {
		float rr = zr * zr, ii = zi * zi, ri;

		if (rr + ii > 4)
			break;
		ri = zr * zi;
		zi = ri + ri + ci;
		zr = rr - ii + cr;
		rounds++;
	}
	out[y * width + x] = rounds;
}

KERNEL matmul_tiled(const float *a, const float *b, float *c, u32 m, u32 n, u32 k)
{
	__shared__ float ta[16][16], tb[16][16];
	u32 col = GLOBAL_X, row = GLOBAL_Y, x = threadIdx.x, y = threadIdx.y;
	float sum = 0;

	for (u32 base = 0; base < k; base += 16) {
		ta[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0;
		tb[y][x] = col < n && base + y < k ? b[(base + y) * n + col] : 0;
		__syncthreads();
		for (int j = 0; j < 16; j++)
			sum += ta[y][j] * tb[j][x];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = sum;
}

KERNEL nbody(const float *bodies, float *accel, float softening, u32 n)
{
	__shared__ float tx[128], ty[128], tz[128], tm[128];
	u32 i = GLOBAL_X, t = threadIdx.x;
	float x = 0, y = 0, z = 0, ax = 0, ay = 0, az = 0;

	if (i < n) {
		x = bodies[4 * i];
		y = bodies[4 * i + 1];
		z = bodies[4 * i + 2];
	}
	for (u32 base = 0; base < n; base += 128) {
		u32 j = base + t, here = n - base < 128 ? n - base : 128;

		if (j < n) {
			tx[t] = bodies[4 * j];
			ty[t] = bodies[4 * j + 1];
			tz[t] = bodies[4 * j + 2];
			tm[t] = bodies[4 * j + 3];
		}
		__syncthreads();
		for (u32 k = 0; k < here; k++) {
			float dx = tx[k] - x, dy = ty[k] - y, dz = tz[k] - z;
			float u = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening), f = tm[k] * (u * u * u);

			ax += f * dx;
			ay += f * dy;
			az += f * dz;
		}
		__syncthreads();
	}
	if (i < n) {
		accel[3 * i] = ax;
		accel[3 * i + 1] = ay;
		accel[3 * i + 2] = az;
	}
}

KERNEL saxpy(const float *x, float *y, float a, u32 n)
{
	for (u32 i = GLOBAL_X; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}

static __device__ u32 scan_256(u32 *tile, u32 sum)
{
	u32 t = threadIdx.x;

	tile[t] = sum;
	__syncthreads();
	for (u32 d = 1; d < 256; d <<= 1) {
		if (t >= d)
			sum += tile[t - d];
		__syncthreads();
		tile[t] = sum;
		__syncthreads();
	}
	return sum;
}

KERNEL scan_blocks(const u32 *in, u32 *out, u32 *sums, u32 n)
{
	__shared__ u32 tile[256];
	u32 i = GLOBAL_X, sum = scan_256(tile, i < n ? in[i] : 0);

	if (i < n)
		out[i] = sum;
	if (threadIdx.x == 255)
		sums[blockIdx.x] = sum;
}

KERNEL scan_sums(u32 *sums, u32 count)
{
	__shared__ u32 tile[256];
	u32 carry = 0;

	for (u32 base = 0; base < count; base += 256) {
		u32 i = base + threadIdx.x, own = i < count ? sums[i] : 0, sum = scan_256(tile, own);

		if (i < count)
			sums[i] = sum - own + carry;
		carry += tile[255];
		__syncthreads();
	}
}

KERNEL scan_add(u32 *out, const u32 *sums, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		out[i] += sums[blockIdx.x];
}

static __device__ float join_256(float *tile, float value, bool largest)
{
	u32 t = threadIdx.x;
	float all;

	tile[t] = value;
	__syncthreads();
	for (u32 s = 128; s; s >>= 1) {
		if (t < s)
			tile[t] = largest ? fmaxf(tile[t], tile[t + s]) : tile[t] + tile[t + s];
		__syncthreads();
	}
	all = tile[0];
	__syncthreads();
	return all;
}

KERNEL softmax(const float *in, float *out, u32 columns)
{
	__shared__ float tile[256];
	u32 start = blockIdx.x * columns;
	float max = -INFINITY, sum = 0;

	for (u32 c = threadIdx.x; c < columns; c += 256)
		max = fmaxf(max, in[start + c]);
	max = join_256(tile, max, true);
	for (u32 c = threadIdx.x; c < columns; c += 256)
		sum += expf(in[start + c] - max);
	sum = join_256(tile, sum, false);
	for (u32 c = threadIdx.x; c < columns; c += 256)
		out[start + c] = expf(in[start + c] - max) / sum;
}

KERNEL spmv(const u32 *starts, const u32 *columns, const float *values, const float *x, float *y, u32 rows)
{
	u32 row = GLOBAL_X;
	float sum = 0;

	if (row >= rows)
		return;
	for (u32 j = starts[row]; j < starts[row + 1]; j++)
		sum += values[j] * x[columns[j]];
	y[row] = sum;
}

KERNEL subgroup_reduce(const u32 *in, u32 *total, u32 n)
{
	u32 i = GLOBAL_X, sum = i < n ? in[i] : 0;

	for (int mask = 16; mask; mask >>= 1)
		sum += __shfl_xor_sync(0xffffffff, sum, mask);
	if (threadIdx.x % 32 == 0)
		atomicAdd(total, sum);
}

KERNEL transpose(const float *in, float *out, u32 width, u32 height)
{
	__shared__ float tile[16][17];
	u32 x = GLOBAL_X, y = GLOBAL_Y, column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;

	if (x < width && y < height)
		tile[threadIdx.y][threadIdx.x] = in[y * width + x];
	__syncthreads();
	if (column < height && row < width)
		out[row * height + column] = tile[threadIdx.x][threadIdx.y];
}

KERNEL vector_add(const float *a, const float *b, float *out, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		out[i] = a[i] + b[i];
}
