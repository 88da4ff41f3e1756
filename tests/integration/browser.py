#!/usr/bin/env python3
"""Load the HTML report in Chromium and use it as a reader does.

usage: browser.py SMALL.html LARGE.html
"""
import json
import os
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
import shutil

LOAD_SECONDS = 15  # the slowest machine that may run this
FILTER_MILLISECONDS = 1000
BAD = 0


def check(name, good, why=""):
    global BAD
    if good:
        print("ok", name)
    else:
        BAD += 1
        print("not ok %s: %s" % (name, str(why)[:600]))


class Page:
    def __init__(self):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for flag in ("headless=new", "no-sandbox", "disable-gpu",
                     "disable-dev-shm-usage", "window-size=1280,900"):
            options.add_argument("--" + flag)
        options.set_capability("goog:loggingPrefs", {
            "browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=Service(shutil.which("chromedriver")))
        self.requests = []
        self.console = []

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, code, seconds=LOAD_SECONDS):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.js("return " + code)
            if value:
                return value
            time.sleep(0.02)
        raise RuntimeError("waited in vain for " + code)

    def load(self, path, fragment=""):
        self.driver.get("about:blank")
        start = time.monotonic()
        self.driver.get("file://" + os.path.abspath(path) + fragment)
        self.wait("document.getElementById('grid').dataset.ready")
        return time.monotonic() - start

    def go(self, fragment):
        self.js("location.hash = arguments[0]", fragment)
        time.sleep(0.3)

    def logs(self):
        for entry in self.driver.get_log("browser"):
            self.console.append(entry["message"])
        for entry in self.driver.get_log("performance"):
            m = json.loads(entry["message"])["message"]
            if m["method"] == "Network.requestWillBeSent":
                self.requests.append(m["params"]["request"]["url"])

    def media(self, **features):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": k.replace("_", "-"), "value": v}
                         for k, v in features.items()]})

    def width(self, pixels, mobile=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": pixels, "height": 800, "deviceScaleFactor": 1,
            "mobile": mobile})
        time.sleep(0.3)

    def cells(self, column):
        """What the visible rows show in a column, from above."""
        return self.js("""
            const at = [...document.querySelectorAll(
                "#grid [role=columnheader]")].findIndex(
                (e) => e.dataset.column === arguments[0]);
            return [...document.querySelectorAll("#grid .body > .r")]
                .sort((a, b) => a.getAttribute("aria-rowindex") -
                    b.getAttribute("aria-rowindex"))
                .map((r) => r.children[at].textContent);""", column)

    def names(self):
        """The jobs of the visible rows, whole: what is too long is cut."""
        return self.js("return [...document.querySelectorAll("
                       "'#grid .body .job')].map((e) => e.title)")

    def shown(self):
        return self.js("return Number(document.getElementById('grid')"
                       ".getAttribute('aria-rowcount')) - 1")

    def key(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)
        time.sleep(0.25)


def static_part(p):
    level = 0
    jumps = []
    for h in p.js("return [...document.querySelectorAll('h1,h2,h3')]"
                  ".map((e) => Number(e.tagName[1]))"):
        if h > level + 1:
            jumps.append((level, h))
        level = h
    check("headings in order", not jumps, jumps)
    check("ids are unique", p.js(
        "const v = [...document.querySelectorAll('[id]')].map((e) => e.id);"
        "return new Set(v).size === v.length"))
    check("links within the page lead somewhere", not p.js(
        "return [...document.querySelectorAll('a[href^=\"#\"]')]"
        ".map((a) => a.getAttribute('href').slice(1))"
        ".filter((h) => !h.startsWith('jobs?') &&"
        " !document.getElementById(h))"))
    charts = p.js("return [...document.querySelectorAll('canvas')].map((c) =>"
                  "[c.getAttribute('role'), c.getAttribute('aria-label'),"
                  " c.width * c.height])")
    check("charts are drawn and told", len(charts) == 3 and all(
        role == "img" and len(label) > 40 and size > 10000
        for role, label, size in charts), charts)


def table_part(p):
    everything = p.shown()
    p.go("#jobs?category=key_not_found")
    few = p.shown()
    check("a category in the address filters", 0 < few < everything and
          set(p.cells("title")) == {"Key Not Found"}, (few, everything))
    check("and the form says so", p.js(
        "return document.getElementById('f-category').value") ==
        "key_not_found")
    p.go("#jobs?failed=all")
    check("all outcomes", p.shown() > everything)
    p.go("#jobs")
    link = p.driver.find_element(
        By.CSS_SELECTOR, "#categories tbody tr th a")
    want = p.js("return Number(arguments[0].closest('tr').querySelector("
                "'[data-failed]').dataset.failed)", link)
    p.js("arguments[0].click()", link)
    time.sleep(0.3)
    check("a category's link shows as many jobs as its row says",
          p.shown() == want, (p.shown(), want))
    link = p.driver.find_element(By.CSS_SELECTOR, "#incidents tbody th a")
    jobs = p.js("return arguments[0].closest('tr').children[3].textContent",
                link)
    p.js("arguments[0].click()", link)
    time.sleep(0.3)
    check("an incident's link shows its jobs", len(set(p.cells("job"))) ==
          int(jobs) and p.shown() >= int(jobs), (p.shown(), jobs))

    row = p.js("return [...document.querySelectorAll('[data-table=day] "
               "tbody tr')].map((r) => [r.querySelector('th a').hash, "
               "Number(r.querySelector('[data-failed]').dataset.failed)])"
               ".sort((a, b) => b[1] - a[1])[0]")
    p.go(row[0])
    check("a day's bar shows its failures", p.shown() == row[1] > 0,
          (p.shown(), row))

    p.go("#jobs?sort=-lost")
    lost = [float(x.strip("~").replace(",", "")) for x in p.cells("lost")
            if x != "unknown"]
    check("sorted by what was lost", lost == sorted(lost, reverse=True) and
          lost[0] > 0, lost)
    p.driver.find_element(
        By.CSS_SELECTOR, "[data-column=lost] button").click()
    check("a second click turns the order", p.js(
        "return document.querySelector('[data-column=lost]')"
        ".getAttribute('aria-sort')") == "ascending" and
        "sort=lost" in p.driver.current_url, p.driver.current_url)
    p.go("#jobs")
    box = p.driver.find_element(By.ID, "q")
    box.send_keys("CUDA memory")
    time.sleep(0.4)
    found = p.shown()
    check("search", 0 < found < everything and "q=CUDA" in
          p.driver.current_url, (found, p.driver.current_url))
    p.driver.find_element(By.ID, "clear").click()
    check("clear", p.shown() == everything, p.shown())

    p.js("document.getElementById('grid').scrollTop = 32 * 400")
    time.sleep(0.3)
    rows = p.js("return [...document.querySelectorAll('#grid .body > .r')]"
                ".map((r) => Number(r.getAttribute('aria-rowindex')))")
    check("only the rows in sight are there", len(rows) < 100 and
          min(rows) <= 402 <= max(rows), (len(rows), min(rows), max(rows)))


def keys_part(p):
    p.go("#jobs?verdict=stop")
    p.js("document.getElementById('grid').focus()")
    p.key(Keys.ARROW_DOWN)
    p.key(Keys.ARROW_DOWN)
    check("arrows move", p.js(
        "return document.getElementById('grid')"
        ".getAttribute('aria-activedescendant')") == "row-2")
    p.key(Keys.ENTER)
    p.wait("document.querySelector('#detail .proof') !== null")
    text = p.js("return document.getElementById('detail').textContent")
    check("Enter opens the evidence", "slurm-" in text and
          "What to do" in text and "Evidence" in text, text)
    check("the rows below make room", p.js(
        "const d = document.getElementById('detail').getBoundingClientRect();"
        "const r = document.getElementById('row-3').getBoundingClientRect();"
        "return Math.abs(d.bottom - r.top) < 2"))
    p.key(Keys.ESCAPE)
    check("Esc closes it", p.js(
        "return document.getElementById('detail') === null"))
    p.key("/")
    check("/ goes to the search", p.js(
        "return document.activeElement.id") == "q")
    p.key(Keys.END)
    p.key("x", Keys.ESCAPE)
    check("Esc leaves the search", p.js(
        "return document.activeElement.id") == "grid" and
        "q=" not in p.driver.current_url)
    p.key(Keys.END)
    last = p.shown() + 1
    check("End goes to the last row", p.js(
        "return document.querySelector('#grid .active')"
        ".getAttribute('aria-rowindex')") == str(last))


def hostile_part(p):
    for name in ("<script>alert(1)</script>",
                 "\"><img src=x onerror=alert(1)>", "@@BODY@@ &lt; &amp;"):
        p.go("#jobs")
        p.js("location.hash = '#jobs?' + new URLSearchParams("
             "{job: arguments[0]})", name)
        time.sleep(0.3)
        check("the job %s is text" % name, p.names() == [name], p.names())
        p.js("document.querySelector('#grid .body .r').click()")
        p.wait("document.querySelector('#detail .proof') !== null")
        check("... as is its evidence", name in p.js(
            "return document.getElementById('detail').textContent"))
    p.go("#jobs?q=" + "%3Cscript%3E")
    foreign = p.js(
        "return [...document.querySelectorAll('img,iframe,object,embed,"
        "[onerror],[onclick],[onload],script:not([nonce]):not([type])')]"
        ".map((e) => e.outerHTML.slice(0, 100))")
    check("nothing from a log became an element", not foreign, foreign)
    check("control characters and direction marks are shown", p.js(
        "return !/[\\u202e\\u0000]/.test("
        "document.getElementById('main').textContent.slice(0, 1e6))"))


def looks_part(p):
    contrast = """
        const style = getComputedStyle(document.documentElement);
        const light = (name) => {
            const e = document.createElement("i");
            e.style.color = style.getPropertyValue(name);
            document.body.append(e);
            const c = getComputedStyle(e).color.match(/[\\d.]+/g)
                .slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ?
                    v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            e.remove();
            return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
        };
        const bad = [];
        for (const a of ["--text", "--muted", "--link", "--red-text",
            "--green-text"])
            for (const b of ["--bg", "--panel", "--hover", "--active"]) {
                const x = light(a), y = light(b);
                const r = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
                if (r < 4.5) bad.push([a, b, r]);
            }
        return bad;"""
    dark = "return getComputedStyle(document.body).backgroundColor"
    for scheme in ("light", "dark"):
        p.media(prefers_color_scheme=scheme)
        time.sleep(0.2)
        check("contrast, " + scheme, not p.js(contrast), p.js(contrast))
    black = p.js(dark)
    p.driver.find_element(By.ID, "theme").click()
    check("the button chooses light", p.js(dark) == "rgb(255, 255, 255)" !=
          black, p.js(dark))
    p.driver.find_element(By.ID, "theme").click()
    p.media(prefers_color_scheme="light")
    check("and dark", p.js(dark) == black, p.js(dark))
    p.driver.find_element(By.ID, "theme").click()
    for width in (390, 360):
        p.width(width, True)
        check("no sideways scrolling at %d pixels" % width, p.js(
            "return document.documentElement.scrollWidth") <= width)
    wide = p.js(
        "return [...document.querySelectorAll('.list')].filter((e) =>"
        " e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)")
    check("lists are stacked on a phone", not wide and p.js(
        "return getComputedStyle(document.querySelector('#failures td'),"
        " '::before').content").startswith('"First'), wide)
    p.width(1280)
    cut = p.js(
        "const g = document.getElementById('grid');"
        "return [g, ...g.querySelectorAll('.head > *, .body .v, .body .num')]"
        ".filter((e) => e.scrollWidth > e.clientWidth)"
        ".map((e) => [e.textContent.slice(0, 40), e.scrollWidth,"
        " e.clientWidth])")
    check("no column of the job table is cut", not cut, cut)


def failures_part(p):
    rows = p.js("return [...document.querySelectorAll('#failures tbody tr')]"
                ".map((r) => [r.querySelector('th a').hash,"
                " Number(r.children[2].textContent.replace(',', ''))])")
    check("a row a failure", len(rows) > 10 and
          len(set(h for h, _ in rows)) == len(rows), rows)
    p.go(rows[0][0])
    check("a failure's link shows its jobs", len(set(p.names())) > 0 and
          p.shown() >= rows[0][1] > 0, (p.shown(), rows[0]))
    check("its log is named", p.js(
        "return document.querySelector('#failures .path').textContent"))
    p.go("#jobs")


def plain_part(p, path):
    p.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled",
                             {"value": True})
    p.driver.get("about:blank")
    p.driver.get("file://" + os.path.abspath(path))
    shot = p.driver.find_elements(By.CSS_SELECTOR, ".static-jobs tbody tr")
    check("without JavaScript the costliest jobs are a table",
          len(shot) == 50 and shot[0].is_displayed(), len(shot))
    check("... and the charts' figures are there", len(
        p.driver.find_elements(By.CSS_SELECTOR,
                               "[data-table=category] tbody tr")) > 5)
    p.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled",
                             {"value": False})


def old_part(p, path):
    """A browser that cannot unpack says so."""
    script = p.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": "delete globalThis.DecompressionStream"})
    p.driver.get("about:blank")
    p.driver.get("file://" + os.path.abspath(path))
    time.sleep(0.5)
    check("an old browser is told", "DecompressionStream" in p.js(
        "return document.getElementById('status').textContent"))
    check("... and given the plain table", p.js(
        "return document.querySelector('.static-jobs').offsetHeight > 100"))
    p.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument",
                             script)


def large_part(p, path):
    seconds = p.load(path)
    slowest = 0
    for fragment in ("failed=all", "q=cuda+memory&failed=all",
                     "category=gpu_out_of_memory", "failed=all&sort=-lost",
                     "user=user03&verdict=stop", "q=slurmstepd"):
        p.go("#jobs?" + fragment)
        slowest = max(slowest, float(p.js(
            "return document.getElementById('grid').dataset.milliseconds")))
    p.go("#jobs?failed=all")
    rows = p.shown()
    p.js("const g = document.getElementById('grid');"
         "g.scrollTop = g.scrollHeight")
    time.sleep(0.4)
    check("the end of %d rows can be reached" % rows, p.js(
        "return document.querySelector('#grid [aria-rowindex=\"' + "
        "arguments[0] + '\"]') !== null", rows + 1))
    check("%d attempts, %.1f MB: open in %.1f s, slowest filter %.0f ms" % (
        rows, os.path.getsize(path) / 1e6, seconds, slowest),
        seconds < LOAD_SECONDS and slowest < FILTER_MILLISECONDS)


def trends_part(p, path):
    p.load(path)
    p.go("#jobs?failed=all")
    p.js("document.querySelector('#grid .body .r').click()")
    p.wait("document.querySelector('#detail .curve polyline') !== null")
    text = p.js("return document.getElementById('detail').textContent")
    points = p.js("return document.querySelector('#detail .curve polyline')"
                  ".getAttribute('points').split(' ')")
    check("a warned run shows its curve", "The loss diverges." in text and
          len(points) == 60 and not any("NaN" in q for q in points), text)


def main():
    p = Page()
    try:
        p.load(sys.argv[1])
        static_part(p)
        table_part(p)
        failures_part(p)
        keys_part(p)
        hostile_part(p)
        looks_part(p)
        large_part(p, sys.argv[2])
        trends_part(p, sys.argv[3])
        p.logs()
        outside = [u for u in p.requests
                   if not u.startswith(("file:", "data:", "about:"))]
        check("no request leaves the file", p.requests and not outside,
              outside)
        check("nothing on the console", not p.console, p.console)
        plain_part(p, sys.argv[1])
        old_part(p, sys.argv[1])
    finally:
        p.driver.quit()
    return 1 if BAD else 0


sys.exit(main())
