"""Plant secrets into a copy of the corpus, beside and inside its failing lines.

redact_plant.py CORPUS SCAN.jsonl OUT: OUT/logs is the copy, OUT/secrets and
OUT/confusers what was planted, one a line, and OUT/jobs the paths that got
some. Secrets are put together here from random letters: nothing that looks
like a token stands in any file of the project.
"""
import json
import os
import random
import shutil
import string
import sys

R = random.Random(20)
HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
B64 = ALNUM + "+/"
secrets, confusers = [], []


def some(letters, n):
    """n letters, with a lower case letter and a digit where there are any."""
    text = [R.choice(letters) for _ in range(n)]
    if n > 2:
        for want in (string.digits, string.ascii_lowercase):
            both = [c for c in letters if c in want]
            if both:
                text[1 + (want == string.digits)] = R.choice(both)
    return "".join(text)


def s(text):
    """A secret: remembered."""
    secrets.append(text)
    return text


def password():
    return s(some(ALNUM, 9))


def pem(kind, width=64):
    lines = [s(some(B64, width)) for _ in range(3)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, s(some(B64, 27)) + "=",
                      f"-----END {kind}-----"])


# What a line may hold; each call makes another secret.
CARRIERS = [
    lambda: "ghp" + "_" + s(some(ALNUM, 36)),
    lambda: "https://x-access-token:" + "ghs" + "_" + s(some(ALNUM, 36)) + "@github.com/a/b",
    lambda: "github" + "_pat_" + s(some(ALNUM, 22)) + "_" + s(some(ALNUM, 59)),
    lambda: "glpat" + "-" + s(some(ALNUM, 20)),
    lambda: "hf" + "_" + s(some(string.ascii_letters, 34)),
    lambda: "login(token='hf" + "_" + s(some(string.ascii_letters, 34)) + "')",
    lambda: "WANDB_API_KEY=" + s(some(HEX, 40)),
    lambda: "+ wandb login --relogin " + s(some(HEX, 40)),
    lambda: "sk" + "-ant-" + s("api03-" + some(ALNUM, 90)),
    lambda: "OPENAI_API_KEY=sk" + "-" + s(some(ALNUM, 48)),
    lambda: "sk" + "-proj-" + s(some(ALNUM, 60)),
    lambda: "AKIA" + s(some(UPPER, 16)),
    lambda: "AWS_SECRET_ACCESS_KEY=" + s(some(B64, 40)),
    lambda: "aws_secret_access_key = " + s(some(B64, 40)),
    lambda: '{"SecretAccessKey": "' + s(some(B64, 40)) + '", "Region": "x"}',
    lambda: "AWS_SESSION_TOKEN=" + s(some(B64, 200)) + "==",
    lambda: "AIza" + s(some(ALNUM, 35)),
    lambda: "ya29" + "." + s(some(ALNUM, 80)),
    lambda: "AccountName=a;AccountKey=" + s(some(B64, 86)) + "==;EndpointSuffix=x",
    lambda: "https://a.blob.core.windows.net/c/x.tar?sv=2022-11-02&sig=" + s(some(ALNUM, 43)) + "%3D",
    lambda: "https://b.s3.amazonaws.com/k?X-Amz-Signature=" + s(some(HEX, 64)) + "&X-Amz-Expires=60",
    lambda: "xoxb" + "-" + s(some(string.digits, 12) + "-" + some(ALNUM, 24)),
    lambda: "https://hooks.slack.com/services/" + s("T" + some(UPPER, 8) + "/B" + some(UPPER, 8) + "/" + some(ALNUM, 24)),
    lambda: "eyJ" + s(some(ALNUM, 33)) + ".eyJ" + s(some(ALNUM, 80)) + "." + s(some(ALNUM, 43)),
    lambda: "Authorization: Bearer " + s(some(ALNUM, 40)),
    lambda: "headers={'Authorization': 'Basic " + s(some(B64, 28)) + "'}",
    lambda: "X-Api-Key: " + s(some(ALNUM, 32)),
    lambda: "postgresql://triage:" + password() + "@db7/triage",
    lambda: "mongodb+srv://u:" + password() + "@h/x",
    lambda: "redis://:" + password() + "@cache:6379/0",
    lambda: "PGPASSWORD=" + password() + " psql -h db7",
    lambda: "train.py --password " + password() + " --lr 1e-4",
    lambda: "Namespace(lr=0.1, db_password='" + password() + "', epochs=3)",
    lambda: '{"user": "me", "password": "' + password() + '", "lr": 0.1}',
    lambda: "{\\\"password\\\": \\\"" + password() + "\\\", \\\"lr\\\": 1}",
    lambda: "password: " + password(),
    lambda: "connect(host='db7', password='" + password() + "')",
    lambda: "client_secret=" + s(some(ALNUM, 24)),
    lambda: "COMET_API_KEY=" + s(some(ALNUM, 25)),
    lambda: "NEPTUNE_API_TOKEN=eyJhcGlf" + s(some(ALNUM, 90)),
    lambda: "MLFLOW_TRACKING_TOKEN=" + s(some(ALNUM, 30)),
    lambda: '{"auths":{"nvcr.io":{"auth":"' + s(some(B64, 44)) + '"}}}',
    lambda: "docker login -u '$oauthtoken' -p " + s(some(ALNUM, 40)) + " nvcr.io",
    lambda: "nvapi" + "-" + s(some(ALNUM, 64)),
    lambda: "//registry.npmjs.org/:_authToken=" + "npm" + "_" + s(some(ALNUM, 36)),
    lambda: "pypi" + "-AgEIcHlwaS5vcmc" + s(some(ALNUM, 120)),
    lambda: "dapi" + s(some(HEX, 32)),
    lambda: '{"username":"me","key":"' + s(some(HEX, 32)) + '"}',
    lambda: "hvs" + "." + s(some(ALNUM, 90)),
    lambda: "curl -s -u me:" + password() + " https://x/",
    lambda: "sshpass -p " + password() + " ssh node7",
    lambda: "AGE-SECRET-KEY-1" + s(some(UPPER, 58)),
    lambda: "token=" + s(some(ALNUM, 40)),
    lambda: "--hf-token " + s(some(ALNUM, 34)),
    lambda: "Cookie: session=" + s(some(ALNUM, 32)),
    lambda: "http://node7:8888/?token=" + s(some(HEX, 48)),
    lambda: '"private_key": "-----BEGIN PRIVATE KEY-----\\n' + s(some(B64, 64)) + "\\n" + s(some(B64, 40)) + '\\n-----END PRIVATE KEY-----\\n"',
]
BLOCKS = [
    lambda: pem("RSA PRIVATE KEY"),
    lambda: pem("OPENSSH PRIVATE KEY", 70),
    lambda: pem("PRIVATE KEY"),
    lambda: "\n".join(s(some(B64, 64)) for _ in range(4)),  # cut out
    lambda: "\n".join([s(some(B64, 64)), s(some(B64, 30)), "-----END PRIVATE KEY-----"]),
]


def c(text):
    confusers.append(text)
    return text


CONFUSERS = [
    lambda: "commit " + c(some(HEX, 40)),
    lambda: "sha256:" + c(some(HEX, 64)),
    lambda: c("GPU-" + "-".join(some(HEX, n) for n in (8, 4, 4, 4, 12))),
    lambda: "run " + c("-".join(some(HEX, n) for n in (8, 4, 4, 4, 12))),
    lambda: "wandb: Syncing run " + c(some(string.ascii_lowercase + string.digits, 8)),
    lambda: c(f"/ckpt/epoch={R.randrange(99)}-step={R.randrange(99999)}.ckpt"),
    lambda: c(f"s3://bucket/shards/train-{R.randrange(99999):05}-of-01024.tar"),
    lambda: c(f"max_tokens={R.randrange(9999)}") + " pad_token='<pad>'",
    lambda: c(f"tokens={R.randrange(999999)}") + " bos_token_id=1 eos_token=</s>",
    lambda: c(f"loss per token: 0.{R.randrange(99999)}"),
    lambda: c(f"tcp://node{R.randrange(999)}:29500"),
    lambda: c(f"password=None token={R.randrange(9999)}"),
    lambda: c(f"models--org--name-{some(HEX, 8)}/snapshots/{some(HEX, 40)}"),
]


def text_lines(path):
    """Its lines, or None for what is no plain text."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        return data.decode("utf-8").split("\n") if b"\0" not in data and b"\r" not in data else None
    except UnicodeDecodeError:
        return None


def plain(line):
    return line.strip() and line[-1] not in '}"]' and line[0] != "{"


def main():
    corpus, scanned, out = sys.argv[1:]
    logs = os.path.join(out, "logs")
    shutil.copytree(corpus, logs)
    jobs, turn = [], 0
    for record in open(scanned, encoding="utf-8"):
        d = json.loads(record)
        if not d["failed"] or not d["evidence"]:
            continue
        proof = d["evidence"][0]
        path = logs + proof["path"][len(corpus):]
        if "!" in path or not os.path.isfile(path):
            continue
        lines, at = text_lines(path), proof["line"] - 1
        if not lines or at >= len(lines) or not plain(lines[at]):
            continue
        turn += 1
        for k, make in ((at - 1, CARRIERS), (at + 1, CARRIERS), (at, CARRIERS if turn % 2 else CONFUSERS)):
            if 0 <= k < len(lines) and plain(lines[k]):
                lines[k] += "  # " + make[(turn + 7 * (k - at)) % len(make)]()
        if turn % 9 == 0:
            lines[at + 1:at + 1] = BLOCKS[turn // 9 % len(BLOCKS)]().split("\n")
        if turn % 5 == 0:
            lines.insert(0, "config: " + CONFUSERS[turn % len(CONFUSERS)]())
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write("\n".join(lines))
        jobs.append((path, d["category"]))
    for name, v in ("secrets", secrets), ("confusers", confusers):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.writelines(x + "\n" for x in v)
    with open(os.path.join(out, "jobs"), "w", encoding="utf-8") as f:
        f.writelines(f"{p} {category}\n" for p, category in jobs)
    print(len(jobs), "jobs,", len(secrets), "secrets,", len(confusers), "confusers")


main()
