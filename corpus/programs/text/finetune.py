"""Fine-tuning of a language model: arguments, configuration and tokens."""
import argparse
import os
import pickle
import sys

import numpy as np

from lab import Run


def arguments(argv):
    parser = argparse.ArgumentParser(prog="finetune.py")
    parser.add_argument("--model", default="bert-small")
    parser.add_argument("--lr", type=float, default=3e-5)
    parser.add_argument("--max-len", type=int, default=128)
    parser.add_argument("--task", choices=["nli", "qa", "ner"], default="qa")
    parser.add_argument("--case", default="")
    return parser.parse_args(argv)


def cosine(step, warmup_steps, total):
    return min(step / warmup_steps, 1 - step / total)


def schedule(run, args):
    run.train(10)
    return cosine(step=10, warmup=100, total=1000)


def beam(run, args):
    for epoch in range(3):
        run.train(40, form="dict", every=20)
    run.info("***** Running prediction *****")
    generation = {"max_length": 64, "length_penalty": 1.0}
    return [generation[key] for key in ("max_length", "beam_size")]


def prompts(run, args):
    run.train(20, form="dict")
    fields = {"question": "who", "context": 1984}
    return "question: " + fields["question"] + " context: " + fields["context"]


def lengths(run, args):
    limit = os.environ.get("MAX_TOKENS", "512")
    run.info("token limit %s", limit)
    run.train(10, form="dict")
    return [n for n in (12, 480, 1033) if n > limit]


def vocabulary(run, args):
    run.train(10, form="dict")
    vocab = ["[PAD]", "[UNK]", "the", "of"]
    ids = [0, 3, 2, 4]
    return " ".join(vocab[i] for i in ids)


def embed(run, args):
    import torch
    run.info("resized tokenizer to 32 entries, embedding has 30")
    table = torch.nn.Embedding(30, 8)
    run.train(10, form="dict")
    return table(torch.tensor([4, 29, 31]))


def scheduler_name(run, args):
    run.train(5, every=5)
    if args.lr > 1:
        decay = 0.5
    return args.lr * decay


def callback(run, args):
    run.train(25)
    early_stopper.step(0.41)


def cache(run, args):
    run.info("loading cached features from cached_train_%d.pkl", args.max_len)
    with open("cached.pkl", "wb") as f:
        f.write(pickle.dumps(np.arange(4000))[:9000])
    with open("cached.pkl", "rb") as f:
        return pickle.load(f)


def tokenizer(run, args):
    run.info("loading tokenizer of %s", args.model)
    try:
        import fastbpe_rs
    except ImportError:
        run.info("fastbpe_rs not available, using the slow tokenizer")
    import sacretokens
    return sacretokens.load(args.model)


def metric(run, args):
    run.train(30, form="dict")
    correct, answered = 0, []
    return 100.0 * correct / len(answered)


def strategy(run, args):
    class Sampler:
        def __iter__(self):
            raise NotImplementedError(
                "%s must implement __iter__" % type(self).__name__)

    class Bucketed(Sampler):
        pass

    run.info("length-grouped sampling enabled")
    return list(Bucketed())


def answers(run, args):
    run.train(20, form="dict")
    best = {"q1": ("yes", 0.9)}.get("q7")
    return best[0]


def main(argv):
    args = arguments(argv)
    run = Run("finetune", "std" if len(args.case) % 2 else "root", seed=21)
    run.config(vars(args) | {"output_dir": "out/" + args.task}, "args")
    run.info("***** Running training *****")
    run.info("  Num examples = 87599")
    run.info("  Total optimization steps = 8214")
    if args.case:
        globals()[args.case](run, args)


if __name__ == "__main__":
    main(sys.argv[1:])
