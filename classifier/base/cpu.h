/* What the processor can do beyond what every one of its kind can. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

/* Whether code for AVX2 can be compiled. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define CPU_AVX2 1
#else
#define CPU_AVX2 0
#endif

/* Whether code for AVX2 and POPCNT may run. Costs next to nothing. */
bool cpu_avx2(void);

/* on: from now on do as on a processor that has neither, to compare the two;
 * all answers are the same. Not while other threads work. */
void cpu_plain(bool on);

#endif
