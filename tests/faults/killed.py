"""Kill a command by SIGKILL at random moments, and look after its store.

usage: killed.py ROUNDS COMMAND...   with $DB and $REPORTS for its places

The command first runs undisturbed, for its time and its rows. A round starts
it, half of them on an empty store, kills all of it after a random part of that
time and checks the store (PRAGMA integrity_check, no job twice). Each tenth
round then runs it to the end: the rows must be those of the undisturbed run,
and nothing may lie beside the reports. The last line tells what happened.
"""
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

SEED = int(os.environ.get("SEED", "1"))


def start(command, env):
    return subprocess.Popen(
        [w.replace("$DB", env["DB"]).replace("$REPORTS", env["REPORTS"])
         for w in command], env=env, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def rows(path):
    if not os.path.exists(path) or not os.path.getsize(path):
        return []
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    try:
        have = db.execute("SELECT job, attempt, category, key FROM diagnosis"
                          ).fetchall()
    except sqlite3.OperationalError as e:
        assert "no such table" in str(e), e
        have = []
    db.close()
    assert len(have) == len(set(have)), "a job is in the store twice"
    return sorted(have)


def main():
    rounds, command = int(sys.argv[1]), sys.argv[2:]
    chance = random.Random(SEED)
    env = dict(os.environ)

    def fresh(name):
        shutil.rmtree(name, ignore_errors=True)
        os.mkdir(name)
        os.mkdir(name + "/reports")
        env["DB"] = os.path.abspath(name) + "/jobs.db"
        env["REPORTS"] = os.path.abspath(name) + "/reports"

    def whole():
        p = start(command, env)
        said = p.communicate(timeout=120)[1]
        assert p.returncode == 0, (p.returncode, said)
        return rows(env["DB"]), set(os.listdir(env["REPORTS"]))

    fresh("whole")
    begin = time.time()
    want, reports = whole()
    length = time.time() - begin
    assert want and reports
    fresh("killed")
    killed = partial = ended = completed = 0
    for i in range(1, rounds + 1):
        if i % 10 == 1 or chance.random() < 0.5:
            fresh("killed")
        p = start(command, env)
        try:
            p.wait(chance.random() * length * 1.05)
            ended += 1
        except subprocess.TimeoutExpired:
            killed += 1
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.communicate()
        have = rows(env["DB"])
        assert set(have) <= set(want), set(have) - set(want)
        partial += 0 < len(have) < len(want)
        if i % 10 == 0 or i == rounds:
            have, left = whole()
            assert have == want, (len(have), len(want))
            if "nightly" in command[0]:
                assert left == reports, left ^ reports
            completed += 1
    print("# %d runs, %d killed, %d of them with a part in the store, %d had "
          "ended; %d finished afterwards with the %d rows of the undisturbed "
          "run" % (rounds, killed, partial, ended, completed, len(want)))
    return 0


sys.exit(main())
