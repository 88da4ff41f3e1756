/*
 * The sum of what the bytes tell, less what is known of pairs, less a large
 * discount for four bytes that stand in a text which every log is full of.
 */
#include "rules/rarity.h"

#include <limits.h>
#include <string.h>

#define PAIR_DISCOUNT 2
#define COMMON_DISCOUNT 9
#define SHORT_DISCOUNT 8 /* a literal under 5 bytes needs a pass of its own */
#define FOUR_LEAST 3     /* nothing is as common as that */
#define BYTE_BONUS 2     /* for each byte beside the window */
#define SEARCH_MAX 64    /* where in a literal its window may lie */

/* What logs repeat on most lines. */
static const char common_text[] =
    " info warning error: train: training epoch: step: loss: lr: rank: "
    "iteration batch size time: data eval eta: 0.000 0000 1.00 100% 2024-01- "
    "2025-01- :00:00 [rank0]: [default0]:   torch/nn/modules/ site-packages/ "
    "python3.10/ lib/python /home/ /opt/conda/ .py\", line 1   file \"/usr/ "
    "in forward self. return self._call_impl(*args, **kwargs) module cuda "
    "memory model. checkpoint saved saving to loading tokens per second "
    "samples/s throughput grad_norm: learning rate accuracy val_loss gpu "
    "nccl info channel via p2p/ ring tree device process worker started "
    "running version using config: args. true false none null the file for "
    "with and not from this that traceback (most recent call last): exception "
    "{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 5e-05, 'epoch': 0.1} "
    "valueerror: runtimeerror: typeerror: transformers/ tensorflow/ "
    "distributed/ core/ util launch torch.distributed elapsed remaining ... "
    "--- === *** ___ 's, '[', ': ', 'number of parameters userwarning: ";

static const char common_pairs[] =
    "thheinerreonatenesndtiorteedisitalartostngseleasouicmevecoderarinenttast"
    "lirosccemmelaingloionlayomosptrsctspuntutrdiprepmaacilecouuresssemeplit"
    "e  at s d :a s t i o  0 1 2 .0/p/s/lpy: , ' \". 0.00 101120[0rkodadlna";

/* Bits of surprise in one byte of a log, from 0x20 on, lower case. */
static const unsigned char byte_bits[96] = {
	3, 8, 6, 8, 8, 7, 8, 6, 6, 6, 7, 7, 6, 5, 5, 5, /*  !"#$%&'()*+,-./ */
	4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 8, 7, 6, 7, 8, /* 0123456789:;<=>? */
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, /* @ and upper case */
	8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 8, 6, 8, 5, /* upper case [\]^_ */
	8, 4, 6, 5, 5, 4, 6, 5, 5, 4, 9, 7, 5, 5, 4, 4, /* `abcdefghijklmno */
	5, 9, 4, 4, 4, 5, 6, 6, 7, 6, 9, 8, 7, 8, 8, 8, /* pqrstuvwxyz{|}~  */
};

static unsigned char fold(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 'A' && u <= 'Z' ? (unsigned char)(u + 32) : u;
}

/* From here on texts are in lower case. */

static uint32_t pair_of(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static unsigned pair_bit(const unsigned char *p)
{
	return pair_of(p) * 0x9e3779b1u >> 20;
}

static unsigned four_bit(const unsigned char *p)
{
	return (pair_of(p) << 16 | pair_of(p + 2)) * 0x9e3779b1u >> 16;
}

static void set_bit(uint64_t *bits, unsigned i)
{
	bits[i / 64] |= (uint64_t)1 << i % 64;
}

static int get_bit(const uint64_t *bits, unsigned i)
{
	return (int)(bits[i / 64] >> i % 64 & 1);
}

void rarity_init(struct rarity *r)
{
	const unsigned char *p;

	memset(r, 0, sizeof *r);
	r->ready = true;
	for (p = (const unsigned char *)common_pairs; p[0] && p[1]; p += 2)
		set_bit(r->pairs, pair_bit(p));
	p = (const unsigned char *)common_text;
	for (; p[0] && p[1] && p[2] && p[3]; p++)
		set_bit(r->common, four_bit(p));
}

static int of_byte(unsigned char u)
{
	if (u == '\n')
		return 5;
	return u >= 0x20 && u < 0x80 ? byte_bits[u - 0x20] : 8;
}

static int of_pair(const struct rarity *r, const unsigned char *s)
{
	return of_byte(s[0]) + of_byte(s[1]) -
	    PAIR_DISCOUNT * get_bit(r->pairs, pair_bit(s));
}

/* What the four bytes from each place on tell, and whether they stand in
 * common_text. */
static void of_fours(const struct rarity *r, const unsigned char *s, size_t n,
    int *four, int *common)
{
	int pair[SEARCH_MAX];

	for (size_t i = 0; i + 1 < n; i++)
		pair[i] = of_pair(r, s + i);
	for (size_t i = 0; i + RARITY_FOUR <= n; i++) {
		int bits = pair[i] + pair[i + 1] + pair[i + 2] -
		    of_byte(s[i + 1]) - of_byte(s[i + 2]);

		common[i] = get_bit(r->common, four_bit(s + i));
		if (common[i])
			bits -= COMMON_DISCOUNT;
		four[i] = bits < FOUR_LEAST ? FOUR_LEAST : bits;
	}
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Of 2 to 4 bytes: where the rarest pair is, or the rarest two next to each
 * other. All of the text is compared, so all of it counts. */
static size_t short_window(
    const struct rarity *r, const unsigned char *s, size_t n, int *bits)
{
	int pair[3] = { 0 };

	*bits = of_byte(s[0]) - SHORT_DISCOUNT;
	for (size_t i = 0; i + 1 < n; i++) {
		pair[i] = of_pair(r, s + i);
		*bits += pair[i] - of_byte(s[i]);
	}
	if (n < 4 || smaller(pair[1], pair[2]) <= smaller(pair[0], pair[1]))
		return 0;
	return 1;
}

size_t rarity_window(const struct rarity *r, const char *s, size_t n, int *bits)
{
	int four[SEARCH_MAX], common[SEARCH_MAX];
	unsigned char low[SEARCH_MAX] = { 0 };
	size_t window = n < RARITY_LONG ? RARITY_SHORT : RARITY_LONG;
	size_t best = 0;

	if (n > SEARCH_MAX)
		n = SEARCH_MAX;
	for (size_t i = 0; i < n; i++)
		low[i] = fold(s[i]);
	if (n < RARITY_SHORT)
		return short_window(r, low, n, bits);
	of_fours(r, low, n, four, common);
	/* Two common ones are likely one common phrase. */
	for (size_t i = 0; window == RARITY_LONG && i + window <= n + 1; i++)
		four[i] += common[i] && common[i + RARITY_FOUR]
		    ? FOUR_LEAST
		    : four[i + RARITY_FOUR];
	*bits = INT_MIN;
	for (size_t i = 0; i + window <= n; i++) {
		/* The commoner of the two parities counts. */
		int least = smaller(four[i], four[i + 1]);

		if (least > *bits) {
			*bits = least;
			best = i;
		}
	}
	*bits += BYTE_BONUS * (int)(n - window);
	return best;
}

int rarity_four(const void *four)
{
	uint32_t i = rarity_slot(four);

	return RARITY_MOST -
	    (rarity_table[i / RARITY_ROW][i % RARITY_ROW] - 'a');
}
