/*
 * The C library has asked the processor before main. To ask again takes a good
 * part of a short run in a virtual machine, which stops at each question, and
 * the compiler's own function does so at each start of a program that uses it.
 */
#include "base/cpu.h"

#include <limits.h> /* names the C library */
#include <stdatomic.h>

#if defined(__x86_64__) && defined(__GLIBC__) && \
    __GLIBC__ * 100 + __GLIBC_MINOR__ >= 234
#include <sys/platform/x86.h>
#endif

#ifdef CPU_FEATURE_ACTIVE

static bool has_avx2(void)
{
	return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(POPCNT);
}

#elif CPU_AVX2

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("popcnt");
}

#else

static bool has_avx2(void)
{
	return false;
}

#endif

static atomic_int known; /* 0: not asked yet, 1: it has, -1: not */

bool cpu_avx2(void)
{
	int k = atomic_load_explicit(&known, memory_order_relaxed);

	if (!k) {
		k = has_avx2() ? 1 : -1;
		atomic_store_explicit(&known, k, memory_order_relaxed);
	}
	return k > 0;
}

void cpu_plain(bool on)
{
	atomic_store(&known, on ? -1 : 0);
}
