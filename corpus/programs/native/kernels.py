"""Loads the project's native kernels."""
import ctypes
import faulthandler
import os
import sys

from lab import Run


def augment(run):
    run.train(10)
    return ctypes.CDLL(os.path.abspath("libaug.so")).augment(3)


def cudnn(run):
    run.train(10)
    return ctypes.CDLL("libcudnn_cnn_infer.so.8")


def poke(run):
    faulthandler.enable()
    run.train(30)
    run.info("switching to the fused kernel")
    return ctypes.string_at(8)


def containers(run):
    run.info("loading samplers")
    from torch._six import container_abcs
    return container_abcs


if __name__ == "__main__":
    job = Run("kernels", "root", seed=17)
    job.config({"backend": "fused", "threads": 8})
    globals()[sys.argv[1]](job)
