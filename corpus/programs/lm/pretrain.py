"""Pre-training jobs that die of something this machine does not have: a GPU,
a second node, another framework. The training is real, the last lines are
composed from the format strings of the program that would print them."""
import sys

from lab import Run, emit, trace

TORCH = "/opt/conda/lib/python3.10/site-packages/torch"
TF = "/usr/local/lib/python3.9/dist-packages"


def torch_oom(run):
    """c10/cuda/CUDACachingAllocator.cpp, since 2.1."""
    run.train(400, form="mega", total=5000)
    run.warn("memory allocated 71.2 GiB, peak 77.9 GiB")
    emit(trace([
        ("/home/ada/lm/pretrain_llm.py", 412, "<module>", "main()"),
        ("/home/ada/lm/pretrain_llm.py", 377, "main",
         "loss = step(model, batch)"),
        (TORCH + "/nn/modules/module.py", 1553, "_wrapped_call_impl",
         "return self._call_impl(*args, **kwargs)"),
        ("/home/ada/lm/layers/attention.py", 96, "forward",
         "scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale"),
    ], "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.25 "
        "GiB. GPU 2 has a total capacity of 79.15 GiB of which 1.07 GiB is "
        "free. Including non-PyTorch memory, this process has 78.07 GiB "
        "memory in use. Of the allocated memory 74.93 GiB is allocated by "
        "PyTorch, and 1.44 GiB is reserved by PyTorch but unallocated. If "
        "reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html"
        "#environment-variables)"), sys.stderr)
    emit("wandb: Waiting for W&B process to finish... (failed 1).")


def torch_oom_old(run):
    """The same allocator in 1.x, under a progress bar."""
    for _ in run.bar(47, "Epoch 0", 4):
        pass
    emit(trace([
        ("train_diffusion.py", 231, "<module>", "trainer.fit(unet)"),
        ("/home/ada/lm/trainer.py", 118, "fit", "loss.backward()"),
        (TORCH + "/_tensor.py", 396, "backward",
         "torch.autograd.backward(self, gradient, retain_graph, "
         "create_graph, inputs=inputs)"),
        (TORCH + "/autograd/__init__.py", 173, "backward",
         "Variable._execution_engine.run_backward(  # Calls into the C++ "
         "engine to run the backward pass"),
    ], "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0;"
        " 10.76 GiB total capacity; 8.92 GiB already allocated; 401.44 MiB "
        "free; 9.31 GiB reserved in total by PyTorch) If reserved memory is "
        ">> allocated memory try setting max_split_size_mb to avoid "
        "fragmentation.  See documentation for Memory Management and "
        "PYTORCH_CUDA_ALLOC_CONF"), sys.stderr)


def tf_oom(run):
    """tensorflow/core/common_runtime/bfc_allocator.cc and conv_ops."""
    run.train(30, form="step", pace=(7, 9))
    head = "2025-03-11 08:04:11.%06d: "
    emit(head % 20418 + "W tensorflow/core/common_runtime/bfc_allocator.cc:"
         "479] Allocator (GPU_0_bfc) ran out of memory trying to allocate "
         "1.17GiB (rounded to 1258291200)requested by op "
         "unet/block3/conv2/Conv2D")
    emit(head % 20522 + "I tensorflow/core/common_runtime/bfc_allocator.cc:"
         "1010] BFCAllocator dump for GPU_0_bfc")
    for size in (256, 512, 1048576, 1258291200):
        emit(head % 20600 + "I tensorflow/core/common_runtime/bfc_allocator."
             "cc:1033] Bin (%d): \tTotal Chunks: 3, Chunks in use: 3. %dB "
             "allocated for chunks." % (size, size * 3))
    emit(trace([
        ("fit_unet.py", 88, "<module>", "model.fit(tiles, epochs=40)"),
        (TF + "/keras/utils/traceback_utils.py", 70, "error_handler",
         "raise e.with_traceback(filtered_tb) from None"),
        (TF + "/tensorflow/python/eager/execute.py", 52, "quick_execute",
         "tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, "
         "op_name,"),
    ], "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph "
        "execution error:\n\nOOM when allocating tensor with shape[24,256,"
        "160,160] and type float on /job:localhost/replica:0/task:0/device:"
        "GPU:0 by allocator GPU_0_bfc\n\t [[{{node unet/block3/conv2/Conv2D}}]]"
        "\nHint: If you want to see a list of allocated tensors when OOM "
        "happens, add report_tensor_allocations_upon_oom to RunOptions for "
        "current allocation info. This isn't available when running in Eager "
        "mode.\n [Op:__inference_train_function_9120]"))


def xla_oom(run):
    """xla/service and the BFC allocator of PJRT, through jaxlib."""
    run.train(30, form="kv", every=5, pace=(18, 20))
    emit("2025-03-11 08:09:31.402211: W external/xla/xla/tsl/framework/"
         "bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory "
         "trying to allocate 18.31GiB (rounded to 19660800000)requested by op")
    emit(trace([
        ("/home/ada/lm/train_jax.py", 204, "<module>",
         "state, metrics = train_step(state, batch)"),
    ], "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of "
        "memory while trying to allocate 19660800000 bytes.\n"
        "--------------------\nFor simplicity, JAX has removed its internal "
        "frames from the traceback of the following exception. Set "
        "JAX_TRACEBACK_FILTERING=off to include these."))


def concat(run):
    """tensorflow/core/kernels/concat_op.cc"""
    run.train(30)
    emit(trace([
        ("train_pairs.py", 61, "<module>", "estimator.train(input_fn, "
         "max_steps=90000)"),
        (TF + "/tensorflow_core/python/client/session.py", 1384, "_do_call",
         "raise type(e)(node_def, op, message)"),
    ], "tensorflow.python.framework.errors_impl.InvalidArgumentError: ConcatOp"
        " : Dimensions of inputs should match: shape[0] = [7,61440] vs. "
        "shape[3] = [2,61440]\n\t [[node concat_features (defined at "
        "train_pairs.py:44) ]]"))


def variable(run):
    """tensorflow/python/ops/variable_scope.py, graph mode."""
    run.info("building tower 0")
    run.info("building tower 1")
    emit(trace([
        ("towers.py", 97, "<module>", "losses.append(tower(images, labels))"),
        ("towers.py", 58, "tower", "w = tf.get_variable('conv1/weights', "
         "[5, 5, 3, 32])"),
        (TF + "/tensorflow_core/python/ops/variable_scope.py", 864,
         "_get_single_variable", None),
    ], "ValueError: Variable conv1/weights already exists, disallowed. Did you"
        " mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope? "
        "Originally defined at:\n\n  File \"towers.py\", line 58, in tower"))


def illegal_address(run):
    """c10/cuda/CUDAException.cpp, with the watchdog's echo."""
    run.train(900, form="mega", total=20000, pace=(0.7, 0.9))
    text = ("CUDA error: an illegal memory access was encountered\nCUDA "
            "kernel errors might be asynchronously reported at some other API"
            " call, so the stacktrace below might be incorrect.\nFor "
            "debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
            "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")
    emit(trace([
        ("/home/ada/lm/pretrain_moe.py", 518, "<module>", "main()"),
        ("/home/ada/lm/pretrain_moe.py", 466, "main",
         "grad_norm = clip(model.parameters(), 1.0).item()"),
    ], "RuntimeError: " + text), sys.stderr)
    emit("[rank0]:[W311 08:12:09.190112042 CUDAGuardImpl.h:119] Warning: CUDA "
         "warning: an illegal memory access was encountered (function "
         "destroyEvent)", sys.stderr)
    emit("terminate called after throwing an instance of 'c10::Error'\n"
         "  what():  " + text, sys.stderr)


def device_assert(run):
    """aten/src/ATen/native/cuda/Loss.cu"""
    run.train(35, form="dict", every=5)
    for thread in (4, 9, 17, 30):
        emit("../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_"
             "reduce_cuda_kernel_2d: block: [0,0,0], thread: [%d,0,0] "
             "Assertion `t >= 0 && t < n_classes` failed." % thread)
    emit(trace([
        ("train_cls.py", 140, "<module>", "running += loss.item()"),
    ], "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel "
        "errors might be asynchronously reported at some other API call, so "
        "the stacktrace below might be incorrect.\nFor debugging consider "
        "passing CUDA_LAUNCH_BLOCKING=1."))


def cuda_built(run):
    """torch/utils/cpp_extension.py, _check_cuda_version."""
    run.info("building extension module fused_rope...")
    emit("Using /home/ada/.cache/torch_extensions/py310_cu118 as PyTorch "
         "extensions root...")
    emit(trace([
        ("/home/ada/lm/ops/fused_rope.py", 12, "<module>",
         "rope = load(name='fused_rope', sources=SOURCES)"),
        (TORCH + "/utils/cpp_extension.py", 388, "_check_cuda_version",
         "raise RuntimeError(CUDA_MISMATCH_MESSAGE.format(cuda_str_version, "
         "torch.version.cuda))"),
    ], "RuntimeError: \nThe detected CUDA version (12.3) mismatches the "
        "version that was used to compile\nPyTorch (11.8). Please make sure "
        "to use the same CUDA versions.\n"))


def ecc(run):
    """CUDA's text for cudaErrorECCUncorrectable."""
    run.train(70, form="mega", total=9000)
    emit(trace([
        ("/home/ada/lm/pretrain_llm.py", 402, "main",
         "torch.cuda.synchronize()"),
        (TORCH + "/cuda/__init__.py", 892, "synchronize",
         "return torch._C._cuda_synchronize()"),
    ], "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA "
        "kernel errors might be asynchronously reported at some other API "
        "call, so the stacktrace below might be incorrect.\nFor debugging "
        "consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
        "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))


def nccl(run):
    """NCCL's socket.cc and torch's ProcessGroupNCCL.cpp."""
    emit("gn0142:2207:2207 [0] NCCL INFO Bootstrap : Using ib0:10.61.4.142<0>")
    emit("gn0142:2207:2207 [0] NCCL INFO NET/Plugin: No plugin found "
         "(libnccl-net.so), using internal implementation")
    run.train(600, form="mega", total=9000, pace=(3.9, 4.2))
    emit("gn0142:2207:2391 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : "
         "Got completion from peer 10.61.4.150<43211> with status=12 "
         "opcode=0 len=0 vendor err 129 (Recv) localGid "
         "fe80::5aa2:e1ff:fe0c:1d2a remoteGidsfe80::5aa2:e1ff:fe0c:77b0")
    emit("gn0142:2207:2391 [0] NCCL INFO transport/net.cc:1134 -> 6")
    emit("gn0142:2207:2391 [0] proxy.cc:698 NCCL WARN [Proxy Thread] Error: "
         "remote process exited or there was a network error")
    emit("[rank0]:[E311 08:41:02.771018400 ProcessGroupNCCL.cpp:1834] [PG ID 0"
         " PG GUID 0(default_pg) Rank 0] Process group watchdog thread "
         "terminated with exception: NCCL error: remote process exited or "
         "there was a network error, NCCL version 2.21.5")
    emit("ncclRemoteError: A call failed possibly due to a network error or a "
         "remote process exiting prematurely.")


STYLES = {"tf_oom": "plain", "concat": "iso", "variable": "root",
          "device_assert": "plain", "xla_oom": "glog"}

if __name__ == "__main__":
    what = sys.argv[1]
    job = Run("pretrain", STYLES.get(what, "bracket"), seed=len(what))
    emit("| distributed init (rank 0): env://")
    job.config({"num_layers": 32, "hidden_size": 4096, "seq_length": 8192,
                "micro_batch_size": 2, "clip_grad": 1.0, "bf16": True},
               "table")
    globals()[what](job)
    sys.exit(1)
