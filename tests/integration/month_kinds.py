"""How the jobs of month.py end: the texts of their failures, all made up.

A kind is (category, weight, phase, state, exit, text). The phase says how far
a job comes: init, data, train or eval. T(...) is a Python traceback. {x} is
filled in from the job; a literal brace is doubled.
"""


def T(func, code, error, module="main"):
    return ("Traceback (most recent call last):\n"
            '  File "{home}/train.py", line {line}, in <module>\n'
            "    run(parse_args())\n"
            '  File "{home}/%s.py", line {line2}, in %s\n'
            "    %s\n%s" % (module, func, code, error))


F = ("FAILED", "1:0")
KINDS = [
    ("path_not_found", 70, "init") + F + (T(
        "load_config", "with open(path) as f:",
        "FileNotFoundError: [Errno 2] No such file or directory: "
        "'{home}/conf/{project}.yaml'", "config"),),
    ("path_not_found", 80, "data") + F + (T(
        "index_of", "names = os.listdir(root)",
        "FileNotFoundError: [Errno 2] No such file or directory: "
        "'/lustre/{account}/{project}/train'", "dataset"),),
    ("path_not_found", 60, "eval") + F + (T(
        "read_labels", "table = open(labels)",
        "FileNotFoundError: [Errno 2] No such file or directory: "
        "'/lustre/{account}/{project}/test/labels.csv'", "evaluate"),),
    ("library_not_found", 25, "init") + F + (T(
        "<module>", "import einops",
        "ModuleNotFoundError: No module named 'einops'", "model"),),
    ("library_not_found", 9, "init") + F + (T(
        "<module>", "import tensorrt",
        "ImportError: libcudnn.so.8: cannot open shared object file: No such "
        "file or directory", "model"),),
    ("permission_denied", 20, "init") + F + (T(
        "prepare", "os.makedirs(out)",
        "PermissionError: [Errno 13] Permission denied: "
        "'/lustre/shared/{project}/runs'"),),
    ("version_mismatch", 10, "init") + F + (T(
        "<module>", "import {project}_ops",
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version "
        "`GLIBCXX_3.4.32' not found (required by {home}/ops.so)", "model"),),
    ("tensor_mismatch", 14, "train") + F + (T(
        "forward", "x = self.head(x)",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied "
        "({batch}x2048 and 1024x{classes})", "model"),),
    ("tensor_mismatch", 8, "init") + F + (T(
        "restore", "model.load_state_dict(state)",
        "RuntimeError: Error(s) in loading state_dict for Net:\n"
        "\tsize mismatch for head.weight: copying a param with shape "
        "torch.Size([1000, 2048]) from checkpoint, the shape in current model "
        "is torch.Size([{classes}, 2048])."),),
    ("gpu_out_of_memory", 70, "train") + F + (T(
        "backward", "loss.backward()",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
        "{mib} MiB. GPU {gpu} has a total capacity of 79.15 GiB of which "
        "412.19 MiB is free. Including non-PyTorch memory, this process has "
        "78.74 GiB memory in use. Of the allocated memory 75.90 GiB is "
        "allocated by PyTorch, and 1.62 GiB is reserved by PyTorch but "
        "unallocated."),),
    ("cpu_out_of_memory", 45, "data", "OUT_OF_MEMORY", "0:125",
     "slurmstepd: error: Detected 1 oom_kill event in StepId={raw}.0. Some of "
     "the step tasks have been OOM Killed.\n"
     "srun: error: {node}: task 0: Out Of Memory"),
    ("loss_nan", 15, "train") + F + (T(
        "check", "raise FloatingPointError(...)",
        "FloatingPointError: loss is NaN at step {step}, stopping training"),),
    ("framework_api_misuse", 15, "train") + F + (T(
        "step", "loss.backward()",
        "RuntimeError: Trying to backward through the graph a second time (or "
        "directly access saved tensors after they have already been freed). "
        "Saved intermediate values of the graph are freed when you call "
        ".backward() or autograd.grad()."),),
    ("illegal_argument", 60, "init", "FAILED", "2:0",
     "usage: train.py [-h] [--config CONFIG] [--epochs EPOCHS] [--lr LR]\n"
     "train.py: error: unrecognized arguments: --warmup {batch}"),
    ("illegal_argument", 35, "train") + F + (T(
        "resize", "out = crop(image, size)",
        "ValueError: size must be a positive integer, got -{batch}",
        "transform"),),
    ("type_mismatch", 75, "data") + F + (T(
        "join", "return prefix + index",
        'TypeError: can only concatenate str (not "int") to str', "dataset"),),
    ("type_mismatch", 35, "eval") + F + (T(
        "report", "json.dump(scores, f)",
        "TypeError: Object of type Tensor is not JSON serializable",
        "evaluate"),),
    ("key_not_found", 35, "data") + F + (T(
        "label", "return self.table[name]", "KeyError: 'class_{classes}'",
        "dataset"),),
    ("null_reference", 12, "data") + F + (T(
        "decode", "h, w = image.shape[:2]",
        "AttributeError: 'NoneType' object has no attribute 'shape'",
        "dataset"),),
    ("attribute_not_found", 28, "eval") + F + (T(
        "predict", "return model.generate_batch(x)",
        "AttributeError: 'Net' object has no attribute 'generate_batch'",
        "evaluate"),),
    ("syntax_error", 12, "init") + F + (
        '  File "{home}/model.py", line {line}\n    def forward(self, x)\n'
        "                        ^\nSyntaxError: expected ':'",),
    ("illegal_index", 13, "eval") + F + (T(
        "top", "best = scores[k]", "IndexError: list index out of range",
        "evaluate"),),
    ("undefined_variable", 12, "train") + F + (T(
        "schedule", "return base * decay", "NameError: name 'decay' is not "
        "defined", "optim"),),
    ("not_implemented", 5, "eval") + F + (T(
        "export", "raise NotImplementedError('onnx for ' + name)",
        "NotImplementedError: onnx for attention", "evaluate"),),
    ("division_by_zero", 5, "eval") + F + (T(
        "mean", "return total / count",
        "ZeroDivisionError: division by zero", "evaluate"),),
    ("corrupt_data", 12, "data") + F + (T(
        "read", "return json.load(f)",
        "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column "
        "{mib} (char {step})", "dataset"),),
    ("unexpected_encoding", 5, "data") + F + (T(
        "read", "text = f.read()",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position "
        "{step}: invalid continuation byte", "dataset"),),
    ("assertion_failure", 15, "train") + F + (T(
        "check", "assert mask.any(), 'empty mask'",
        "AssertionError: empty mask", "loss"),),
    ("native_crash", 28, "train", "FAILED", "139:0",
     "Fatal Python error: Segmentation fault\n\n"
     "Current thread 0x00007f3a2c1ff700 (most recent call first):\n"
     '  File "{home}/ops.py", line {line2} in gather\n'
     '  File "{home}/train.py", line {line} in step\n'
     "/var/spool/slurmd/job{raw}/slurm_script: line 14: 20518 Segmentation "
     "fault      (core dumped) python train.py"),
    ("accelerator_error", 25, "train") + F + (T(
        "backward", "loss.backward()",
        "RuntimeError: CUDA error: an illegal memory access was encountered\n"
        "CUDA kernel errors might be asynchronously reported at some other API "
        "call, so the stacktrace below might be incorrect.\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1"),),
    ("network_communication", 30, "train") + F + (
        "{host}[rank{gpu}]:[E ProcessGroupNCCL.cpp:563] [Rank {gpu}] Watchdog "
        "caught collective operation timeout: WorkNCCL(SeqNum={step}, "
        "OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, "
        "Timeout(ms)=600000) ran for 600{mib} milliseconds before timing "
        "out.",),
    ("network_communication", 12, "data") + F + (T(
        "fetch", "sock.connect((host, port))",
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "dataset"),),
    ("authentication_failure", 8, "init") + F + (T(
        "fetch", "client.head_bucket(Bucket=name)",
        "botocore.exceptions.ClientError: An error occurred "
        "(ExpiredToken) when calling the HeadBucket operation: The provided "
        "token has expired."),),
    ("node_failure", 8, "train", "NODE_FAIL", "0:0",
     "slurmstepd: error: *** JOB {raw} ON {node} CANCELLED AT {at} DUE TO NODE "
     "FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"),
    ("preempted", 15, "train", "PREEMPTED", "0:15",
     "slurmstepd: error: *** JOB {raw} ON {node} CANCELLED AT {at} DUE TO "
     "PREEMPTION ***"),
    ("time_limit_exceeded", 30, "train", "TIMEOUT", "0:0",
     "slurmstepd: error: *** JOB {raw} ON {node} CANCELLED AT {at} DUE TO TIME "
     "LIMIT ***"),
    ("killed_by_user", 150, "train", "CANCELLED by {uid}", "0:15",
     "slurmstepd: error: *** JOB {raw} ON {node} CANCELLED AT {at} ***"),
    ("unknown", 14, "train", "FAILED", "7:0",
     "solver: residual grows at level {gpu}, giving up"),
    ("unknown", 6, "data", "FAILED", "3:0",
     "shuffle: bucket {gpu} will not settle, leaving"),
]
STUBBORN_KIND = ("key_not_found", 0, "init") + F + (T(
    "build", "norm = config['norm_type']", "KeyError: 'norm_type'", "model"),)
NEW_KIND = ("version_mismatch", 0, "init") + F + (T(
    "to_device", "model.cuda()",
    "RuntimeError: The NVIDIA driver on your system is too old (found version "
    "12020). Please update your GPU driver by downloading and installing a new "
    "version"),)
REQUEUED_KIND = ("attribute_not_found", 0, "train") + F + (T(
    "log", "writer.add_scalers('loss', loss)",
    "AttributeError: 'SummaryWriter' object has no attribute 'add_scalers'"),)
OUTAGE_KIND = ("storage_fault", 0, "train") + F + (T(
    "read", "data = f.read(size)",
    "OSError: [Errno 5] Input/output error: "
    "'/lustre/{account}/{project}/shard-{mib}.tar'", "dataset"),)
HARDWARE = {
    "xid": ("gpu_hardware_fault", 0, "train") + F + (
        "{node} kernel: NVRM: Xid (PCI:0000:4a:00): 79, pid=20518, "
        "name=python, GPU has fallen off the bus.\n" + T(
            "step", "torch.cuda.synchronize()",
            "RuntimeError: CUDA error: unspecified launch failure"),),
    "ecc": ("gpu_hardware_fault", 0, "train") + F + (T(
        "step", "loss = model(batch)",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered"),),
}
WELL = ("none", 0, "train", "COMPLETED", "0:0", "")
# What the other ranks and nodes of a job print when one of them has died.
FOLLOWS = ("{host}[rank{gpu}]:[W ProcessGroupNCCL.cpp:1843] [PG 0 Rank {gpu}] "
           "Connection closed by remote peer, stopping\n"
           "srun: error: {node}: task {gpu}: Exited with exit code 1")
NOISE = [
    "UserWarning: the number of workers is more than this node suggests",
    "tensorboard is not installed, curves are not written",
    "could not read /proc/driver/nvidia/version, going on without it",
    "retrying metrics upload (1/3): timed out",
    "error bars are computed over 5 seeds",
]
