const BASE = location.pathname;
const work = { page: null, labels: [], actions: [], brush: -1, range: null, grown: [], drag: null,
  busy: 0 };
let progress = DATA.pages;
let sending = Promise.resolve(), waiting = false;
const RETRY_MS = 1500;

const pane = new Pane(at("panes"), "The page to label", onLeaf);

async function ask(path, actions) {
  const answer = await fetch(BASE + path, actions === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ actions }),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

function tell(text, bad) {
  at("state").textContent = text;
  set(at("state"), "data-bad", bad ? "" : null);
}

/* While a page is saved or opened nothing can be done: it would be done to the page that goes. */
async function alone(act) {
  work.busy += 1;
  try { return await act(); } finally { work.busy -= 1; }
}

const ifIdle = (act) => (...given) => (work.busy ? undefined : act(...given));

/* Drafts go one after the other, the newest alone; what does not arrive is sent again. */
function keep() {
  tell("keeping…");
  if (waiting) return;
  waiting = true;
  sending = sending.then(async () => {
    while (waiting) {
      waiting = false;
      try {
        await ask(`page/${work.page.number}/draft`, work.actions);
        if (!waiting) tell("kept");
      } catch (error) {
        tell(`not kept: ${error.message}; trying again`, true);
        waiting = true;
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
  });
}

function relabelled() {
  const labels = work.page.labels.slice();
  for (const [first, end, label] of work.actions) labels.fill(label, first, end);
  return labels;
}

function paint() {
  work.labels = relabelled();
  const counts = LABELS.map(() => 0);
  let block = -1, before = -1;
  pane.paint((leaf) => {
    const label = work.labels[leaf], mine = work.blockOf[leaf];
    const first = mine !== block || label !== before;
    if (first) counts[label] += 1;
    block = mine; before = label;
    return { label, mark: first ? LABELS[label].mark : null, off: false, differs: false };
  });
  pane.fit();
  brushes(counts);
  at("undo").disabled = work.actions.length === 0;
}

function brushes(counts) {
  const buttons = at("brushes").querySelectorAll("button");
  LABELS.forEach((label, code) => {
    const button = buttons[code] || at("brushes").appendChild(make("button",
      { type: "button", class: `key k${code}`, "data-label": label.text,
        "aria-keyshortcuts": label.mark.toLowerCase() }));
    button.setAttribute("aria-pressed", String(work.brush === code));
    button.replaceChildren(markOf(code), `${label.name} ${counts[code]}`);
    button.onclick = ifIdle(() => take(work.brush === code ? -1 : code));
  });
}

function take(label) {
  work.brush = label;
  paint();
  paintBrush();
}

/* A letter labels what is chosen; with nothing chosen, or a label taken, it takes the label. */
function press(label) {
  if (work.range && work.brush < 0) give(label); else take(label);
}

function give(label) {
  if (!work.range) return;
  const [first, end] = work.range;
  if (work.labels.slice(first, end).every((one) => one === label)) { paint(); return; }
  work.actions.push([first, end, label]);
  keep();
  paint();
  describe();
}

function undo() {
  if (!work.actions.length) return;
  const [first, end] = work.actions.pop();
  keep();
  paint();
  choose([first, end], true);
}

function choose(range, scroll, name) {
  work.range = range;
  work.chosenName = name || "";
  pane.choose(Array.from({ length: range[1] - range[0] }, (_, one) => range[0] + one), scroll);
  describe();
}

function describe() {
  if (!work.range) { at("chosen").textContent = "No block is chosen."; return; }
  const [first, end] = work.range, label = LABELS[work.labels[first]].name;
  const blocks = work.blockOf[end - 1] - work.blockOf[first] + 1;
  const element = pane.leaves[first];
  const said = element ? element.textContent.trim().slice(0, 60) : "";
  at("chosen").textContent = `${work.chosenName ? work.chosenName + ", " : ""}`
    + `${blocks} ${blocks === 1 ? "block" : "blocks"}, ${label}: ${said}`;
}

const blockRange = (block) => [work.page.starts[block],
  block + 1 < work.page.starts.length ? work.page.starts[block + 1] : work.page.leaves];

function move(by) {
  work.grown = [];
  const start = by > 0 ? work.start - 1 : work.start;
  const from = work.range ? work.blockOf[by > 0 ? work.range[1] - 1 : work.range[0]] : start;
  const block = Math.max(0, Math.min(work.page.starts.length - 1, from + by));
  if (work.page.starts.length) choose(blockRange(block), true);
}

/* The smallest element that holds more than what is chosen. */
function larger() {
  if (!work.range) return;
  const [first, end] = work.range;
  let node = work.page.nodeOf[first];
  const holds = (one) => one[1] <= first && one[2] >= end && one[2] - one[1] > end - first;
  while (node >= 0 && !holds(work.page.nodes[node])) node = work.page.nodes[node][0];
  if (node < 0) return;
  work.grown.push(work.range);
  const [, start, stop, name] = work.page.nodes[node];
  choose([start, stop], false, name);
}

function openAtArticle() {
  const [first, end] = work.page.starts.length ? blockRange(work.start) : [0, 0];
  pane.openAt(Array.from({ length: end - first }, (_, leaf) => first + leaf));
}

function smaller() {
  const before = work.grown.pop();
  if (before) choose(before, false);
}

function onLeaf(kind, leaf, event) {
  if (work.busy) { work.drag = null; return; }
  if (kind === "pointerdown" && leaf >= 0 && event.button === 0) {
    work.drag = { from: work.blockOf[leaf], moved: false, touch: event.pointerType === "touch" };
  } else if (kind === "pointermove" && work.drag && !work.drag.touch && leaf >= 0) {
    const [low, high] = [work.drag.from, work.blockOf[leaf]].sort((a, b) => a - b);
    if (low !== high) work.drag.moved = true;
    if (work.drag.moved) choose([blockRange(low)[0], blockRange(high)[1]], false);
  } else if (kind === "pointerup") {
    const drag = work.drag;
    work.drag = null;
    if (drag && drag.moved) { work.grown = []; work.justDragged = true; paintBrush(); }
  } else if (kind === "click" && leaf >= 0) {
    if (work.justDragged) { work.justDragged = false; return; }
    const inside = work.range && leaf >= work.range[0] && leaf < work.range[1];
    if (event.shiftKey && inside) larger();
    else {
      work.grown = [];
      choose(blockRange(work.blockOf[leaf]), false);
      if (event.shiftKey) larger();
    }
    paintBrush();
  }
}

function paintBrush() { if (work.brush >= 0) give(work.brush); }

function showProgress() {
  const saved = progress.filter((page) => page.saved).length;
  at("bar").value = progress.length ? saved / progress.length : 0;
  at("progress").textContent = `${saved} of ${progress.length} pages saved`;
  const options = progress.map((page, number) => make("option", { value: number },
    `${page.saved ? "✓ " : ""}${page.name} (${page.confidence.toFixed(2)})`));
  at("queue").replaceChildren(...options);
  if (work.page) at("queue").value = String(work.page.number);
}

const open = (number) => alone(() => load(number));

async function load(number) {
  await sending;
  document.documentElement.dataset.ready = "no";
  work.page = await ask(`page/${number}`);
  work.actions = work.page.actions.map((action) => Array.from(action));
  work.blockOf = blocksOfLeaves(work.page.starts, work.page.leaves);
  work.range = null;
  work.grown = [];
  at("name").textContent = work.page.name;
  at("url").textContent = work.page.url || "";
  pane.name(`${work.page.name}, to be labelled`);
  await pane.load(work.page.frame);
  paint();
  describe();
  showProgress();
  work.start = Math.max(0, work.blockOf[articleStart(work.labels)] || 0);
  openAtArticle();
  tell(work.actions.length ? "taken up where you left it" : "");
  document.documentElement.dataset.ready = "yes";
}

function next() {
  const here = work.page ? work.page.number : -1, n = progress.length;
  for (let step = 1; step <= n; step += 1) {
    const number = (here + step + n) % n;
    if (!progress[number].saved) return open(number);
  }
  // opened anew: what was saved is what it starts from now, and can no longer be undone
  return open(here).then(() => tell("All pages are saved."));
}

const save = () => alone(async () => {
  await sending;
  try {
    progress = (await ask(`page/${work.page.number}/save`, work.actions)).pages;
  } catch (error) {
    tell(`not saved: ${error.message}`, true);
    return;
  }
  showProgress();
  await next();
});

function skip() {
  const n = progress.length;
  return open((work.page.number + 1) % n);
}

const KEYS = { ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1),
  k: () => move(-1), p: larger, o: smaller, u: undo, n: skip, Enter: save,
  Escape: () => take(-1) };
LABELS.forEach((label, code) => { KEYS[label.mark.toLowerCase()] = () => press(code); });

document.addEventListener("keydown", (event) => {
  if (event.key === "z" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ifIdle(undo)(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const control = event.target.closest("button, select");
  if (control && (event.key === "Enter" || event.key.startsWith("Arrow"))) return;
  if (control && control.tagName === "SELECT") return;
  const act = KEYS[event.key];
  if (act && work.page) { event.preventDefault(); ifIdle(act)(); }
});
for (const [name, act] of Object.entries({ larger, smaller, undo, save, skip })) {
  at(name).onclick = ifIdle(act);
}
at("queue").onchange = () => {
  if (work.busy) showProgress(); else open(Number(at("queue").value));
};

showProgress();
const first = progress.findIndex((page) => !page.saved);
if (progress.length) open(Math.max(first, 0));
