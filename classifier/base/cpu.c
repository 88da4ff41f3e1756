/*
 * The C library has asked the processor before main. To ask again takes a good
 * part of a short run in a virtual machine, which stops at each question, and
 * the compiler's own function does so at each start of a program that uses it.
 */
#include "base/cpu.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h> /* the GNU C library's, from 2.34 on */
#endif
#endif

#ifdef CPU_FEATURE_ACTIVE

bool cpu_avx2(void)
{
	return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(POPCNT);
}

#elif defined(__x86_64__) && defined(__GNUC__)

bool cpu_avx2(void)
{
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("popcnt");
}

#else

bool cpu_avx2(void)
{
	return false;
}

#endif
