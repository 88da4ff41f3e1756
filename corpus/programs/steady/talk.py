"""Jobs that print the words of failures as their business: talk.py CASE."""
import argparse
import sys

from lab import Run, emit

LINES = [
    ("kernel", "BUG: unable to handle page fault for address: ffffa01c"),
    ("kernel", "Out of memory: Killed process 4121 (java) total-vm:1190kB"),
    ("slurm", "slurmstepd: error: *** JOB 88123 ON n07 CANCELLED AT "
     "2024-11-02T03:14:15 DUE TO TIME LIMIT ***"),
    ("python", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
     "allocate 1.50 GiB"),
    ("python", "KeyError: 'module.encoder.weight'"),
    ("nccl", "NCCL WARN Call to ibv_modify_qp failed with error Connection "
     "timed out"),
    ("shell", "Segmentation fault (core dumped)")]


def incidents(run):
    """A model that learns to sort log lines; it shows what it has sorted."""
    run.info("labels: kernel=0 slurm=1 python=2 nccl=3 shell=4")
    for epoch in range(3):
        run.train(25, form="epoch", epoch=epoch)
        for i, (label, text) in enumerate(LINES[epoch::3]):
            emit("sample %d | true %-6s | pred %-6s | p=%.2f | %s" % (
                i, label, label if i else "shell", 0.91 - i / 9, text))
    run.info("worst confusions:")
    for label, text in LINES[4:]:
        emit("    [%s] %s" % (label, text))
    run.info("macro F1 0.912 (error class 'kernel': 0.87); finished")


def generations(run):
    """A model of code; its samples are printed as they are."""
    for step in (200, 400):
        run.train(30, form="dict")
        run.info("***** generation at step %d *****", step)
        emit("### Prompt\nWhy does this script stop?\n### Sample\n"
             "The run ends with\n\n"
             "Traceback (most recent call last):\n"
             '  File "train.py", line 14, in <module>\n'
             "    loss.backward()\n"
             "RuntimeError: Trying to backward through the graph a second "
             "time\n\n"
             "so call backward with retain_graph=True.\n### End of sample")
    run.train(30, form="dict")
    run.info("{'train_runtime': 412.7, 'train_loss': 0.61, 'epoch': 1.0}")
    run.info("Model weights saved in out/model.safetensors")


def rules(run):
    """The watchdog prints the rules by which it would restart the job."""
    text = """watchdog:
  restart_on:
    - id: oom
      pattern: 'CUDA out of memory\\. Tried to allocate'
      example: "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB"
    - id: nccl
      pattern: 'Watchdog caught collective operation timeout'
    - id: xid
      pattern: 'NVRM: Xid \\(PCI:[0-9a-f:]+\\): (48|63|79)'
      example: "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
  give_up_on:
    - 'ModuleNotFoundError: No module named'
    - 'SyntaxError: invalid syntax'
    - "FileNotFoundError: [Errno 2] No such file or directory"
  messages:
    disk_full: "OSError: [Errno 28] No space left on device"
    killed: "slurmstepd: error: Detected 1 oom_kill event"
"""
    run.info("rules of the watchdog:")
    emit(text)
    run.train(50, form="kv")
    run.info("watchdog: 0 restarts, job succeeded")


def usage(run):
    """Help and the texts of its checks, printed by a dry run."""
    parser = argparse.ArgumentParser(
        prog="talk.py", formatter_class=argparse.RawTextHelpFormatter,
        epilog="exit status: 0 fine, 1 error, 137 killed (out of memory)\n"
        "common errors:\n"
        "  AssertionError: world size must be divisible by tp * pp\n"
        "  ValueError: num_heads must be divisible by the tp size\n"
        "  RuntimeError: Address already in use   -> choose --port")
    parser.add_argument("--on-nan", choices=["raise", "skip", "ignore"],
                        help="raise: FloatingPointError: loss is nan")
    parser.add_argument("--fail-fast", action="store_true",
                        help="abort on the first error (default: false)")
    parser.add_argument("--assert-shapes", action="store_true",
                        help="AssertionError: expected [B, T, C]")
    parser.add_argument("--port", type=int, help="port of the rendezvous")
    parser.print_help()
    sys.stdout.flush()
    run.train(40, form="step")
    run.info("dry run ok, 40 steps, exiting with 0")


def folders(run):
    """Data about faults, in files called after them."""
    for name in ("bearing_fault/crash_0012.csv", "fatal_accidents/2019.csv",
                 "error_maps/nan_mask.npy", "killed_in_action/letters.txt",
                 "timeouts/connection_refused.json"):
        run.info("reading %s ... ok, 0 errors, 0 missing", name)
    for epoch in range(3):
        loss = run.train(20, say=False)
        run.info("epoch %d: fault_loss=%.4f crash_recall=0.93 "
                 "exception_rate=0.000 fatal=0 abort_ratio=0.0 "
                 "killed_precision=0.88 oom_rate=0.0", epoch, loss)
    run.info("confusion of 'segmentation fault' with 'panic': 3 of 412")
    run.info("wrote failed_predictions.csv (17 rows), done")


if __name__ == "__main__":
    style = {"incidents": "std", "generations": "plain", "rules": "bracket",
             "usage": "plain"}.get(sys.argv[1], "glog")
    globals()[sys.argv[1]](Run("talk", style, seed=len(sys.argv[1]) + 8))
