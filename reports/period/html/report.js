/*
 * The parts of the report that move: colours, charts, and the job table.
 * Everything from a log enters the page by textContent only.
 */
(() => {
"use strict";

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
root.classList.add("js");

/* An element: its attributes, then its children (text or elements). */
function make(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		e.setAttribute(name, value);
	e.append(...children);
	return e;
}

/* ---- colours: as the system has it, or as the reader chose ---- */

const THEMES = ["automatic", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = 0;

/* A page opened from a file may be denied a memory. */
function remembered(value) {
	try {
		if (value !== undefined)
			localStorage.setItem("jobtriage-theme", value);
		return localStorage.getItem("jobtriage-theme");
	} catch {
		return null;
	}
}

function setTheme(n) {
	theme = n;
	root.dataset.theme = THEMES[n];
	$("theme").textContent = "Colours: " + THEMES[n];
	drawCharts();
}

/* ---- charts ---- */

const charts = [];

/* The rows of a table that C wrote: label and figures. */
function figures(name) {
	return [...document.querySelectorAll(
	    `[data-table="${name}"] tbody tr`)].map((row) => {
		const figure = (key) => {
			const cell = row.querySelector(`[data-${key}]`);
			return cell ? Number(cell.dataset[key]) : 0;
		};
		const link = row.querySelector("th a");
		return {
			label: row.querySelector("th").textContent,
			href: link ? link.getAttribute("href") : null,
			failed: figure("failed"),
			hours: figure("hours"),
			lost: figure("lost"),
		};
	});
}

const sum = (rows, key) => rows.reduce((s, r) => s + r[key], 0) || 1;

function perDay(key, unit, color) {
	const rows = figures("day");
	return { rows, unit, sets: [
		{ label: unit, color, data: rows.map((r) => r[key]) }] };
}

/* What each kind of chart shows; colours are names of CSS variables. */
const KINDS = {
	"day-failed": () => perDay("failed", "failed attempts", "--blue"),
	"day-lost": () => perDay("lost", "GPU-hours lost", "--red"),
	"categories": () => {
		const all = figures("category"), rows = all.slice(0, 20);
		const share = (key) => rows.map(
		    (r) => 100 * r[key] / sum(all, key));
		return { rows, unit: "per cent", flat: true, sets: [
			{ label: "% of failed attempts", color: "--blue",
				data: share("failed") },
			{ label: "% of their GPU-hours", color: "--red",
				data: share("hours") }] };
	},
};

/* On paper a chart has the size that fits the page. */
function drawCharts(paper) {
	const color = (name) => getComputedStyle(root).getPropertyValue(name)
	    .trim();
	/* on a phone a long name leaves the bars no room */
	const short = (s) => innerWidth < 600 && s.length > 22
	    ? s.slice(0, 21) + "…" : s;
	if (typeof Chart === "undefined")
		return;
	while (charts.length)
		charts.pop().destroy();
	Chart.defaults.color = color("--muted");
	Chart.defaults.borderColor = color("--line");
	Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
	for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
		const kind = KINDS[canvas.dataset.chart]();
		const grid = { color: color("--line"), drawBorder: false };
		const named = { grid: { display: false },
			ticks: { autoSkip: !kind.flat, maxRotation: 0 } };
		const measured = { beginAtZero: true, grid,
			ticks: { maxTicksLimit: 6 },
			title: { display: true, text: kind.unit } };

		if (paper === true) {
			canvas.width = kind.flat ? 660 : 320;
			canvas.height = kind.flat ? 400 : 170;
		}
		charts.push(new Chart(canvas, {
			type: "bar",
			data: {
				labels: kind.rows.map((r) => short(r.label)),
				datasets: kind.sets.map((s) => ({
					label: s.label,
					data: s.data,
					backgroundColor: color(s.color),
					categoryPercentage: kind.flat ? 0.75 : 0.9,
					barPercentage: 0.95,
				})),
			},
			options: {
				animation: false,
				responsive: paper !== true,
				maintainAspectRatio: false,
				indexAxis: kind.flat ? "y" : "x",
				scales: kind.flat
				    ? { y: named, x: measured }
				    : { x: named, y: measured },
				plugins: {
					legend: { display: kind.sets.length > 1,
						labels: { boxWidth: 12 } },
				},
				onClick: (event, at) => {
					const row = at.length &&
					    kind.rows[at[0].index];
					if (row && row.href)
						location.hash = row.href;
				},
			},
		}));
	}
}

/* ---- the packed jobs ---- */

function parse(text) {
	const data = JSON.parse(text);
	data.strings = data.strings.map(visible);
	return data;
}

/* A byte that says how, then the bytes, or their number and a deflate stream:
 * see base/deflate.c. */
async function unpack(id) {
	const place = $(id);
	const text = atob(place.textContent.trim());
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = text.charCodeAt(i);
	place.textContent = "";
	if (bytes[0] === 0)
		return parse(new TextDecoder().decode(bytes.subarray(1)));
	const stream = new Blob([bytes.subarray(5)]).stream()
	    .pipeThrough(new DecompressionStream("deflate-raw"));
	return parse(await new Response(stream).text());
}

let table;   /* what C wrote */
let column;  /* its columns by name, typed arrays */
let strings; /* its dictionary */
const details = new Map(); /* blocks that have been asked for */

/* Control characters and bidi overrides are shown, as C's text_visible does. */
const visible = (s) => s.replace(
    /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => c < "\u0100"
	? "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0")
	: "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

const say = (name, row) => strings[column[name][row]];

async function detail(row) {
	const block = Math.floor(row / table.detail_rows);
	if (!details.has(block))
		details.set(block, unpack("data-detail-" + block));
	const { rows, strings: words } = await details.get(block);
	const r = rows[row % table.detail_rows];
	const list = (v) => v.map((i) => words[i]);
	const pairs = (v) => v.filter((_, i) => i % 2 === 0).map(
	    (title, i) => ({ title: words[title], text: words[v[2 * i + 1]] }));
	const proofs = (v) => v.map(
	    ([path, line, rank, node, time, rule, text, why, count]) => ({
		path: words[path], line, rank, node: words[node], time,
		rule: words[rule], text: words[text], why: words[why], count,
	}));
	return {
		evidence: proofs(r[0]), consequences: proofs(r[1]),
		remedies: list(r[2]), notes: list(r[3]), nodes: list(r[4]),
		frame: words[r[5]], checkpoint: words[r[6]], step: r[7],
		submitted: r[8], hasRecord: r[9] === 1, hasLog: r[10] === 1,
		trends: pairs(r[11]), curves: pairs(r[12]),
	};
}

/* ---- lists on a phone: a row is a block, each figure with its head ---- */

for (const list of document.querySelectorAll("table.list")) {
	const heads = [...list.querySelectorAll("thead th")].map(
	    (e) => e.textContent);
	for (const row of list.querySelectorAll("tbody tr"))
		[...row.children].forEach((cell, i) => {
			cell.dataset.head = heads[i];
		});
}

/* ---- values for people ---- */

const integer = new Intl.NumberFormat("en");
const tenth = new Intl.NumberFormat("en",
    { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const count = (n) => n < 0 ? "–" : integer.format(n);
const hours = (s, estimated) => s < 0 ? "unknown"
    : (estimated && s ? "~" : "") + tenth.format(s / 3600);

/* Times come as seconds in the report's zone. */
function clock(s, precise) {
	if (s < 0)
		return "–";
	return new Date(s * 1000).toISOString().slice(0, precise ? 19 : 16)
	    .replace("T", " ");
}

function span(s) {
	const two = (n) => String(n).padStart(2, "0");
	const days = Math.floor(s / 86400);
	if (s < 0)
		return "–";
	return (days ? days + "-" : "") + two(Math.floor(s / 3600) % 24) + ":" +
	    two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
}

/* ---- columns of the table ---- */

let sameYear = false; /* of all ends that are known */

const COLUMNS = [
	{ name: "job", title: "Job", text: true, middle: true },
	{ name: "attempt", title: "Attempt", fold: true, right: true,
		show: (r) => count(column.attempt[r]) },
	{ name: "user", title: "User", text: true, fold: true, middle: true },
	{ name: "title", title: "Category", text: true, middle: true,
		show: (r) => say("title", r) || say("category", r) },
	{ name: "text", title: "Message", text: true, second: true },
	{ name: "verdict", title: "Verdict", text: true },
	{ name: "gpus", title: "GPUs", fold: true, right: true,
		show: (r) => count(column.gpus[r]) },
	{ name: "seconds", title: "Run time", fold: true, right: true,
		show: (r) => span(column.seconds[r]) },
	{ name: "gpu_seconds", title: "GPU-hours", fold: true, right: true,
		show: (r) => hours(column.gpu_seconds[r],
		    column.estimated[r]) },
	{ name: "lost", title: "Lost", right: true,
		show: (r) => hours(column.lost[r], column.estimated[r]) },
	{ name: "ended", title: "Ended", fold: true,
		show: (r) => column.ended[r] < 0 ? "–"
		    : clock(column.ended[r]).slice(sameYear ? 5 : 0) },
];

/* Strings in the order in which people expect numbers in them. */
const ranks = new Map();

function sortKeys(c) {
	const values = column[c.name];
	if (!c.text)
		return values;
	if (!ranks.has(c.name)) {
		const used = [...new Set(values)];
		const keys = new Map(used.map((i) => [i, strings[i].toLowerCase()
		    .replace(/\d+/g, (d) => d.padStart(12, "0"))]));
		const rank = new Int32Array(strings.length);
		used.sort((a, b) => keys.get(a) < keys.get(b) ? -1 :
		    keys.get(a) > keys.get(b) ? 1 : 0);
		used.forEach((i, at) => { rank[i] = at; });
		ranks.set(c.name, values.map((i) => rank[i]));
	}
	return ranks.get(c.name);
}

/* ---- what is shown: filters, which the fragment of the address holds ---- */

const state = { filters: new Map(), sort: "ended", down: true,
	open: -1, active: 0 };
let shown = new Uint32Array(0); /* rows, in their order */
let lower;                      /* the dictionary in lower case */

/* Words and the rows that have each of them in any column of text. */
function matchSearch(text, keep) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	lower = lower || strings.map((s) => s.toLowerCase());
	for (const w of words) {
		const hit = Uint8Array.from(lower, (s) => s.includes(w) ? 1 : 0);
		const columns = table.words.map((name) => column[name]);
		for (let r = 0; r < table.n; r++) {
			if (!keep[r])
				continue;
			keep[r] = 0;
			for (const values of columns) {
				if (hit[values[r]]) {
					keep[r] = 1;
					break;
				}
			}
		}
	}
}

function match(name, value, keep) {
	const number = Number(value);
	if (name === "q")
		return matchSearch(value, keep);
	if (name === "from" || name === "to") {
		for (let r = 0; r < table.n; r++) {
			const late = column.ended[r] - number;
			if (column.ended[r] < 0 ||
			    (name === "from" ? late < 0 : late > 0))
				keep[r] = 0;
		}
		return;
	}
	if (!column[name])
		return;
	if (table.words.includes(name)) {
		const at = strings.indexOf(visible(value));
		for (let r = 0; r < table.n; r++)
			keep[r] &= column[name][r] === at;
	} else if (value !== "all") {
		for (let r = 0; r < table.n; r++)
			keep[r] &= column[name][r] === number;
	}
}

/* A failed attempt is what a reader looks for, unless asked otherwise. */
function filterRows() {
	const keep = new Uint8Array(table.n).fill(1);
	const c = COLUMNS.find((x) => x.name === state.sort) || COLUMNS[10];
	const keys = sortKeys(c);
	const sign = state.down ? -1 : 1;
	let n = 0;
	if (!state.filters.has("failed"))
		match("failed", "1", keep);
	for (const [name, value] of state.filters)
		match(name, value, keep);
	shown = new Uint32Array(table.n);
	for (let r = 0; r < table.n; r++) {
		if (keep[r])
			shown[n++] = r;
	}
	shown = shown.subarray(0, n).sort(
	    (a, b) => sign * (keys[a] - keys[b]) || a - b);
}

function readHash() {
	const text = location.hash.startsWith("#jobs?")
	    ? location.hash.slice(6) : "";
	const wanted = new URLSearchParams(text);
	state.filters.clear();
	state.sort = "ended";
	state.down = true;
	for (const [name, value] of wanted) {
		if (name === "sort") {
			state.down = value.startsWith("-");
			state.sort = value.replace(/^-/, "");
		} else if (value) {
			state.filters.set(name, value);
		}
	}
	return text !== "";
}

function writeHash() {
	const p = new URLSearchParams(state.filters);
	if (state.sort !== "ended" || !state.down)
		p.set("sort", (state.down ? "-" : "") + state.sort);
	const text = p.toString();
	history.replaceState(null, "", text ? "#jobs?" + text : "#jobs");
}

function setFilter(name, value) {
	if (value)
		state.filters.set(name, value);
	else
		state.filters.delete(name);
	writeHash();
	refresh();
}

/* ---- the form and the chips ---- */

const CHOICES = ["category", "verdict", "user", "node"];

function fillChoices() {
	for (const name of CHOICES) {
		const counts = new Map();
		for (let r = 0; r < table.n; r++) {
			const i = column[name][r];
			if (i && column.failed[r] === 1)
				counts.set(i, (counts.get(i) || 0) + 1);
		}
		const label = (i) => name === "category"
		    ? strings[column.title[column.category.indexOf(i)]] ||
		    strings[i] : strings[i];
		const most = name === "category" || name === "verdict";
		const rows = [...counts].map(([i, n]) => [label(i), i, n]).sort(
		    (a, b) => most ? b[2] - a[2] : a[0] < b[0] ? -1 : 1);
		for (const [text, i, n] of rows)
			$("f-" + name).append(make("option",
			    { value: strings[i] }, `${text} (${count(n)})`));
	}
}

function showForm() {
	const chips = [];
	if ($("q").value !== (state.filters.get("q") || ""))
		$("q").value = state.filters.get("q") || "";
	$("f-failed").value = state.filters.get("failed") || "1";
	for (const name of CHOICES) {
		const want = state.filters.get(name) || "";
		const select = $("f-" + name);
		select.value = want;
		if (select.value !== want) {
			select.append(make("option", { value: want }, want));
			select.value = want;
		}
	}
	for (const [name, value] of state.filters) {
		if (name === "q" || name === "failed" || CHOICES.includes(name))
			continue;
		const text = name === "from" || name === "to"
		    ? clock(Number(value)) : value;
		const chip = make("button", { type: "button",
			"aria-label": `Remove filter ${name} ${text}` },
		    `${name}: ${text} ✕`);
		chip.addEventListener("click", () => setFilter(name, ""));
		chips.push(chip);
	}
	$("chips").replaceChildren(...chips);
}

function showStatus() {
	let spent = 0, lost = 0;
	for (const r of shown) {
		spent += Math.max(0, column.gpu_seconds[r]);
		lost += Math.max(0, column.lost[r]);
	}
	$("status").textContent = `${count(shown.length)} of ` +
	    `${count(table.n)} attempts, ${hours(spent)} GPU-hours, ` +
	    `${hours(lost)} lost`;
}

/* ---- the grid: only the rows in sight are in the page ---- */

const grid = $("grid");
const body = make("div", { class: "body", role: "rowgroup" });
const panel = make("div", { class: "r2 detail", role: "row", "aria-level": 2 },
    make("div", { class: "inner", role: "gridcell" }));
let rowHeight = 32;
let panelHeight = 0;
let drawn = new Map(); /* position -> element */

const openAt = () => state.open < 0 ? -1 : shown.indexOf(state.open);
const offsetOf = (at, open) => at * rowHeight +
    (open >= 0 && at > open ? panelHeight : 0);

function makeHead() {
	const head = make("div", { class: "r head", role: "row",
		"aria-rowindex": 1 });
	for (const c of COLUMNS) {
		const button = make("button", { type: "button" }, c.title);
		button.addEventListener("click", () => {
			state.down = state.sort === c.name ? !state.down
			    : !c.text;
			state.sort = c.name;
			writeHash();
			refresh();
		});
		head.append(make("div", { role: "columnheader",
			"data-column": c.name, class: cellClass(c) }, button));
	}
	return head;
}

function cellClass(c) {
	return [c.right ? "num" : "", c.fold ? "fold" : "",
		c.second ? "second" : ""].filter(Boolean).join(" ");
}

const ruler = document.createElement("canvas").getContext("2d");
const room = new Map(); /* pixels of a column's cells, until widths change */

/* The font of the rows; a style's own shorthand may be empty. */
const rowFont = () => parseFloat(getComputedStyle(root).fontSize) * 0.875 +
    "px " + getComputedStyle(grid).fontFamily;

function measureColumns() {
	ruler.font = rowFont();
	room.clear();
	for (const head of grid.querySelectorAll("[role=columnheader]"))
		room.set(head.dataset.column, head.clientWidth);
}

/* Of a name the end tells as much as the beginning: where it is too long, its
 * middle gives way. */
function fit(text, name) {
	const width = room.get(name) - (name === "job" ? 18 : 2);
	const wide = (s) => ruler.measureText(s).width > width;
	if (!(width > 0) || !wide(text))
		return text;
	const cut = (n) => text.slice(0, Math.ceil(n / 3)) + "…" +
	    text.slice(text.length - (n - Math.ceil(n / 3)));
	let low = 2, high = text.length;
	while (low < high) {
		const n = Math.ceil((low + high) / 2);
		if (wide(cut(n)))
			high = n - 1;
		else
			low = n;
	}
	return cut(low);
}

function makeRow(at) {
	const r = shown[at];
	const open = r === state.open;
	const row = make("div", { role: "row", id: "row-" + at,
		"aria-rowindex": at + 2, "aria-level": 1,
		"aria-expanded": open, class: "r" + (open ? " open" : "") +
		    (at === state.active ? " active" : "") });
	for (const c of COLUMNS) {
		const text = c.show ? c.show(r) : say(c.name, r);
		const cell = make("div", { role: "gridcell",
			class: cellClass(c) },
		    c.middle ? fit(text, c.name) : text);
		if (c.name === "job")
			cell.classList.add("job");
		if (c.name === "verdict")
			cell.classList.add("v", text);
		if (c.text)
			cell.title = text;
		row.append(cell);
	}
	row.addEventListener("click", () => {
		state.active = at;
		toggle(at);
	});
	return row;
}

function draw() {
	const open = openAt();
	const top = grid.scrollTop, height = grid.clientHeight;
	const first = Math.max(0, Math.floor(
	    (top - panelHeight) / rowHeight) - 8);
	const last = Math.min(shown.length,
	    Math.ceil((top + height) / rowHeight) + 8);
	const next = new Map();
	for (let at = first; at < last; at++) {
		const row = drawn.get(at) || makeRow(at);
		row.style.top = offsetOf(at, open) + "px";
		next.set(at, row);
		if (!drawn.has(at))
			body.append(row);
	}
	for (const [at, row] of drawn) {
		if (!next.has(at))
			row.remove();
	}
	drawn = next;
	if (open >= 0) {
		panel.style.top = (open + 1) * rowHeight + "px";
		if (!panel.isConnected)
			body.append(panel);
	} else {
		panel.remove();
	}
	body.style.height = shown.length * rowHeight +
	    (open >= 0 ? panelHeight : 0) + "px";
	if (shown.length && drawn.has(state.active))
		grid.setAttribute("aria-activedescendant",
		    "row-" + state.active);
	else
		grid.removeAttribute("aria-activedescendant");
}

function redraw() {
	for (const row of drawn.values())
		row.remove();
	drawn = new Map();
	draw();
}

function refresh() {
	const start = performance.now();
	filterRows();
	if (openAt() < 0)
		state.open = -1, panelHeight = 0;
	state.active = Math.max(0, openAt());
	grid.setAttribute("aria-rowcount", shown.length + 1);
	grid.setAttribute("aria-colcount", COLUMNS.length);
	for (const head of grid.querySelectorAll("[role=columnheader]")) {
		const own = head.dataset.column === state.sort;
		const button = head.firstChild;
		const c = COLUMNS.find((x) => x.name === head.dataset.column);
		head.setAttribute("aria-sort", !own ? "none"
		    : state.down ? "descending" : "ascending");
		button.textContent = c.title +
		    (own ? state.down ? " ▼" : " ▲" : "");
	}
	grid.scrollTop = 0;
	redraw();
	showForm();
	showStatus();
	empty.hidden = shown.length > 0;
	grid.dataset.milliseconds = (performance.now() - start).toFixed(1);
}

const empty = make("p", { class: "empty" },
    "No attempt fits these filters.");

/* ---- an opened row ---- */

/* The same links as in the lists: html_text.c. */
function logElement(path, line) {
	const name = path + (line >= 0 ? ":" + line : "");
	const link = !path.includes("!") && !path.split("/").includes("..") &&
	    table.links.find(([strip]) => path.startsWith(strip) &&
		(strip || path[0] !== "/"));
	if (!link)
		return name;
	return make("a", { href: link[1] + path.slice(link[0].length)
	    .split("/").map(encodeURIComponent).join("/") }, name);
}

function proofElement(p, isRoot) {
	const place = [];
	if (p.rank >= 0)
		place.push("rank " + p.rank);
	if (p.node)
		place.push("node " + p.node);
	if (p.time >= 0)
		place.push(clock(p.time, true));
	if (p.count > 1)
		place.push(count(p.count) + " times");
	if (p.rule)
		place.push(p.rule);
	return make("div", { class: "proof" + (isRoot ? " root" : "") },
	    make("pre", {}, p.text),
	    make("div", { class: "path" }, logElement(p.path, p.line),
		...place.map((s) => " · " + s)),
	    ...p.why && !isRoot ? [make("div", { class: "hint" }, p.why)] : []);
}

function factList(r, d) {
	const text = (name) => say(name, r);
	const known = (n, f) => n < 0 ? "" : f(n, true);
	const own = (title, name) => [title, text(name)];
	const rows = [
		["Job", `${text("job")}, attempt ${column.attempt[r]}`],
		own("Name", "name"), own("User", "user"), own("Group", "group"),
		own("Partition", "partition"), own("Image", "image"),
		own("State", "state"),
		["Submitted", known(d.submitted, clock)],
		["Started", known(column.started[r], clock)],
		["Ended", known(column.ended[r], clock)],
		["Run time", known(column.seconds[r], span)],
		["GPUs", known(column.gpus[r], count)],
		["GPU-hours", hours(column.gpu_seconds[r],
		    column.estimated[r])],
		["Lost", hours(column.lost[r], column.estimated[r])],
		["Avoidable", column.avoidable[r] > 0
		    ? hours(column.avoidable[r]) : ""],
		["Nodes", d.nodes.join(", ")],
		own("Framework", "framework"), own("Stage", "stage"),
		["Last step", known(d.step, count)],
		["Checkpoint", d.checkpoint],
		own("Confidence", "confidence"), own("Rule", "rule"),
	];
	return make("dl", { class: "facts" }, ...rows.filter((x) => x[1])
	    .map(([k, v]) => make("div", {}, make("dt", {}, k),
		make("dd", {}, v))));
}

function section(title, parts) {
	return parts.length ? [make("h3", {}, title), ...parts] : [];
}

const bullets = (v) => v.length
    ? [make("ul", {}, ...v.map((s) => make("li", {}, s)))] : [];

/* A curve of the training, from its least to its greatest value; on a
 * logarithmic scale when these are far apart. */
function plot({ title, text }) {
	const values = text.split(" ").map(Number);
	const low = Math.min(...values), high = Math.max(...values);
	const far = low > 0 && high / low > 1000;
	const scale = far ? Math.log : (v) => v;
	const range = scale(high) - scale(low) || 1;
	const svg = (tag, attributes) => {
		const e = document.createElementNS(
		    "http://www.w3.org/2000/svg", tag);
		for (const [name, value] of Object.entries(attributes))
			e.setAttribute(name, value);
		return e;
	};
	/* a number as a person writes it: 0.1765, 1281, 1.281e+36 */
	const short = (v) => Math.abs(v) < 1e6 ? String(v)
	    : v.toExponential(3);
	const legend = `${title}: first ${short(values[0])}, last ${
	    short(values[values.length - 1])}, from ${short(low)} to ${
	    short(high)}${far ? ", logarithmic" : ""}`;
	const picture = svg("svg", { viewBox: "-2 -2 304 64", width: 304,
		height: 64, role: "img", class: "curve",
		"aria-label": legend });
	picture.append(svg("polyline", { fill: "none",
		stroke: "currentColor", "stroke-width": 1.5,
		points: values.map((v, i) => [
			(300 * i / Math.max(1, values.length - 1)).toFixed(1),
			(60 - 60 * (scale(v) - scale(low)) / range).toFixed(1),
		].join(",")).join(" ") }));
	return make("figure", {}, picture, make("figcaption", {}, legend));
}

/* Links from a job to those like it. */
function likeIt(r) {
	const links = [["fingerprint", "the same failure"], ["user", "this user"],
		["node", "this node"], ["job", "all attempts of this job"]];
	return make("p", {}, "Show: ", ...links.filter(([n]) => say(n, r))
	    .flatMap(([name, text], i) => {
		const p = new URLSearchParams([[name, say(name, r)]]);
		if (name === "job")
			p.set("failed", "all");
		return [i ? " · " : "",
			make("a", { href: "#jobs?" + p }, text)];
	    }));
}

async function fillPanel(r) {
	const inner = panel.firstChild;
	let d;
	inner.replaceChildren(make("p", {}, "Unpacking …"));
	try {
		d = await detail(r);
	} catch (e) {
		inner.replaceChildren(make("p", {}, "Cannot unpack: " + e));
		return;
	}
	if (r !== state.open)
		return;
	inner.replaceChildren(
	    make("p", { class: "reason" }, make("span",
		{ class: "badge " + say("verdict", r) }, say("verdict", r)),
		" ", say("reason", r)),
	    factList(r, d),
	    ...section("Evidence", d.evidence.map((p, i) => proofElement(p,
		i === 0))),
	    ...section("In your code", d.frame
		? [make("pre", {}, d.frame)] : []),
	    ...section("What to do", bullets(d.remedies)),
	    ...section("Trends (warnings, no part of the verdict)",
		d.trends.length ? [...bullets(d.trends.map((t) =>
		    `${t.title}. ${t.text}`)), ...d.curves.map(plot)] : []),
	    ...section("Consequences", d.consequences.map((p) =>
		proofElement(p, false))),
	    ...section("Notes", bullets(d.notes.concat(
		d.hasRecord ? [] : ["No job record is known."],
		d.hasLog ? [] : ["No log is known."]))),
	    likeIt(r));
}

async function toggle(at) {
	const r = shown[at];
	const opening = state.open !== r;
	state.open = opening ? r : -1;
	panelHeight = 0;
	if (opening) {
		panel.id = "detail";
		panel.setAttribute("aria-rowindex", at + 2);
		panel.firstChild.setAttribute("aria-label",
		    "Evidence of job " + say("job", r));
		panel.firstChild.style.width = grid.clientWidth + "px";
		await fillPanel(r);
		if (state.open !== r)
			return;
	}
	redraw();
	measure();
}

/* The panel's height is known only once it stands in the page. */
function measure() {
	if (state.open < 0 || !panel.isConnected)
		return;
	panel.firstChild.style.width = grid.clientWidth + "px";
	panelHeight = panel.offsetHeight;
	draw();
}

/* ---- keys ---- */

function goTo(at) {
	const head = rowHeight, open = openAt();
	if (!shown.length)
		return;
	state.active = Math.min(Math.max(at, 0), shown.length - 1);
	const y = offsetOf(state.active, open);
	if (y < grid.scrollTop)
		grid.scrollTop = y;
	else if (y + 2 * rowHeight > grid.scrollTop + grid.clientHeight)
		grid.scrollTop = y + rowHeight + head - grid.clientHeight;
	redraw();
}

const page = () => Math.max(1, Math.floor(grid.clientHeight / rowHeight) - 2);
const KEYS = {
	ArrowDown: () => goTo(state.active + 1),
	ArrowUp: () => goTo(state.active - 1),
	PageDown: () => goTo(state.active + page()),
	PageUp: () => goTo(state.active - page()),
	Home: () => goTo(0),
	End: () => goTo(shown.length - 1),
	Enter: () => shown.length && toggle(state.active),
	" ": () => shown.length && toggle(state.active),
	ArrowRight: () => shown[state.active] !== state.open &&
	    toggle(state.active),
	ArrowLeft: () => shown[state.active] === state.open &&
	    toggle(state.active),
};

function onKey(event) {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === grid && KEYS[event.key]) {
		event.preventDefault();
		KEYS[event.key]();
	} else if (event.key === "/" &&
	    !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
		event.preventDefault();
		$("q").focus();
	} else if (event.key === "Escape" && table) {
		if (state.open >= 0)
			toggle(openAt());
		else if (event.target === $("q"))
			setFilter("q", "");
		if (event.target !== grid)
			grid.focus({ preventScroll: true });
	}
}

/* ---- start ---- */

/* Characters of the longest name of a column. */
const longest = (name) => [...new Set(column[name])].reduce(
    (n, i) => Math.max(n, strings[i].length), 0);

function onHash() {
	const asked = readHash();
	state.open = -1;
	refresh();
	if (asked) {
		$("jobs").scrollIntoView();
		grid.focus({ preventScroll: true });
	}
}

function listen() {
	let typing;
	$("q").addEventListener("input", () => {
		clearTimeout(typing);
		typing = setTimeout(() => setFilter("q", $("q").value.trim()),
		    80);
	});
	$("f-failed").addEventListener("change", () => setFilter("failed",
	    $("f-failed").value === "1" ? "" : $("f-failed").value));
	for (const name of CHOICES)
		$("f-" + name).addEventListener("change", () => setFilter(name,
		    $("f-" + name).value));
	$("filters").addEventListener("submit", (e) => e.preventDefault());
	$("filters").addEventListener("reset", (e) => {
		e.preventDefault();
		state.filters.clear();
		setFilter("q", "");
	});
	grid.addEventListener("scroll", draw, { passive: true });
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", onHash);
	new ResizeObserver(() => {
		rowHeight = parseInt(getComputedStyle(grid)
		    .getPropertyValue("--row"), 10);
		measureColumns();
		redraw();
		measure();
	}).observe(grid);
}

async function start() {
	if (typeof DecompressionStream === "undefined") {
		$("status").textContent = "This browser cannot unpack the job " +
		    "table (it lacks DecompressionStream: Chrome 103, " +
		    "Firefox 113, Safari 16.4). The rest of the report is " +
		    "complete.";
		$("filters").hidden = grid.hidden = $("keys").hidden = true;
		root.classList.add("no-table");
		return;
	}
	table = await unpack("data-jobs");
	strings = table.strings;
	column = Object.fromEntries(Object.entries(table.columns).map(
	    ([name, v]) => [name, Float64Array.from(v)]));
	table.columns = null;
	sameYear = new Set([...column.ended].filter((s) => s >= 0).map(
	    (s) => new Date(s * 1000).getUTCFullYear())).size === 1;
	grid.append(makeHead(), empty, body);
	ruler.font = rowFont();
	for (const [name, least, most] of [["job", 5, 16], ["user", 5, 9]])
		grid.style.setProperty("--" + name, Math.ceil(
		    ruler.measureText("0").width * Math.min(most,
			Math.max(least, longest(name)))) + "px");
	if (!sameYear)
		grid.style.setProperty("--ended", "8.5rem");
	measureColumns();
	fillChoices();
	listen();
	onHash();
	/* what stands above has its full height only now */
	requestAnimationFrame(() => location.hash.startsWith("#jobs") &&
	    $("jobs").scrollIntoView());
	grid.dataset.ready = performance.now().toFixed(0);
}

$("theme").addEventListener("click", () => {
	const next = (theme + 1) % THEMES.length;
	remembered(THEMES[next]);
	setTheme(next);
});
dark.addEventListener("change", drawCharts);
/* On paper the colours are the light ones. */
let printing = null;
addEventListener("beforeprint", () => {
	printing = theme;
	root.dataset.theme = "light";
	drawCharts(true);
});
addEventListener("afterprint", () => setTheme(printing || 0));

setTheme(Math.max(0, THEMES.indexOf(remembered())));
start().catch((e) => {
	$("status").textContent = "The job table cannot be shown: " + e;
});
})();
