"""The dashboard for Grafana against a PostgreSQL store and a report of it.

usage: grafana.py DASHBOARD URL REPORT.json

Checks the dashboard's form by what Grafana's published schema (dashboard kind,
schemaVersion 36) requires and allows, replaces the macros in each panel's SQL as
Grafana's data source for PostgreSQL does, lets psql run it, and compares all
figures with the report's.  Status 1: something differs, which is printed.
"""
import csv
import datetime
import io
import json
import re
import subprocess
import sys

bad = []
KEYS = {  # of the dashboard: key, type, whether it must be there
    "title": (str, False), "uid": (str, True), "description": (str, False),
    "tags": (list, False), "style": (str, True), "timezone": (str, False),
    "editable": (bool, True), "graphTooltip": (int, True),
    "schemaVersion": (int, True), "version": (int, False),
    "refresh": ((str, bool), False), "time": (dict, False),
    "templating": (dict, False), "annotations": (dict, False),
    "links": (list, False), "panels": (list, True)}
PANEL = {"id": (int, True), "type": (str, True), "title": (str, False),
         "description": (str, False), "datasource": (dict, False),
         "gridPos": (dict, True), "targets": (list, True),
         "fieldConfig": (dict, True), "options": (dict, True)}
TARGET = {"refId": (str, True), "datasource": (dict, True),
          "editorMode": (str, False), "format": (str, True),
          "rawQuery": (bool, True), "rawSql": (str, True)}
TYPES = {"stat", "timeseries", "piechart", "table"}


def check(good, what):
    if not good:
        bad.append(what)


def shape(o, keys, where):
    for key, (kind, needed) in keys.items():
        if key in o:
            check(isinstance(o[key], kind), "%s.%s: type" % (where, key))
        else:
            check(not needed, "%s.%s: missing" % (where, key))
    for key in o:
        check(key in keys, "%s.%s: not in the schema" % (where, key))


def check_form(d):
    shape(d, KEYS, "dashboard")
    check(8 <= len(d["uid"]) <= 40, "uid")
    check(d["style"] in ("light", "dark"), "style")
    check(d["graphTooltip"] in (0, 1, 2), "graphTooltip")
    check(set(d["time"]) == {"from", "to"}, "time")
    names = {"${%s}" % v["name"] for v in d["templating"]["list"]
             if v["type"] == "datasource"
             and v["query"] == "grafana-postgresql-datasource"}
    ids, places = set(), {}
    for p in d["panels"]:
        where = "panel " + p.get("title", "?")
        shape(p, PANEL, where)
        check(p["type"] in TYPES, where + ": type")
        check(p["id"] not in ids, where + ": id twice")
        ids.add(p["id"])
        g = p["gridPos"]
        check(set(g) == set("hwxy") and g["h"] > 0 and g["w"] > 0
              and g["x"] >= 0 and g["x"] + g["w"] <= 24, where + ": gridPos")
        for x in range(g["x"], g["x"] + g["w"]):
            for y in range(g["y"], g["y"] + g["h"]):
                check((x, y) not in places, "%s: on %s" % (
                    where, places.get((x, y))))
                places[x, y] = where
        check(set(p["fieldConfig"]) == {"defaults", "overrides"},
              where + ": fieldConfig")
        check(len({t["refId"] for t in p["targets"]}) == len(p["targets"])
              and p["targets"], where + ": refId")
        for t in p["targets"]:
            shape(t, TARGET, where)
            check(t["format"] in ("table", "time_series"), where + ": format")
            for o in p, t:
                check(o["datasource"]["type"] ==
                      "grafana-postgresql-datasource"
                      and o["datasource"]["uid"] in names,
                      where + ": datasource")


def expand(sql, since, until):
    """As the data source's macros.go does, where there is no timescaledb."""
    def macro(m):
        name, args = m[1], [a.strip() for a in m[2].split(",")]
        seconds = {"'1d'": 86400, "'1h'": 3600}
        if name == "__timeFilter":
            return "%s BETWEEN '%s' AND '%s'" % (args[0], since, until)
        if name == "__timeGroupAlias":
            n = seconds[args[1]]
            return 'floor(extract(epoch from %s)/%d)*%d AS "time"' % (
                args[0], n, n)
        raise SystemExit("a macro that this test does not know: " + name)
    return re.sub(r"\$([_a-zA-Z0-9]+)\(([^\)]*)\)", macro, sql)


def run(url, sql):
    out = subprocess.run(
        ["psql", "-qX", "--csv", "-v", "ON_ERROR_STOP=1", "-c",
         "SET default_transaction_read_only = on", "-c", sql, url],
        stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    return list(csv.reader(io.StringIO(out)))


def hours(seconds):
    return seconds / 3600


def figure(text):
    return float(text or 0)


def same(title, got, want):
    """Two tables by key: the same keys, and figures equal to a millionth."""
    check(set(got) == set(want), "%s: keys %s" % (
        title, sorted(set(got) ^ set(want))[:5]))
    check(want, title + ": the report has no such figures")
    for key in set(got) & set(want):
        for a, b in zip(got[key], want[key]):
            check(abs(a - b) <= 1e-6 * max(1, abs(b)),
                  "%s, %s: %s, the report has %s" % (title, key, a, b))
        check(len(got[key]) == len(want[key]), title + ": columns")


def groups(report, name, of):
    """The report's groups of the period itself, by key."""
    return {g["key"]: of(g["now"]) for g in report["breakdowns"][name]
            if g["now"]["attempts"]}


def costs(s):
    return [hours(s["failed_gpu_seconds"]), hours(s["lost"])]


def all_costs(s):
    return [s["attempts"], s["failed"]] + costs(s)


def failed_costs(s):
    return [s["failed"]] + costs(s)


def day(text):
    t = datetime.datetime.fromtimestamp(float(text), datetime.timezone.utc)
    return t.date().isoformat()


def keyed(rows):
    return {r[0]: [figure(v) for v in r[1:]] for r in rows}


def add_up(rows, key, value):
    total = {}
    for r in rows:
        total[key(r)] = total.get(key(r), 0) + figure(r[value])
    return {k: [v] for k, v in total.items()}


def compare(title, rows, report):
    r = report
    failed_days = {k: v for k, v in groups(
        r, "day", failed_costs).items() if v[0]}
    if title == "Totals":
        same(title, {"": [figure(v) for v in rows[0]]}, {"": all_costs(r["now"])})
    elif title == "Failures per day and category":
        same(title, add_up(rows, lambda v: day(v[0]), 2),
             {k: v[:1] for k, v in failed_days.items()})
        # what has no date is on no day
        want = groups(r, "category", lambda s: [s["failed"]])
        for key, (n,) in add_up(rows, lambda v: v[1], 2).items():
            check(0 < n <= want[key][0], title + ", " + key)
    elif title == "GPU-hours of failed attempts per day":
        same(title, {day(v[0]): [figure(v[1]), figure(v[2])] for v in rows},
             {k: v[1:] for k, v in failed_days.items()})
    elif title == "Retry verdicts":
        same(title, keyed(rows), groups(r, "verdict", lambda s: [s["failed"]]))
    elif title == "Categories":
        same(title, keyed(rows), groups(r, "category", failed_costs))
    elif title == "Users":
        same(title, keyed(rows), groups(r, "user", all_costs))
    elif title == "Accounts":
        same(title, keyed(rows), groups(r, "group", all_costs))
    elif title == "Nodes":
        same(title, keyed(rows), {k: v for k, v in groups(
            r, "node", failed_costs).items() if v[0] and k})
    elif title == "Rules":
        same(title, add_up(rows, lambda v: v[0], 2),
             groups(r, "rule", lambda s: [s["failed"]]))
    else:
        check(False, title + ": not compared with anything")


def check_day_views(url, report, since, until):
    """They are for other tools: the same attempts, day by day."""
    for view, of in (("failures_by_day", "category"),
                     ("verdicts_by_day", "verdict"), ("users_by_day", "user"),
                     ("accounts_by_day", "group"), ("nodes_by_day", "node")):
        column = {"group": "account", "user": '"user"'}.get(of, of)
        rows = run(url, "SELECT coalesce(%s, ''), sum(failed),"
                   " sum(gpu_hours_failed), sum(gpu_hours_lost) FROM"
                   " jobtriage.%s WHERE day >= '%s' AND day < '%s'"
                   " GROUP BY 1" % (column, view, since, until))[1:]
        want = groups(report, of, failed_costs)
        got = keyed(rows)
        if of == "node":
            got.pop("", None)
            want = {k: v for k, v in want.items() if v[0] and k}
        same(view, got, want)


def main():
    dashboard, url, report = sys.argv[1:]
    with open(dashboard, encoding="utf-8") as f:
        dashboard = json.load(f)
    with open(report, encoding="utf-8") as f:
        report = json.load(f)
    since, end = report["period"]["since"], report["period"]["until"]
    # Grafana's period has its last moment, the report's ends before it
    until = (datetime.datetime.fromisoformat(end.replace("Z", "+00:00")) -
             datetime.timedelta(microseconds=1)).isoformat()
    check_form(dashboard)
    for p in dashboard["panels"]:
        for t in p["targets"]:
            rows = run(url, expand(t["rawSql"], since, until))[1:]
            compare(p["title"], rows, report)
    check_day_views(url, report, since, end)
    for line in bad:
        print(line)
    sys.exit(1 if bad else 0)


main()
