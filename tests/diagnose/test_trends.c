/*
 * Each trend rule on made runs that have what it warns of, and all of them on
 * many healthy runs of many kinds, which may hardly ever be warned of.
 */
#include "tests/diagnose/trend_lab.h"

#include <math.h>

static struct lab lab;
static uint32_t seed;

static int setup(void **state)
{
	(void)state;
	trend_lab_open(&lab);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

/* From 0 to 1. */
static double dice(void)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) / 16777216.0;
}

/* About normal, of deviation 1. */
static double noise(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += dice();
	return sum - 6;
}

__attribute__((format(printf, 2, 3))) static void say(
    struct buf *b, const char *fmt, ...)
{
	char line[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	assert_int_equal(buf_adds(b, line), 0);
}

/* ---- healthy runs ---- */

/* A language model: warm-up, a fall that ends in noise, spikes now and then
 * that heal, infinite gradients of the loss scaler. */
static void language_model(struct buf *b)
{
	int steps = 200 + (int)(dice() * 3000);
	double floor_ = 1.5 + dice(), spread = 0.02 + 0.05 * dice();

	for (int i = 1; i <= steps; i++) {
		double t = (double)i / steps;
		double loss = floor_ + 8 * exp(-12 * t) + spread * noise();
		double norm = 0.5 + 20 * exp(-20 * t) + 0.1 * fabs(noise());

		if (dice() < 0.003) {
			loss *= 1.5 + 2 * dice();
			norm *= 20;
		}
		say(b,
		    " iteration %8d/%8d | elapsed time per iteration (ms): "
		    "%.1f | learning rate: %.3E | lm loss: %.6E | loss scale: "
		    "%.1f | grad norm: %.3f |\n",
		    i, steps, 950 + 30 * noise() + (i % 500 == 0 ? 9000 : 0),
		    3e-4 * fmin(1, t * 20), loss, 65536.0,
		    dice() < 0.004 ? INFINITY : norm);
	}
}

/* Fine-tuning that begins low and gains little. */
static void fine_tuning(struct buf *b)
{
	int steps = 150 + (int)(dice() * 400);
	double start = 0.4 + dice();

	for (int i = 1; i <= steps; i++)
		say(b,
		    "{'loss': %.4f, 'grad_norm': %.4f, 'learning_rate': %.4e, "
		    "'epoch': %.2f}\n",
		    fmax(0.01,
			start * (1 - 0.25 * i / steps) + 0.2 * start * noise()),
		    1 + fabs(noise()), 2e-5 * (1 - (double)i / steps),
		    3.0 * i / steps);
}

/* Epochs with validation, restarts of the learning rate, mild overfitting. */
static void image_classifier(struct buf *b)
{
	int epochs = 10 + (int)(dice() * 80);

	for (int i = 1; i <= epochs; i++) {
		double t = (double)i / epochs;
		double bump = i % 20 == 1 ? 0.2 : 0;
		double loss = 0.05 + 2.2 * exp(-4 * t) + bump;

		say(b, "Epoch %d/%d\n", i, epochs);
		say(b,
		    "500/500 [==============================] - 21s 42ms/step "
		    "- "
		    "loss: %.4f - accuracy: %.4f - val_loss: %.4f - "
		    "val_accuracy: %.4f\n",
		    loss, 1 - 0.9 * exp(-4 * t),
		    0.6 + 1.7 * exp(-5 * t) + 0.08 * t + 0.03 * noise(),
		    0.8 - 0.7 * exp(-5 * t) + 0.005 * noise());
	}
}

/* Losses of two players that do not fall. */
static void adversarial(struct buf *b)
{
	for (int i = 0; i < 400; i++)
		say(b,
		    "[%d/25][%d/16] Loss_D: %.4f Loss_G: %.4f total loss: "
		    "%.4f D(x): 0.5\n",
		    i / 16, i % 16, 0.7 + 0.3 * dice(), 2 + 2 * dice(),
		    3 + 2 * dice());
}

/* Rewards rise; the loss is negative, or rises with them. */
static void reinforcement(struct buf *b)
{
	bool negative = dice() < 0.5;

	for (int i = 0; i < 400; i++)
		say(b,
		    "update %d, reward: %.2f, loss: %.4f, policy_loss: %.4f, "
		    "entropy: 0.5\n",
		    i, i * 0.5 + 5 * noise(),
		    negative ? -0.02 - 0.0001 * i + 0.01 * noise()
			     : 0.1 + 0.01 * i + 0.05 * fabs(noise()),
		    -0.01);
}

/* A contrastive loss stays near the logarithm of the batch. */
static void contrastive(struct buf *b)
{
	for (int i = 0; i < 300; i++)
		say(b, "step %d contrastive_loss: %.4f loss: %.4f lr: 1e-3\n",
		    i, 5.5 + 0.02 * noise(), 5.5 + 0.02 * noise());
}

/* Resumed at its end, where nothing falls any more. */
static void resumed(struct buf *b)
{
	for (int i = 0; i < 300; i++)
		say(b, "step %d loss=%.4f grad_norm=%.3f tok/s=%d\n",
		    90000 + 10 * i, 1.8 + 0.03 * noise(),
		    0.3 + 0.05 * fabs(noise()), 3600 + (int)(40 * noise()));
}

/* With times: validation and checkpoints take minutes, loading some more. */
static void with_pauses(struct buf *b)
{
	int64_t at = 36000;

	say(b, "2024-01-02 10:00:00 loading the data\n");
	at += 300 + (int64_t)(dice() * 600);
	for (int i = 1; i <= 300; i++) {
		at += 40 + (int64_t)(dice() * 8) + (i % 50 == 0 ? 900 : 0);
		say(b,
		    "2024-01-02 %02d:%02d:%02d step %d loss: %.4f memory: "
		    "%.0f time: %.3f\n",
		    (int)(at / 3600 % 24), (int)(at / 60 % 60), (int)(at % 60),
		    i, 1 + 3 * exp(-i / 50.0) + 0.05 * noise(),
		    20000 + (i < 20 ? 200 * i : 4000) + 5 * noise(),
		    0.4 + 0.02 * noise() + (i % 50 == 0 ? 4 : 0));
		if (at > 82800)
			break;
	}
}

/* Perplexity and the like rise and fall as they want. */
static void short_run(struct buf *b)
{
	int n = 3 + (int)(dice() * 30);

	for (int i = 1; i <= n; i++)
		say(b, "step %d loss %.4f ppl %.2f lr 1e-4\n", i,
		    2.3 + 0.1 * noise(), 10 + noise());
}

static void (*const healthy[])(struct buf *b) = { language_model, fine_tuning,
	image_classifier, adversarial, reinforcement, contrastive, resumed,
	with_pauses, short_run };
#define KINDS (sizeof healthy / sizeof *healthy)
#define EACH 30

static void healthy_runs_are_left_alone(void **state)
{
	size_t warned = 0;
	char got[400], first[500] = "";

	(void)state;
	for (size_t i = 0; i < KINDS * EACH; i++) {
		struct buf b = BUF_INIT(BUF_MAX);

		seed = (uint32_t)i * 7919 + 17;
		healthy[i % KINDS](&b);
		trend_lab_warnings(&lab, b.p, got);
		if (got[0] && !warned)
			snprintf(first, sizeof first, "kind %zu: %s", i % KINDS,
			    got);
		warned += got[0] != '\0';
		buf_release(&b);
	}
	if (warned * 100 > KINDS * EACH * 2)
		fail_msg("%zu of %zu healthy runs are warned of, first %s",
		    warned, KINDS * EACH, first);
}

/* ---- runs that are not ---- */

static void warns(struct buf *b, const char *expected)
{
	char got[400];

	trend_lab_warnings(&lab, b->len ? b->p : "", got);
	if (strcmp(got, expected) != 0)
		fail_msg("'%s' instead of '%s'", got, expected);
	buf_release(b);
}

static void a_flat_loss(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	seed = 1;
	for (int i = 0; i < 400; i++)
		say(&b, "step %d loss: %.4f\n", i, 2.303 + 0.002 * noise());
	warns(&b, "loss_not_decreasing ");
	for (int i = 0; i < 50; i++) /* too short to tell */
		say(&b, "step %d loss: %.4f\n", i, 2.303);
	warns(&b, "");
}

static void a_loss_that_diverges(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	seed = 1;
	for (int i = 0; i < 400; i++)
		say(&b, "step %d loss: %.4f grad_norm: %.3f\n", i,
		    i < 300 ? 1 + 3 * exp(-i / 50.0) : 5 + 0.1 * (i - 300),
		    i < 300 ? 1 + dice() : 500 + 100 * dice());
	warns(&b, "loss_diverging grad_exploding ");
	for (int i = 0; i < 100; i++)
		say(&b, "step %d loss: %.4f grad_norm: %s\n", i, 2.0 - i * 0.01,
		    i < 80 ? "1.0" : "inf");
	warns(&b, "grad_exploding ");
}

static void gradients_that_vanish(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 200; i++)
		say(&b, "step %d gnorm %.3e\n", i, i < 100 ? 0.5 : 2.1e-9);
	warns(&b, "grad_vanishing ");
	for (int i = 0; i < 200; i++)
		say(&b, "step %d loss: %.4f gnorm %.3e\n", i,
		    2.3 - (i < 50 ? 0.005 * i : 0.25), i < 100 ? 0.5 : 2.1e-9);
	warns(&b, "grad_vanishing ");
	for (int i = 0; i < 200; i++) /* solved */
		say(&b, "step %d loss: %.4f gnorm %.3e\n", i,
		    2.3 * exp(-i / 10.0), i < 100 ? 0.5 : 2.1e-9);
	warns(&b, "");
}

static void a_model_that_overfits(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 20; i++)
		say(&b, "epoch %d train_loss: %.4f val_loss: %.4f\n", i + 1,
		    2 * exp(-i / 5.0),
		    i < 6 ? 2 - 0.15 * i : 1.25 + 0.1 * (i - 6));
	warns(&b, "overfit ");
}

static void training_without_gain(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 40; i++)
		say(&b, "epoch %d train_loss: %.4f val_loss: %.4f\n", i + 1,
		    1.2 - 0.002 * i, i < 10 ? 2 - 0.1 * i : 1.11);
	warns(&b, "overtraining ");
}

static void training_that_stalls(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 60; i++)
		say(&b, "2024-01-02 10:%02d:00 step %d loss: %.4f\n", i, i,
		    2 - 0.01 * i);
	say(&b, "2024-01-02 13:30:00 still waiting for rank 3\n");
	warns(&b, "stalled ");
	for (int i = 0; i < 60; i++)
		say(&b, "2024-01-02 %02d:%02d:00 step %d loss: %.4f\n",
		    i < 30 ? 10 : 14, i, i, 2 - 0.01 * i);
	warns(&b, "stalled ");
}

static void steps_that_are_slow(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	seed = 1;
	for (int i = 0; i < 400; i++)
		say(&b, "iter %d: loss %.4f, time %.2fms\n", i,
		    4 * exp(-i / 100.0) + 1,
		    i % 20 == 7 ? 9000.0 : 500 + 10 * dice());
	warns(&b, "step_outliers ");
}

static void a_start_that_is_slow(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	say(&b, "2024-01-02 08:00:00 loading\n");
	for (int i = 0; i < 40; i++)
		say(&b, "2024-01-02 10:%02d:00 step %d loss: %.4f\n", i, i,
		    2 - 0.01 * i);
	warns(&b, "slow_start ");
	/* epochs that take two hours are no slow start */
	say(&b, "2024-01-02 00:00:00 loading\n");
	for (int i = 1; i < 12; i++)
		say(&b, "2024-01-02 %02d:00:00 epoch %d loss: %.4f\n", 2 * i, i,
		    2 - 0.1 * i);
	warns(&b, "");
}

static void memory_that_grows(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 200; i++)
		say(&b, "step %d loss: %.4f memory: %d\n", i, 2 - 0.005 * i,
		    20000 + 100 * i);
	warns(&b, "memory_growth ");
}

static void accuracy_at_chance(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	for (int i = 0; i < 12; i++)
		say(&b, "epoch %d loss: %.4f val_acc: 9.80%%\n", i,
		    2 - 0.1 * i);
	warns(&b, "accuracy_at_chance ");
}

/* A verdict does not depend on any of it. */
static void they_only_warn(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct diagnosis d;

	(void)state;
	for (int i = 0; i < 400; i++)
		say(&b, "step %d loss: 2.303\n", i);
	say(&b, "Training finished successfully\n");
	lab_text(&lab, b.p, &d);
	assert_int_not_equal(d.failed, 1);
	assert_string_not_equal(diagnosis_category(&d), "loss_nan");
	diagnosis_release(&d);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_runs_are_left_alone),
		cmocka_unit_test(a_flat_loss),
		cmocka_unit_test(a_loss_that_diverges),
		cmocka_unit_test(gradients_that_vanish),
		cmocka_unit_test(a_model_that_overfits),
		cmocka_unit_test(training_without_gain),
		cmocka_unit_test(training_that_stalls),
		cmocka_unit_test(steps_that_are_slow),
		cmocka_unit_test(a_start_that_is_slow),
		cmocka_unit_test(memory_that_grows),
		cmocka_unit_test(accuracy_at_chance),
		cmocka_unit_test(they_only_warn),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
