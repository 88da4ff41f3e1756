"""A model of pictures and text on clusters this machine is not: fit.py CASE.
The training is real; the last words are composed from the format strings of
the program that would print them."""
import sys

from lab import Run, emit, trace

SITE = "/opt/venv/lib/python3.10/site-packages"
RULE = "+" + "-" * 41 + "+" + "-" * 24 + "+" + "-" * 22 + "+"


def table(used, total, name, free=False):
    """nvidia-smi's table, as a launch script prints it."""
    emit("Tue Mar 11 08:00:01 2025")
    emit("+" + "-" * 89 + "+")
    emit("| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      "
         "CUDA Version: 12.4       |")
    emit(RULE)
    emit("| GPU  Name                 Persistence-M | Bus-Id          Disp.A |"
         " Volatile Uncorr. ECC |")
    emit("|   0  %-24s        On  |   00000000:3B:00.0 Off |"
         "                    0 |" % name)
    emit("| N/A   41C    P0              63W / 300W | %7dMiB / %7dMiB |"
         "      0%%      Default |" % (used, total))
    emit(RULE)
    emit("| Processes:" + " " * 78 + "|")
    emit("|  No running processes found" + " " * 61 + "|" if free else
         "|    0   N/A  N/A      9114      C   python3 %30dMiB |" % used)
    emit("+" + "-" * 89 + "+")


def ray_actor(run):
    """ray/exceptions.py (RayTaskError) around PyTorch's allocator."""
    who = "(RayTrainWorker pid=41207, ip=10.20.3.18) "
    for step, loss in run.steps(30, say=False):
        if step % 5 == 0:
            emit(who + "step %d: loss %.4f" % (step, loss))
    emit("2025-03-11 08:03:27,114\tERROR tune_controller.py:1374 -- Trial "
         "task failed for trial TorchTrainer_5c1d2_00000")
    emit(trace([
        (SITE + "/ray/air/execution/_internal/event_manager.py", 110,
         "resolve_future", "result = ray.get(future)"),
        (SITE + "/ray/_private/worker.py", 2667, "get",
         "values, debugger_breakpoint = worker.get_objects(object_refs, "
         "timeout=timeout)"),
    ], "ray.exceptions.RayTaskError(OutOfMemoryError): ray::_Inner.train() "
        "(pid=41022, ip=10.20.3.18, actor_id=1f0c7ab2e91d04c8b6a3f12e01000000,"
        " repr=TorchTrainer)"))
    emit(trace([
        (SITE + "/ray/train/_internal/utils.py", 57,
         "check_for_failure", "ray.get(object_ref)"),
        ("/home/ada/multimodal/model.py", 208, "forward",
         "fused = self.fuse(torch.cat([image, text], dim=1))"),
    ], "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.38 "
        "GiB. GPU 1 has a total capacity of 39.39 GiB of which 2.11 GiB is "
        "free. Process 41207 has 37.27 GiB memory in use. Of the allocated "
        "memory 34.02 GiB is allocated by PyTorch, and 2.20 GiB is reserved "
        "by PyTorch but unallocated.", head=""))
    emit("\nTrial TorchTrainer_5c1d2_00000 errored after 0 iterations at "
         "2025-03-11 08:03:27. Total running time: 3min 19s")
    emit("ray.train.base_trainer.TrainingFailedError: The Ray Train run "
         "failed. Please inspect the previous error messages for a cause.")


def cublas(run):
    """ATen/cuda/CUDABlas.cpp and Exceptions.h, card nearly full."""
    table(15890, 16384, "Tesla V100-SXM2-16GB")
    run.train(3, every=1, form="eta", total=500)
    emit(trace([
        ("/home/ada/multimodal/align.py", 133, "<module>", "main()"),
        (SITE + "/torch/nn/functional.py", 1848, "linear",
         "return torch._C._nn.linear(input, weight, bias)"),
    ], "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
        "`cublasCreate(handle)`"), sys.stderr)


def llama(run):
    """llama.cpp: ggml-cuda, ggml-alloc and llama model loading."""
    table(4, 24564, "NVIDIA RTX A5000", free=True)
    emit("ggml_cuda_init: found 1 CUDA devices:")
    emit("  Device 0: NVIDIA RTX A5000, compute capability 8.6, VMM: yes")
    emit("llama_model_loader: loaded meta data with 29 key-value pairs and "
         "723 tensors from caption-70b-q4.gguf (version GGUF V3 (latest))")
    emit("load_tensors: offloading 80 repeating layers to GPU")
    emit("load_tensors: offloaded 81/81 layers to GPU")
    emit("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 39979.48 MiB "
         "on device 0: cudaMalloc failed: out of memory")
    emit("alloc_tensor_range: failed to allocate CUDA0 buffer of size "
         "41921523712")
    emit("llama_model_load: error loading model: unable to allocate CUDA0 "
         "buffer")
    emit("llama_model_load_from_file_impl: failed to load model")
    emit("main: error: unable to load model")


def engine(run):
    """vLLM: no room for its cache; the parent only knows that a child died."""
    head = "(EngineCore_DP0 pid=7714) "
    day = " 03-11 08:01:%02d "
    emit(head + "INFO" + day % 9 + "[gpu_model_runner.py:2007] Model loading "
         "took 22.4109 GiB and 31.8 seconds")
    emit(head + "INFO" + day % 24 + "[gpu_worker.py:298] Available KV cache "
         "memory: -1.26 GiB")
    for line in trace([
        (SITE + "/vllm/v1/engine/core.py", 700, "run_engine_core",
         "engine_core = EngineCoreProc(*args, **kwargs)"),
        (SITE + "/vllm/v1/core/kv_cache_utils.py", 589,
         "check_enough_kv_cache_memory",
         "raise ValueError(\"No available memory for the cache blocks. \""),
    ], "ValueError: No available memory for the cache blocks. Try increasing "
            "`gpu_memory_utilization` when initializing the engine.").split(
                "\n"):
        emit(head + "ERROR" + day % 25 + "[core.py:708] " + line)
    emit(trace([
        ("/home/ada/multimodal/caption_all.py", 41, "<module>",
         "llm = LLM(model=args.model, max_model_len=16384)"),
        (SITE + "/vllm/v1/engine/utils.py", 729, "launch_core_engines",
         "wait_for_engine_startup("),
    ], "RuntimeError: Engine core initialization failed. See root cause above."
        " Failed core proc(s): {}"))


def terminate(run):
    """keras/callbacks: TerminateOnNaN; the job's own check behind it."""
    for step, loss in run.steps(60, say=False):
        if step % 12 == 0:
            shown = loss if step < 60 else float("nan")
            sys.stdout.write("\r%3d/500 [=>....] - ETA: %d:%02d - loss: %.4f"
                             % (step, 9 - step // 12, step, shown))
    emit("\nBatch 60: Invalid loss, terminating training")
    emit("500/500 [======] - 71s 142ms/step - loss: nan - accuracy: 0.0981")
    emit("export: training stopped after batch 60 of 500, nothing to export")


def numerics(run):
    """tensorflow/core/kernels/check_numerics_op.cc, function mode."""
    run.train(40, form="step")
    emit(trace([
        ("/home/ada/multimodal/two_towers.py", 171, "<module>",
         "towers.fit(pairs, epochs=12, callbacks=[saver])"),
        (SITE + "/keras/src/utils/traceback_utils.py", 70, "error_handler",
         "raise e.with_traceback(filtered_tb) from None"),
        (SITE + "/tensorflow/python/eager/execute.py", 53, "quick_execute",
         "tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, "
         "op_name,"),
    ], "tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph "
        "execution error:\n\nDetected at node 'towers/CheckNumerics_3' "
        "defined at (most recent call last):\n    File \"/home/ada/multimodal/"
        "two_towers.py\", line 96, in train_step\n      loss = tf.debugging."
        "check_numerics(loss, \"contrastive loss\")\nNode: "
        "'towers/CheckNumerics_3'\ncontrastive loss : Tensor had NaN values\n"
        "\t [[{{node towers/CheckNumerics_3}}]] "
        "[Op:__inference_train_function_20417]"))


def megatron(run):
    """pretrain_gpt.py of Megatron-LM; seven peers are told to stop."""
    run.train(120, form="mega", total=50000, every=20)
    for line in trace([
        ("/home/ada/multimodal/pretrain_vlm.py", 188, "loss_func",
         "assert not loss.isnan(), ("),
    ], "AssertionError: Rank 5: found NaN in local forward loss calculation. "
            "Device: 5, node: gn0142").split("\n"):
        emit("[rank5]: " + line, sys.stderr)
    emit("W0311 08:02:51.204000 2114 torch/distributed/elastic/"
         "multiprocessing/api.py:897] Sending process 2120 closing signal "
         "SIGTERM", sys.stderr)
    emit("E0311 08:02:51.981000 2114 torch/distributed/elastic/"
         "multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 5 "
         "(pid: 2125) of binary: /opt/venv/bin/python3", sys.stderr)


def uninitialized(run):
    """tensorflow/core/kernels, graph mode of the first version."""
    run.train(20, form="step")
    note = ("Attempting to use uninitialized value image/proj/kernel\n\t "
            "[[node image/proj/kernel/read (defined at towers_v1.py:63) ]]")
    emit(trace([
        (SITE + "/tensorflow_core/python/client/session.py", 1365, "_do_call",
         "return fn(*args)"),
    ], "tensorflow.python.framework.errors_impl.FailedPreconditionError: "
        + note))
    emit("\nDuring handling of the above exception, another exception "
         "occurred:\n")
    emit(trace([
        ("towers_v1.py", 141, "<module>", "_, value = session.run([train_op, "
         "loss], feed)"),
        (SITE + "/tensorflow_core/python/client/session.py", 1384, "_do_call",
         "raise type(e)(node_def, op, message)"),
    ], "tensorflow.python.framework.errors_impl.FailedPreconditionError: "
        + note))


def devices(run):
    """ATen's device check, said by four ranks under srun --label."""
    run.train(10, form="kv")
    text = trace([
        ("/home/ada/multimodal/align.py", 88, "forward",
         "return self.norm(x) * self.gain + self.shift[index]"),
    ], "RuntimeError: Expected all tensors to be on the same device, but found"
        " at least two devices, cuda:%d and cpu!")
    for rank in (2, 0, 3, 1):
        for line in (text % rank).split("\n"):
            emit("%d: %s" % (rank, line))
    emit("srun: error: gn0142: tasks 0-3: Exited with exit code 1")


def pip(run):
    """pip/_internal/commands/install.py, in a launch script."""
    emit("+ pip install -r requirements.txt")
    emit("Defaulting to system packages of image multimodal-24.11")
    emit("Collecting einops-lite==0.4.1")
    emit("  Downloading einops_lite-0.4.1-py3-none-any.whl (41 kB)")
    emit("Installing collected packages: einops-lite")
    emit("ERROR: Could not install packages due to an OSError: [Errno 13] "
         "Permission denied: '/usr/local/lib/python3.10/dist-packages/"
         "einops_lite'\nConsider using the `--user` option or check the "
         "permissions.\n")
    emit("[notice] A new release of pip is available: 23.3.1 -> 25.0")
    emit("+ exit 1")


def docker(run):
    """docker's client, on a node where the user is not in its group."""
    emit("slurm prolog: scratch /mnt/scratch/482219 created")
    emit("docker: permission denied while trying to connect to the Docker "
         "daemon socket at unix:///var/run/docker.sock: Head "
         "\"http://%2Fvar%2Frun%2Fdocker.sock/_ping\": dial unix "
         "/var/run/docker.sock: connect: permission denied.\nSee 'docker run "
         "--help'.")
    emit("slurm epilog: scratch /mnt/scratch/482219 removed")


def hydra(run):
    """hydra/_internal/config_loader_impl.py and omegaconf's causes."""
    emit("Could not override 'optim.warmup'.\nTo append to your config use "
         "+optim.warmup=2000\nKey 'warmup' is not in struct\n    full_key: "
         "optim.warmup\n    object_type=dict\n\nSet the environment variable "
         "HYDRA_FULL_ERROR=1 for a complete stack trace.")


def contract(run):
    """jax/_src/lax/lax.py, with jax's note on its frames."""
    run.train(20, form="kv")
    emit(trace([
        ("/home/ada/multimodal/clip_jax.py", 144, "<module>",
         "state, loss = update(state, images, tokens)"),
        ("/home/ada/multimodal/clip_jax.py", 97, "loss_fn",
         "logits = jnp.matmul(image, text.T) * scale"),
    ], "TypeError: dot_general requires contracting dimensions to have the "
        "same shape, got (768,) and (512,).\n--------------------\nFor "
        "simplicity, JAX has removed its internal frames from the traceback "
        "of the following exception. Set JAX_TRACEBACK_FILTERING=off to "
        "include these."))


def keras_axis(run):
    """keras/src/layers/input_spec.py, called layer and its arguments."""
    run.train(20, form="step")
    emit(trace([
        ("/home/ada/multimodal/head_keras.py", 52, "<module>",
         "head.predict(features)"),
        (SITE + "/keras/src/utils/traceback_utils.py", 122, "error_handler",
         "raise e.with_traceback(filtered_tb) from None"),
        (SITE + "/keras/src/layers/input_spec.py", 227,
         "assert_input_compatibility", "raise ValueError("),
    ], "ValueError: Exception encountered when calling Sequential.call().\n\n"
        "\x1b[1mInput 0 of layer \"fuse\" is incompatible with the layer: "
        "expected axis -1 of input shape to have value 1280, but received "
        "input with shape (32, 1024)\x1b[0m\n\nArguments received by "
        "Sequential.call():\n  \u2022 inputs=tf.Tensor(shape=(32, 1024), "
        "dtype=float32)\n  \u2022 training=False\n  \u2022 mask=None"))


def unimplemented(run):
    """tsl/platform/status.cc and a kernel that only knows one layout."""
    run.train(10, form="step")
    emit("2025-03-11 08:00:21.771302: W tensorflow/core/framework/"
         "op_kernel.cc:1830] OP_REQUIRES failed at conv_ops.cc:701 : "
         "UNIMPLEMENTED: The Conv2D op currently only supports the NHWC "
         "tensor format on the CPU. The op was given the format: NCHW")
    emit(trace([
        ("/home/ada/multimodal/two_towers.py", 171, "<module>",
         "towers.fit(pairs, epochs=12, callbacks=[saver])"),
    ], "tensorflow.python.framework.errors_impl.UnimplementedError: Graph "
        "execution error:\n\nThe Conv2D op currently only supports the NHWC "
        "tensor format on the CPU. The op was given the format: NCHW\n\t "
        "[[{{node towers/image/stem/Conv2D}}]] "
        "[Op:__inference_train_function_1873]"))


if __name__ == "__main__":
    job = Run("multimodal", "std" if len(sys.argv[1]) % 2 else "plain",
              seed=81)
    job.config({"towers": "vit-l,text-12", "batch_size": 256})
    globals()[sys.argv[1]](job)
    sys.exit(1)
