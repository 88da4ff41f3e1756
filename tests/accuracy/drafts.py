#!/usr/bin/env python3
"""How often a drafted rule, with its category filled in, is right.

usage: drafts.py JOBTRIAGE DIR...

DIR holds logs and labels.tsv (columns file and category). One category's rules
are switched off at a time, as if nobody had written them. Of its jobs that were
answered right before, half (by a hash of the log's name) fail in a night whose
store `jobtriage suggest` drafts a rule from for each group that has one of them;
the category is filled in and nothing else. Said of the other half: how many are
of such a group, and how many of these and of the rest the drafts answer right;
and how many logs of other categories, good ones among them, the drafts take.
"""
import collections
import hashlib
import json
import os
import sys
import tempfile

import groups


def first_half(name):
    return hashlib.sha1(name.encode(errors="surrogateescape")).digest()[0] & 1


def drafts(program, store, off, category, wanted, tmp):
    """Rule files of the groups in the store that have a wanted job."""
    listed = json.loads(groups.run(
        program, "groups", "--store", store, "--taxonomy", off, "--format",
        "json") or '{"groups": []}')
    files = []
    for g in listed["groups"]:
        if not wanted & {g["id"], *g["others"]}:
            continue
        text = groups.run(program, "suggest", "--store", store,
                          "--taxonomy", off, g["id"])
        if not text:
            continue
        name = os.path.join(tmp, "draft%d.yaml" % len(files))
        text = text.replace("category: fill_in_category",
                            "category: " + category)
        text = text.replace("id: fill_in_category.",
                            "id: %s.d%d_" % (category, len(files)))
        with open(name, "w", errors="surrogateescape") as f:
            f.write(text)
        if groups.run(program, "taxonomy", "list", "--taxonomy", name):
            files.append(name)
    return files, listed["groups"]


def main():
    program = os.path.abspath(sys.argv[1])
    folders = [os.path.abspath(f) for f in sys.argv[2:]]
    known = {f: groups.labels(f) for f in folders}
    plain = {f: groups.scan(program, f, [], None) for f in folders}
    rules = json.loads(groups.run(program, "taxonomy", "list", "--format",
                                  "json"))
    n = collections.Counter()
    for c in rules["categories"]:
        category = c["id"]
        mine = [(f, name) for f in folders for name, k in known[f].items()
                if k == category and name in plain[f]
                and plain[f][name]["category"] == category]
        with tempfile.TemporaryDirectory() as tmp:
            off, store = os.path.join(tmp, "off.yaml"), tmp + "/s.db"
            with open(off, "w") as f:
                f.write("disable: [%s]\n" % ", ".join(
                    r["id"] for r in c["rules"]))
            night = {f: groups.scan(program, f, [off], None)
                     for f in folders}
            # The night holds all logs but the half that is held back.
            for f in folders:
                learn = os.path.join(tmp, "night%d" % folders.index(f))
                os.mkdir(learn)
                for name in night[f]:
                    if (f, name) not in mine or first_half(name):
                        os.symlink(os.path.join(f, name),
                                   os.path.join(learn, name))
                groups.scan(program, learn, [off], store)
            learned = {night[f][name]["template"]["id"] for f, name in mine
                       if first_half(name)
                       and night[f].get(name, {}).get("template")}
            files, listed = drafts(program, store, off, category, learned,
                                   tmp)
            of = {i: g["id"] for g in listed
                  for i in [g["id"]] + g["others"]}
            heads = {of.get(i, i) for i in learned}
            then = {f: groups.scan(program, f, [off] + files, None)
                    for f in folders} if files else night
            n["drafts"] += len(files)
            for f, name in mine:
                if first_half(name):
                    continue
                template = night[f].get(name, {}).get("template")
                inside = template and of.get(template["id"],
                                             template["id"]) in heads
                right = then[f][name]["category"] == category
                n["held back"] += 1
                n["of a group" if inside else "of none"] += 1
                n["right, of a group" if inside else "right, of none"] += right
            for f in folders:
                for name, d in then[f].items():
                    if d["category"] == category and \
                            night[f][name]["category"] != category and \
                            known[f].get(name, category) != category:
                        n["taken from others"] += 1
                        n["taken that were right"] += \
                            night[f][name]["category"] == known[f][name]
    print("drafts %d; held back %d, of which %d are of a group that a draft "
          "was made of" % (n["drafts"], n["held back"], n["of a group"]))
    print("right: %d of %d in the groups, %d of %d others" % (
        n["right, of a group"], n["of a group"], n["right, of none"],
        n["of none"]))
    print("logs of other categories that the drafts take: %d, of which %d "
          "were right" % (n["taken from others"], n["taken that were right"]))


if __name__ == "__main__":
    main()
