/* What the logs of the benchmark are made of: texts of jobs, as real programs
 * print them. In a text `@` and a letter stand for a value of the job; see
 * fill() in speed_make.c. */
#ifndef BENCH_SPEED_TEXT_H
#define BENCH_SPEED_TEXT_H

/* How jobs end badly: the category is what a triage must answer. With `trace`
 * the frames of a Python program stand before the text. */
struct failure {
	const char *category;
	int trace;
	const char *text;
};

static const struct failure failures[] = {
	{ "gpu_out_of_memory", 1,
	    "  File \"@s/torch/nn/modules/linear.py\", line 116, in forward\n"
	    "    return F.linear(input, self.weight, self.bias)\n"
	    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
	    "@n.00 MiB. GPU @g has a total capacity of 79.15 GiB of which "
	    "1.12 GiB is free. Process @n has 78.02 GiB memory in use. Of the "
	    "allocated memory 71.30 GiB is allocated by PyTorch, and 5.11 GiB "
	    "is reserved by PyTorch but unallocated.\n" },
	{ "gpu_out_of_memory", 1,
	    "RuntimeError: CUDA out of memory. Tried to allocate 1.@n GiB "
	    "(GPU @g; 39.59 GiB total capacity; 36.10 GiB already allocated; "
	    "812.19 MiB free; 37.55 GiB reserved in total by PyTorch)\n" },
	{ "cpu_out_of_memory", 0,
	    "slurmstepd: error: Detected 1 oom_kill event in StepId=@j.0. "
	    "Some of the step tasks have been OOM Killed.\n"
	    "srun: error: @h: task @g: Out Of Memory\n" },
	{ "path_not_found", 1,
	    "FileNotFoundError: [Errno 2] No such file or directory: '@p'\n" },
	{ "library_not_found", 1,
	    "ModuleNotFoundError: No module named 'flash_attn_@n'\n" },
	{ "permission_denied", 1,
	    "PermissionError: [Errno 13] Permission denied: '@p'\n" },
	{ "tensor_mismatch", 1,
	    "  File \"@s/torch/nn/modules/linear.py\", line 116, in forward\n"
	    "    return F.linear(input, self.weight, self.bias)\n"
	    "RuntimeError: mat1 and mat2 shapes cannot be multiplied "
	    "(@nx768 and 1024x@n)\n" },
	{ "tensor_mismatch", 1,
	    "RuntimeError: The size of tensor a (@n) must match the size of "
	    "tensor b (77) at non-singleton dimension 1\n" },
	{ "loss_nan", 1,
	    "RuntimeError: Function 'LogSoftmaxBackward0' returned nan values "
	    "in its 0th output.\n" },
	{ "illegal_argument", 1,
	    "TypeError: Trainer.__init__() got an unexpected keyword argument "
	    "'warmup_@n'\n" },
	{ "type_mismatch", 1,
	    "TypeError: unsupported operand type(s) for +: 'int' and "
	    "'str'\n" },
	{ "key_not_found", 1, "KeyError: 'field_@n'\n" },
	{ "null_reference", 1,
	    "AttributeError: 'NoneType' object has no attribute 'shape'\n" },
	{ "attribute_not_found", 1,
	    "AttributeError: 'TransformerBlock' object has no attribute "
	    "'rotary_@n'\n" },
	{ "illegal_index", 1, "IndexError: list index out of range\n" },
	{ "undefined_variable", 1,
	    "NameError: name 'val_loader_@n' is not defined\n" },
	{ "not_implemented", 1,
	    "NotImplementedError: Could not run 'aten::_fft_c2r' with "
	    "arguments from the 'HIP' backend.\n" },
	{ "division_by_zero", 1, "ZeroDivisionError: division by zero\n" },
	{ "assertion_failure", 1,
	    "AssertionError: expected @n shards in the index\n" },
	{ "corrupt_data", 1,
	    "_pickle.UnpicklingError: pickle data was truncated\n" },
	{ "corrupt_data", 1,
	    "json.decoder.JSONDecodeError: Expecting ',' delimiter: line @n "
	    "column 17 (char @n)\n" },
	{ "unexpected_encoding", 1,
	    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in "
	    "position @n: invalid continuation byte\n" },
	{ "native_crash", 0,
	    "*** Process received signal ***\n"
	    "Signal: Segmentation fault (11)\n"
	    "/var/spool/slurmd/job@j/slurm_script: line 41: @n Segmentation "
	    "fault      (core dumped) python3 @f\n" },
	{ "accelerator_error", 1,
	    "RuntimeError: CUDA error: an illegal memory access was "
	    "encountered\n"
	    "CUDA kernel errors might be asynchronously reported at some other "
	    "API call, so the stacktrace below might be incorrect.\n"
	    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
	    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side "
	    "assertions.\n" },
	{ "gpu_hardware_fault", 1,
	    "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
	    "CUDA kernel errors might be asynchronously reported at some other "
	    "API call, so the stacktrace below might be incorrect.\n"
	    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n" },
	{ "storage_fault", 1,
	    "OSError: [Errno 28] No space left on device: '@p'\n" },
	{ "storage_fault", 1, "OSError: [Errno 116] Stale file handle\n" },
	{ "authentication_failure", 1,
	    "botocore.exceptions.ClientError: An error occurred (ExpiredToken) "
	    "when calling the GetObject operation: The provided token has "
	    "expired.\n" },
	{ "network_communication", 1,
	    "requests.exceptions.ConnectionError: HTTPConnectionPool("
	    "host='10.61.4.9', port=80@n): Max retries exceeded with url: "
	    "/v1/shards (Caused by ReadTimeoutError(\"HTTPConnectionPool("
	    "host='10.61.4.9', port=80@n): Read timed out. "
	    "(read timeout=60)\"))\n" },
	{ "preempted", 0,
	    "slurmstepd: error: *** JOB @j ON @h CANCELLED AT @d DUE TO "
	    "PREEMPTION ***\n"
	    "srun: Job step aborted: Waiting up to 32 seconds for job step to "
	    "finish.\n" },
	{ "time_limit_exceeded", 0,
	    "slurmstepd: error: *** JOB @j ON @h CANCELLED AT @d DUE TO TIME "
	    "LIMIT ***\n"
	    "srun: Job step aborted: Waiting up to 32 seconds for job step to "
	    "finish.\n" },
	{ "killed_by_user", 0,
	    "slurmstepd: error: *** JOB @j ON @h CANCELLED AT @d ***\n"
	    "srun: Job step aborted: Waiting up to 32 seconds for job step to "
	    "finish.\n" },
};

static const char *const trace_start =
    "Traceback (most recent call last):\n"
    "  File \"@f\", line 4@g1, in <module>\n"
    "    main(parse_args())\n"
    "  File \"@f\", line 3@g7, in main\n"
    "    trainer.fit(model, loaders)\n"
    "  File \"/home/@u/work/src/loop.py\", line 1@g9, in fit\n"
    "    out = self.step(batch, state)\n";

/* What the other ranks and the launcher say when one rank has failed. */
static const char *const consequences[] = {
	"[rank3]:[E301 09:12:44.118204402 ProcessGroupNCCL.cpp:616] [Rank 3] "
	"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=@n, "
	"OpType=ALLREDUCE, NumelIn=@n, NumelOut=@n, Timeout(ms)=600000) ran "
	"for 600012 milliseconds before timing out.\n",
	"W0301 09:12:46.123000 140 torch/distributed/elastic/multiprocessing/"
	"api.py:897] Sending process @n closing signal SIGTERM\n",
	"E0301 09:12:47.311000 140 torch/distributed/elastic/multiprocessing/"
	"api.py:869] failed (exitcode: 1) local_rank: @g (pid: @n) of binary: "
	"/usr/bin/python3\n",
	"srun: error: @h: task @g: Exited with exit code 1\n",
};

static const char *const good_ends[] = {
	"Training completed. Do not forget to share your model!\n"
	"{'train_runtime': @n.51, 'train_samples_per_second': 41.3, "
	"'train_steps_per_second': 1.3, 'epoch': 3.0}\n",
	"`Trainer.fit` stopped: `max_epochs=@g` reached.\n",
	"[INFO] job finished, 0 restarts\nelapsed @n s, all steps done\n",
	("[after training is done] datetime: 2026-03-01 19:@g0:00\n"
	 "saved final weights to /ckpt/@u/run@n/final.pt\n"),
};

/* At the start of a job. */
static const char *const starts[] = {
	"+ srun --label=0 python3 @f --config configs/run@n.yaml\n",
	"SLURM_JOB_ID=@j SLURM_NNODES=2 node @h\n",
	"Python 3.10.13, torch 2.5.1+cu124, CUDA 12.4, driver 550.54.15\n",
	"W0301 08:00:01.500000 140 torch/distributed/run.py:793] \n"
	"W0301 08:00:01.500000 140 torch/distributed/run.py:793] "
	"*****************************************\n"
	"W0301 08:00:01.500000 140 torch/distributed/run.py:793] Setting "
	"OMP_NUM_THREADS environment variable for each process to be 1 in "
	"default, to avoid your system being overloaded, please further tune "
	"the variable for optimal performance in your application as needed. \n"
	"W0301 08:00:01.500000 140 torch/distributed/run.py:793] "
	"*****************************************\n",
	"@h:@n:@n [@g] NCCL INFO Bootstrap : Using bond0:10.61.4.@g<0>\n"
	"@h:@n:@n [@g] NCCL INFO NET/Plugin: No plugin found "
	"(libnccl-net.so)\n"
	"@h:@n:@n [@g] NCCL INFO NCCL version 2.21.5+cuda12.4\n",
	"@h:@n:@n [@g] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
	"@h:@n:@n [@g] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
	"@h:@n:@n [@g] NCCL INFO Connected all rings\n"
	"@h:@n:@n [@g] NCCL INFO comm 0x@x rank @g nranks 8 cudaDev @g busId "
	"19000 - Init COMPLETE\n",
	"@s/torch/utils/data/dataloader.py:617: UserWarning: This DataLoader "
	"will create 16 worker processes in total. Our suggested max number of "
	"worker in current system is 12, which is smaller than what this "
	"DataLoader is going to create.\n"
	"  warnings.warn(\n",
	"@s/transformers/utils/generic.py:441: FutureWarning: "
	"`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
	"`torch.utils._pytree.register_pytree_node` instead.\n"
	"  _torch_pytree._register_pytree_node(\n",
	"wandb: Tracking run with wandb version 0.18.5\n"
	"wandb: Run data is saved locally in /scratch/@u/wandb/run-@n\n"
	"wandb: Syncing run golden-lake-@n\n",
	"Loading checkpoint shards: 2 of 2, 3.4 s\n"
	"number of parameters: 1.@n billion\n",
	"Model(\n  (embed): Embedding(50304, 2048)\n"
	"  (blocks): ModuleList(\n    (0-23): 24 x Block(\n"
	"      (attn): Attention(heads=16, dim=128)\n"
	"      (mlp): Linear(in_features=2048, out_features=8192, bias=True)\n"
	"    )\n  )\n)\n",
	"2026-03-01 08:00:04.@n: I tensorflow/core/platform/"
	"cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use "
	"available CPU instructions in performance-critical operations.\n",
	"I0301 08:00:05.@n 140 dataset.py:88] indexed @n files, 0 missing\n",
};

/* Between the steps. */
static const char *const between[] = {
	"@s/torch/optim/lr_scheduler.py:224: UserWarning: Detected call of "
	"`lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
	"later, you should call them in the opposite order.\n"
	"  warnings.warn(\n",
	"@f:@n: DeprecationWarning: `np.bool8` is a deprecated alias for "
	"`np.bool_`.  (Deprecated NumPy 1.24)\n",
	"@h:@n:@n [@g] NCCL INFO Channel 0@g/0 : 0[0] -> 1[1] [send] via "
	"NET/IB/0/GDRDMA\n",
	"DataLoader: shard @p opened, @n samples, @n.4 MB/s\n",
	"[dataset] epoch shuffle seed @n, buffer @n, workers 8\n",
	"W0301 08:14:22.@n 140 reader.py:140] slow read of @p: 2.@g s\n",
	"GPU @g: 71 C, 402 W, 78121 MiB / 81559 MiB, utilization 98 %\n",
	"eval: accuracy 0.@n, perplexity 12.@n, samples @n\n",
	"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale "
	"to 32768.0\n",
	"wandb: logged @n metrics, 0 errors\n",
	"Using the latest cached version of the module from "
	"/home/@u/.cache/huggingface/modules (last modified on Sun Mar 1)\n",
};

/* A line of a failure in the midst of a log that goes on. */
static const char *const errors[] = {
	("ERROR trainer: batch @n: RuntimeError: CUDA error: an illegal memory "
	 "access was encountered\n"),
	"FileNotFoundError: [Errno 2] No such file or directory: '@p'\n",
	"OSError: [Errno 5] Input/output error: '@p'\n",
	"ERROR loader: KeyError: 'field_@n'\n",
	"ConnectionResetError: [Errno 104] Connection reset by peer\n",
	"ValueError: could not convert string to float: 'n/a@n'\n",
};

/* Shapes of lines that real logs have and that cost more than others: a job's
 * text is drawn from one of these at random. */
struct shape {
	const char *name;
	const char *lines[6];
};

static const struct shape shapes[] = {
	{ "shell",
	    { "@g: + exec numactl --physcpubind=@g-@n --membind=@g python -u "
	      "run_pretraining.py --train_batch_size=@n --learning_rate=4e-3 "
	      "--max_steps=@n --warmup_proportion=0.@n --opt_lamb_beta_1=0.9 "
	      "--num_steps_per_checkpoint=@n --gradient_accumulation_steps=1 "
	      "--local_rank=@g --input_dir=/data/set_@n --output_dir=/results "
	      "--seed=@n --do_train --skip_checkpoint --cache_eval_data\n",
		"@g: + export CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7\n",
		"++ local gpus_per_node=8 nodes=@n rank=@g\n",
		"@g: + [[ @n -gt 1 ]]\n", "@g: + case \"@n\" in\n",
		"@g: ++ date +%s\n" } },
	{ "mllog",
	    { ":::MLLOG {\"namespace\": \"\", \"time_ms\": 17@n0000@n, "
	      "\"event_type\": \"INTERVAL_START\", \"key\": \"block_start\", "
	      "\"value\": null, \"metadata\": {\"file\": \"train.py\", "
	      "\"lineno\": @n, \"first_epoch_num\": @g}}\n",
		":::MLLOG {\"namespace\": \"\", \"time_ms\": 17@n0000@n, "
		"\"event_type\": \"POINT_IN_TIME\", \"key\": "
		"\"eval_accuracy\", \"value\": {\"accuracy\": 0.@n}, "
		"\"metadata\": {\"file\": \"train.py\", \"lineno\": @n, "
		"\"epoch_num\": @g}}\n",
		"@g: :::MLLOG {\"namespace\": \"worker@g\", \"time_ms\": "
		"17@n0000@n, \"event_type\": \"INTERVAL_END\", \"key\": "
		"\"epoch_stop\", \"value\": null, \"metadata\": {}}\n" } },
	{ "warnings",
	    { "[@d] /opt/dali/pipeline/op_@n.cc:@n: Warning: the parameter "
	      "\"nvjpeg_padding\" of operator @n is deprecated, use "
	      "\"hw_decoder_load\" instead\n",
		"@s/torch/optim/lr_scheduler.py:@n: UserWarning: the order "
		"of the calls in step @n may skip a value of the schedule\n",
		"  warnings.warn(message, UserWarning)\n",
		"@h: @g: WARNING: fields of sample @n are not used\n" } },
	{ "tables",
	    { "| @n | @n.@n | 0.@n | @n | 1.@ne-05 | @n |\n",
		"@n @n 0.@n 1.@n 2.@n 0.0 @n.@n\n",
		"  @n   -0.@nE+03   0.@nE-02   -0.@nE+01   @n   1\n",
		"+------+---------+-------+------+---------+------+\n" } },
	{ "long",
	    { "args: Settings(batch=@n, data='@p', hosts=['@h', '@h', '@h'], "
	      "layers=[@n, @n, @n, @n, @n, @n, @n, @n, @n, @n, @n, @n, @n, "
	      "@n], names={'a@n': @n, 'b@n': @n, 'c@n': @n, 'd@n': @n}, "
	      "digest='@x@x@x@x@x@x@x@x', resume=None, extra={'x@n': '@p', "
	      "'y@n': '@p', 'z@n': '@p'}, weights=[0.@n, 0.@n, 0.@n, 0.@n, "
	      "0.@n, 0.@n, 0.@n, 0.@n, 0.@n, 0.@n, 0.@n, 0.@n, 0.@n, 0.@n], "
	      "tokens='@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x@x'"
	      ")\n",
		"batch @n done\n" } },
	{ "scripts",
	    { "\xe7\xac\xac @n \xe8\xbd\xae \xe8\xae\xad\xe7\xbb\x83 "
	      "\xe6\x8d\x9f\xe5\xa4\xb1: 0.@n \xe5\x87\x86\xe7\xa1\xae: "
	      "0.@n\n",
		"\xd1\x8d\xd0\xbf\xd0\xbe\xd1\x85\xd0\xb0 @n "
		"\xd0\xbf\xd0\xbe\xd1\x82\xd0\xb5\xd1\x80\xd1\x8f 0.@n\n",
		"\xe3\x82\xa8\xe3\x83\x9d\xe3\x83\x83\xe3\x82\xaf @n "
		"\xe5\xad\xa6\xe7\xbf\x92\xe4\xb8\xad 0.@n\n" } },
};

#endif
