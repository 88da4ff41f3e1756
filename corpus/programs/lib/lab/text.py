"""Text that a job prints when the part that would really print it (a GPU, a
scheduler, another framework) is not on this machine."""
import sys


def emit(text, stream=None, end="\n"):
    """Write TEXT at once, so that stdout and stderr keep their order."""
    stream = stream or sys.stdout
    stream.write(text + end)
    stream.flush()


def trace(frames, error, head="Traceback (most recent call last):"):
    """A Python traceback: FRAMES are (file, line, function, code)."""
    out = [head] if head else []
    for path, line, function, code in frames:
        out.append('  File "%s", line %d, in %s' % (path, line, function))
        if code:
            out.append("    " + code)
    out.append(error)
    return "\n".join(out)
