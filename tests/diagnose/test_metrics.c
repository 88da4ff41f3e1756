/*
 * The formats in which training programs print their numbers, and what is no
 * such number. However the bytes are split, the curves are the same.
 */
#include "tests/diagnose/trend_lab.h"

#include <math.h>

static struct lab lab;

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

static struct findings *read_text(const char *text)
{
	return lab_scan(&lab, text, strlen(text), 4096, "a.log", -1);
}

struct format {
	const char *program, *text, *metric;
	uint64_t points;
	double first, last;
	int64_t step; /* of the last point */
	double epoch;
};

/* Of each program's own way to print; three reports. */
static const struct format formats[] = {
	{ "key=value",
	    "step=10 loss=2.50000 grad_norm=0.3752 tok/s=3661\n"
	    "step=20 loss=2.25 grad_norm=0.3 tok/s=3.6K\n",
	    "loss", 2, 2.5, 2.25, 20, -1 },
	{ "rate by name",
	    "step=10 loss=2.50000 grad_norm=0.3752 tok/s=3661\n"
	    "step=20 loss=2.25 grad_norm=0.3 tok/s=3.6K\n",
	    "throughput", 2, 3661, 3600, 20, -1 },
	{ "Hugging Face Trainer",
	    "{'loss': 2.7136, 'grad_norm': 1.5, 'learning_rate': 4.8e-06, "
	    "'epoch': 0.01}\n"
	    "{'loss': 2.5, 'learning_rate': 4.7e-06, 'epoch': 0.02}\n"
	    "{'eval_loss': 2.9, 'eval_runtime': 12.5, 'epoch': 1.0}\n"
	    "{'train_runtime': 1785.88, 'train_loss': 0.53, 'epoch': 1.0}\n",
	    "loss", 2, 2.7136, 2.5, -1, 0.02 },
	{ "Hugging Face Trainer, evaluation",
	    "{'eval_loss': 2.9, 'epoch': 1.5}\n", "val_loss", 1, 2.9, 2.9, -1,
	    1.5 },
	{ "tqdm",
	    "Epoch 1:  10%|#         | 10/100 [00:01<00:09,  9.9it/s, "
	    "loss=2.31, v_num=0]\r"
	    "Epoch 1:  20%|##        | 20/100 [00:02<00:08,  9.8it/s, "
	    "loss=2.21, v_num=0]\n",
	    "loss", 2, 2.31, 2.21, 20, 1 },
	{ "tqdm, rate",
	    "Epoch 1:  10%|#         | 10/100 [00:01<00:09,  9.9it/s, "
	    "loss=2.31, v_num=0]\n",
	    "throughput", 1, 9.9, 9.9, 10, 1 },
	{ "Keras",
	    "Epoch 1/3\n"
	    "  1/100 [..........] - ETA: 9s - loss: 2.3000 - accuracy: 0.1000\r"
	    "100/100 [==========] - 9s 90ms/step - loss: 1.5000 - accuracy: "
	    "0.4200 - val_loss: 1.7000 - val_accuracy: 0.4000\n"
	    "Epoch 2/3\n"
	    "100/100 [==========] - 9s 90ms/step - loss: 1.2000 - accuracy: "
	    "0.5200 - val_loss: 1.6000 - val_accuracy: 0.4100\n",
	    "loss", 3, 2.3, 1.2, 100, 2 },
	{ "Keras, validation",
	    "Epoch 2/3\n"
	    "100/100 [==========] - 9s 90ms/step - loss: 1.2000 - accuracy: "
	    "0.5200 - val_loss: 1.6000 - val_accuracy: 0.4100\n",
	    "val_accuracy", 1, 0.41, 0.41, 100, 2 },
	{ "Megatron-LM",
	    " iteration       10/    1000 | consumed samples:         2560 | "
	    "elapsed time per iteration (ms): 1075.5 | learning rate: "
	    "1.500E-04 | global batch size:   256 | lm loss: 1.040000E+01 | "
	    "loss scale: 65536.0 | grad norm: 12.345 | number of skipped "
	    "iterations:   0 |\n"
	    " iteration       20/    1000 | consumed samples:         5120 | "
	    "elapsed time per iteration (ms): 975.5 | learning rate: "
	    "1.500E-04 | lm loss: 9.040000E+00 | loss scale: 65536.0 | grad "
	    "norm: 2.345 |\n",
	    "loss", 2, 10.4, 9.04, 20, -1 },
	{ "Megatron-LM, gradient",
	    " iteration       20/    1000 | elapsed time per iteration (ms): "
	    "975.5 | lm loss: 9.040000E+00 | loss scale: 65536.0 | grad norm: "
	    "2.345 |\n",
	    "grad_norm", 1, 2.345, 2.345, 20, -1 },
	{ "Megatron-LM, time",
	    " iteration       20/    1000 | elapsed time per iteration (ms): "
	    "975.5/980.1 | lm loss: 9.040000E+00 |\n",
	    "step_time", 1, 975.5, 975.5, 20, -1 },
	{ "Megatron-LM, validation",
	    " validation loss at iteration 1000 | lm loss value: 2.5E+00 | lm "
	    "loss PPL: 1.2E+01\n"
	    " validation loss at iteration 2000 | LM loss: 2.4E+00 | LM PPL: "
	    "1.1E+01\n",
	    "val_loss", 1, 2.5, 2.5, -1, -1 },
	{ "fairseq, JSON",
	    "2024-01-01 00:00:00 | INFO | train_inner | {\"epoch\": 1, "
	    "\"update\": 0.1, \"loss\": \"8.10\", \"num_updates\": \"100\", "
	    "\"lr\": \"0.0001\", \"gnorm\": \"1.5\"}\n",
	    "grad_norm", 1, 1.5, 1.5, 0, 1 },
	{ "fairseq",
	    "| epoch 009 | loss 4.576 | nll_loss 2.952 | ppl 7.74 | wps 434000 "
	    "| num_updates 2282 | lr 0.0004 | gnorm 0.328 | clip 0%\n"
	    "| epoch 009 | valid on 'valid' subset | loss 4.90 | ppl 9.01\n"
	    "| epoch 010 | loss 4.440 | nll_loss 2.805 | ppl 6.99 | "
	    "num_updates 2536 | lr 0.0005 | gnorm 0.313\n",
	    "loss", 2, 4.576, 4.44, 2536, 10 },
	{ "fairseq, validation",
	    "| epoch 009 | valid on 'valid' subset | valid_loss 4.90342 | "
	    "valid_ppl 9.01 | num_updates 2282 | best 4.90342\n",
	    "val_loss", 1, 4.90342, 4.90342, -1, 9 },
	{ "mmengine",
	    "2024/01/01 10:00:00 - mmengine - INFO - Epoch(train)  [2][ "
	    "50/100]  lr: 1.0000e-03  eta: 0:10:00  time: 0.5000  data_time: "
	    "0.0100  memory: 5421  grad_norm: 3.2  loss: 0.7300  loss_cls: "
	    "0.5\n"
	    "2024/01/01 10:00:30 - mmengine - INFO - Epoch(train)  "
	    "[2][100/100]  lr: 1.0000e-03  time: 0.5  memory: 5421  loss: "
	    "0.7100\n",
	    "loss", 2, 0.73, 0.71, 100, 2 },
	{ "mmengine, memory",
	    "Epoch(train)  [2][ 50/100]  lr: 1.0000e-03  time: 0.5000  "
	    "data_time: 0.0100  memory: 5421  loss: 0.7300\n",
	    "memory", 1, 5421, 5421, 50, 2 },
	{ "nanoGPT",
	    "step 0: train loss 4.2874, val loss 4.2823\n"
	    "iter 0: loss 4.2654, time 11980.12ms, mfu -100.00%\n"
	    "iter 10: loss 3.2, time 12.50ms, mfu 30.00%\n",
	    "loss", 2, 4.2654, 3.2, 10, -1 },
	{ "nanoGPT, time", "iter 10: loss 3.2, time 12.50ms, mfu 30.00%\n",
	    "step_time", 1, 0.0125, 0.0125, 10, -1 },
	{ "torchtitan",
	    "[titan] 2024-01-01 00:00:00,000 - root - INFO - step:  1  loss: "
	    "12.2611  grad_norm:  1.2  memory: 23.50GiB(30.1%)  tps: 3,456  "
	    "tflops: 20.1  mfu: 6.5%\n",
	    "throughput", 1, 3456, 3456, 1, -1 },
	{ "torchtitan, memory",
	    "step:  1  loss: 12.2611  memory: 2.00GiB(30.1%)  tps: 3,456\n",
	    "memory", 1, 2147483648.0, 2147483648.0, 1, -1 },
	{ "timm",
	    "Train: 0 [  50/1251 (  4%)]  Loss: 6.94 (6.95)  Time: 0.5s,  "
	    "512.00/s  LR: 1.000e-05  Data: 0.01\n",
	    "loss", 1, 6.94, 6.94, 50, -1 },
	{ "PyTorch's example",
	    "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.300039\n"
	    "Train Epoch: 1 [1280/60000 (2%)]\tLoss: 2.213470\n"
	    "Test set: Average loss: 0.0434, Accuracy: 9858/10000 (99%)\n",
	    "loss", 2, 2.300039, 2.21347, 1280, 1 },
	{ "PyTorch's example, test",
	    "Test set: Average loss: 0.0434, Accuracy: 9858/10000 (99%)\n",
	    "val_accuracy", 1, 0.9858, 0.9858, -1, -1 },
	{ "NeMo",
	    "Epoch 0: :   1%| | 12/1000 [00:10<00:01, v_num=x, "
	    "reduced_train_loss=10.90, global_step=11.00, "
	    "train_step_timing in s=1.230]\n",
	    "loss", 1, 10.9, 10.9, 11, 0 },
	{ "detectron2",
	    "[01/01 00:00:00 d2.utils.events]: eta: 0:09:26  iter: 19  "
	    "total_loss: 1.3863  loss_cls: 0.5  time: 1.1348  lr: 0.001  "
	    "max_mem: 2345M\n",
	    "loss", 1, 1.3863, 1.3863, 19, -1 },
	{ "JSON lines",
	    "{\"step\": 10, \"train/loss\": 2.5, \"lr\": 1e-4}\n"
	    "{\"step\": 20, \"train/loss\": 2.25, \"lr\": 1e-4}\n",
	    "loss", 2, 2.5, 2.25, 20, -1 },
	{ "CSV of Lightning",
	    "epoch,step,train_loss,val_loss\n"
	    "0,10,2.5,\n"
	    "0,20,2.25,\n"
	    "0,20,,2.7\n",
	    "loss", 2, 2.5, 2.25, 20, 0 },
	{ "CSV of Lightning, validation",
	    "epoch,step,train_loss,val_loss\n0,10,2.5,\n0,20,,2.7\n",
	    "val_loss", 1, 2.7, 2.7, 20, 0 },
	{ "YOLO",
	    "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances"
	    "       Size\n"
	    "      1/100      2.35G      1.25      2.5      1.1        25      "
	    " "
	    " 640: 100%|##########| 10/10 [00:05<00:00,  1.9it/s]\n"
	    "      2/100      2.35G      1.20      2.4      1.0        25      "
	    " "
	    " 640: 100%|##########| 10/10 [00:05<00:00,  1.9it/s]\n",
	    "loss", 2, 1.25, 1.2, 10, 2 },
	{ "Markdown table",
	    "| Step | Training Loss | Validation Loss |\n"
	    "| 100 | 2.5 | 2.7 |\n| 200 | 2.25 | 2.6 |\n",
	    "loss", 2, 2.5, 2.25, 200, -1 },
	{ "percent", "epoch 3 val_acc: 85.2%\n", "val_accuracy", 1, 0.852,
	    0.852, -1, 3 },
	{ "thousands", "step 1,200 | loss 1,234.5\n", "loss", 1, 1234.5, 1234.5,
	    1200, -1 },
	{ "lowest of two ranks",
	    "[rank1]: step 10 loss: 9.0\n[rank0]: step 10 loss: 2.5\n"
	    "[rank1]: step 20 loss: 9.0\n[rank0]: step 20 loss: 2.25\n",
	    "loss", 2, 2.5, 2.25, 20, -1 },
	{ "the same step twice", "step 10 loss: 2.5\nstep 10 loss: 2.4\n",
	    "loss", 1, 2.5, 2.5, 10, -1 },
};

static void check_format(const struct format *f, size_t piece)
{
	struct findings *log =
	    lab_scan(&lab, f->text, strlen(f->text), piece, "a.log", -1);
	const struct metric_series *s =
	    trends_series(log, trend_lab_metric(&lab, f->metric));

	if (!s)
		fail_msg("%s: no %s", f->program, f->metric);
	if (s->points != f->points || s->now.step != f->step ||
	    fabs(s->now.epoch - f->epoch) > 1e-9)
		fail_msg("%s: %llu points, step %lld, epoch %g", f->program,
		    (unsigned long long)s->points, (long long)s->now.step,
		    s->now.epoch);
	if (fabs(s->v[0].first - f->first) > 1e-6 * fabs(f->first) ||
	    fabs(s->v[s->n - 1].last - f->last) > 1e-6 * fabs(f->last))
		fail_msg("%s: from %.9g to %.9g", f->program, s->v[0].first,
		    s->v[s->n - 1].last);
	findings_free(log);
}

static void formats_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		check_format(&formats[i], 4096);
		check_format(&formats[i], 7);
	}
}

/* Words that look like metrics, and are none. */
static void others_are_not(void **state)
{
	static const char *const texts[] = {
		"python train.py --loss 2 --lr 0.1\n",
		"criterion: loss_fn=CrossEntropyLoss\n",
		"total loss of 3 GPUs\n",
		"dynamic loss scale: 65536.0\n",
		"        loss = F.cross_entropy(logits, target)\n",
		"loss: 12:30:45\n",
		"loss 2024-01-02\n",
		"weight loss10: 3.5\n",
		"flossing: 3.5, glossary=2.5\n",
		"loss version: 1.2.3\n",
		"Loading: 50%|##   | 5/10 [00:01<00:01, 4.0it/s]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct findings *log = read_text(texts[i]);

		for (size_t k = 0; k < log->metrics->n; k++)
			if (strcmp(log->metrics->v[k]->name, "lr") != 0)
				fail_msg("%s in: %s", log->metrics->v[k]->name,
				    texts[i]);
		findings_free(log);
	}
}

static void a_qualified_loss_is_another_curve(void **state)
{
	struct findings *log = read_text("step 1 loss: 2.5 aux loss: 0.5\n"
					 "step 2 loss: 2.4 aux loss: 0.4\n");
	const struct metric_series *s;

	(void)state;
	s = trends_series(log, trend_lab_metric(&lab, "loss"));
	assert_int_equal(log->metrics->n, 2);
	assert_true(s->v[0].first > 2);
	findings_free(log);
}

static void a_resumed_run_is_a_new_segment(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct findings *log;
	const struct metric_series *s;

	(void)state;
	for (int i = 0; i < 50; i++)
		assert_int_equal(
		    buf_addf(&b, "step %d loss: 2.5\n", 100 + i), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(
		    buf_addf(&b, "step %d loss: 2.5\n", 130 + i), 0);
	log = read_text(b.p);
	s = trends_series(log, trend_lab_metric(&lab, "loss"));
	assert_int_equal(s->n, 60);
	assert_int_equal(s->v[49].segment, 0);
	assert_int_equal(s->v[50].segment, 1);
	findings_free(log);
	/* the next epoch's steps are none */
	buf_clear(&b);
	for (int i = 0; i < 60; i++)
		assert_int_equal(buf_addf(&b, "epoch %d step %d loss: 2.5\n",
				     i / 20, i % 20),
		    0);
	log = read_text(b.p);
	s = trends_series(log, trend_lab_metric(&lab, "loss"));
	assert_int_equal(s->v[s->n - 1].segment, 0);
	findings_free(log);
	buf_release(&b);
}

/* A million reports take the room of a few hundred, and nothing of a peak is
 * lost. */
static void a_curve_is_bounded(void **state)
{
	struct err e = { 0 };
	struct findings *log;
	const struct metric_series *s;
	double high = 0;
	uint64_t points = 0;
	char line[80];

	(void)state;
	assert_int_equal(scan_begin(lab.scan, "a.log", -1, NULL, &e), 0);
	for (int i = 0; i < 200000; i++) {
		int n = snprintf(line, sizeof line, "step %d loss: %.3f\n", i,
		    i == 123456 ? 77.0 : 1.5);

		assert_int_equal(scan_feed(lab.scan, line, (size_t)n, &e), 0);
	}
	log = scan_end(lab.scan, true, &e);
	assert_non_null(log);
	s = trends_series(log, trend_lab_metric(&lab, "loss"));
	assert_true(s->n <= METRICS_BUCKETS && s->n >= METRICS_BUCKETS / 4);
	for (size_t i = 0; i < s->n; i++) {
		points += s->v[i].n;
		if (s->v[i].max > high) {
			high = s->v[i].max;
			if (high > 70)
				assert_int_equal(
				    s->v[i].highest.at.step, 123456);
		}
	}
	assert_int_equal(points, 200000);
	assert_true(high > 76 && high < 78);
	assert_true(metrics_size(log->metrics) < 300000);
	findings_free(log);
}

/* Names without end make no curves without end. */
static void curves_are_bounded(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct findings *log;

	(void)state;
	for (int i = 0; i < 500; i++)
		assert_int_equal(buf_addf(&b, "step %d head_%c%c loss: 0.5\n",
				     i, 'a' + i % 26, 'a' + i / 26),
		    0);
	log = read_text(b.p);
	assert_int_equal(log->metrics->n, METRICS_SERIES);
	findings_free(log);
	buf_release(&b);
}

static void the_first_nan_is_known(void **state)
{
	struct findings *log = read_text("step 1 loss: 2.5 grad_norm: inf\n"
					 "step 2 loss: 2.4 grad_norm: 1.0\n"
					 "step 3 loss: 2.4 grad_norm: inf\n"
					 "step 4 loss: 2.4 grad_norm: inf\n"
					 "step 5 loss: nan grad_norm: nan\n"
					 "step 6 loss: nan grad_norm: nan\n");
	struct trend_nan nan = trends_nan(log);

	(void)state;
	assert_non_null(nan.series);
	assert_string_equal(lab.tax->metrics[nan.series->metric].id, "loss");
	assert_int_equal(nan.at.at.step, 5);
	assert_false(nan.infinite);
	assert_non_null(nan.before);
	assert_int_equal(nan.before_at.at.step, 3);
	assert_true(nan.before_infinite);
	findings_free(log);
	/* the loss scaler's overflows are none */
	log = read_text("step 1 loss: 2.5 grad_norm: inf\n"
			"step 2 loss: 2.4 grad_norm: 1.0\n");
	assert_null(trends_nan(log).series);
	findings_free(log);
}

/* Any bytes: no report may be invented, nothing may break. */
static void any_bytes_are_read(void **state)
{
	char text[4096];
	uint32_t x = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		static const char *const words[] = { "loss", ": ", "nan", "1e9",
			"/", "step", ",", "\n", "\r", "it/s", "%", "epoch", "(",
			"|", "val", "-inf", ".", "1e-400", "\xff", " " };
		size_t n = 0;
		struct findings *log;

		while (n + 8 < sizeof text) {
			const char *w;

			x = x * 1664525u + 1013904223u;
			w = words[(x >> 16) % (sizeof words / sizeof *words)];
			memcpy(text + n, w, strlen(w));
			n += strlen(w);
		}
		log = lab_scan(&lab, text, n, 1 + (x >> 20) % 100, "a", -1);
		for (size_t i = 0; i < log->metrics->n; i++)
			for (size_t k = 0; k < log->metrics->v[i]->n; k++)
				assert_true(
				    isfinite(log->metrics->v[i]->v[k].max));
		findings_free(log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_read),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(a_qualified_loss_is_another_curve),
		cmocka_unit_test(a_resumed_run_is_a_new_segment),
		cmocka_unit_test(a_curve_is_bounded),
		cmocka_unit_test(curves_are_bounded),
		cmocka_unit_test(the_first_nan_is_known),
		cmocka_unit_test(any_bytes_are_read),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
