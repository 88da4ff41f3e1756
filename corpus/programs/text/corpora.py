"""Reading text corpora of uncertain origin."""
import json
import sys

from lab import Run


def latin(run):
    with open("news.txt", "wb") as f:
        f.write(("la soir\u00e9e d'hier \u00e0 Besan\u00e7on\n" * 40).encode("latin-1"))
    run.info("reading news.txt")
    run.train(20)
    with open("news.txt", encoding="utf-8") as f:
        return [line.split() for line in f]


def ascii_out(run):
    run.train(20)
    print("sample: 'Erd\u0151s \u2192 Tur\u00e1n'")


def table(run):
    import pandas as pd
    with open("pairs.csv", "wb") as f:
        f.write("source,target\nHaus,house\n".encode("utf-16"))
    run.info("loading parallel corpus pairs.csv")
    return pd.read_csv("pairs.csv")


def truncated(run):
    records = [{"id": i, "text": "token " * 6, "label": i % 3}
               for i in range(30)]
    with open("train.jsonl", "w") as f:
        f.write("\n".join(map(json.dumps, records))[:-37])
    run.info("reading train.jsonl")
    with open("train.jsonl") as f:
        for i, line in enumerate(f):
            json.loads(line)
            run.train(4, every=8)


def columns(run):
    import pandas as pd
    frame = pd.DataFrame({"text": ["a", "b"], "label": [0, 1]})
    run.info("columns: %s", list(frame.columns))
    run.train(15)
    return frame["label_id"].value_counts()


if __name__ == "__main__":
    job = Run("corpora", "glog", seed=4)
    job.config({"languages": "de-en", "lowercase": True, "errors": "strict"})
    globals()[sys.argv[1]](job)
