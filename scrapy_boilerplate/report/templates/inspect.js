const READINGS = DATA.readings.map((reading) => ({
  ...reading,
  blockOf: blocksOfLeaves(reading.starts, reading.leaves),
  deciders: decidersOf(reading),
}));
const BOILERPLATE = 0;
const state = { shown: LABELS.map(() => true), step: -1, left: 0, right: -1, block: -1, only: false };
const panes = [];

/* Who has decided each block, after each step: the steps tell only what changed. */
function decidersOf(reading) {
  let now = new Array(reading.starts.length).fill("");
  return reading.steps.map((step) => {
    now = now.slice();
    for (const [name, blocks] of Object.entries(step.decided)) {
      for (const block of blocks) now[block] = name;
    }
    return now;
  });
}

const main = () => READINGS[state.left];
const stepOf = (reading) => Math.min(
  state.step < 0 ? reading.steps.length - 1 : state.step, reading.steps.length - 1);
const labelOf = (reading, block) => {
  const step = reading.steps[stepOf(reading)];
  return step && block >= 0 ? Number(step.labels[block]) : BOILERPLATE;
};
const labelOfLeaf = (reading, leaf) => labelOf(reading, reading.blockOf[leaf]);
const leavesOf = (reading, block) => {
  const end = block + 1 < reading.starts.length ? reading.starts[block + 1] : reading.leaves;
  return Array.from({ length: Math.max(0, end - reading.starts[block]) },
    (_, number) => reading.starts[block] + number);
};
const compared = () => (state.right >= 0 ? READINGS[state.right] : null);
const differs = (leaf) => compared() !== null
  && labelOfLeaf(main(), leaf) !== labelOfLeaf(compared(), leaf);

function paint() {
  panes.forEach((pane, place) => {
    const reading = place ? compared() : main();
    pane.element.hidden = !reading;
    if (!reading) return;
    pane.name(`${reading.name}, confidence ${reading.confidence.toFixed(2)}`);
    let marked = -1;
    pane.paint((leaf) => {
      const block = reading.blockOf[leaf], label = labelOf(reading, block);
      const apart = differs(leaf), first = block !== marked;
      marked = block;
      const mark = LABELS[label].mark + (apart ? "≠" : "");
      return { label, mark: first ? mark : null, differs: apart,
        off: !state.shown[label] || (state.only && !apart) };
    });
    pane.fit();
  });
}

function counts(reading) {
  const found = LABELS.map(() => 0);
  for (const digit of (reading.steps[stepOf(reading)] || { labels: "" }).labels) found[digit] += 1;
  return found;
}

function legend() {
  const numbers = counts(main()), buttons = at("legend").querySelectorAll("button");
  LABELS.forEach((label, code) => {
    const button = buttons[code] || at("legend").appendChild(make("button",
      { type: "button", class: `key k${code}`, "data-label": label.text }));
    button.setAttribute("aria-pressed", String(state.shown[code]));
    button.replaceChildren(markOf(code), `${label.name} ${numbers[code]}`);
    button.onclick = () => { state.shown[code] = !state.shown[code]; refresh(); };
  });
}

function slider() {
  const steps = main().steps, now = stepOf(main()), range = at("step");
  range.max = String(Math.max(0, steps.length - 1));
  range.value = String(now);
  const told = steps.length ? `${now + 1} of ${steps.length}: ${steps[now].name}` : "no step";
  at("stepname").textContent = told;
  range.setAttribute("aria-valuetext", told);
}

/* Lists of LIST_ROWS: the browser lays out those in view alone, and pages have thousands of blocks. */
const LIST_ROWS = 100;

function blockList() {
  const reading = main(), rows = [];
  reading.texts.forEach((text, block) => {
    const label = labelOf(reading, block);
    if (!state.shown[label] || (state.only && !leavesOf(reading, block).some(differs))) return;
    const button = make("button", { type: "button", "data-block": block,
      "aria-current": block === state.block ? "true" : null },
      markOf(label), make("span", { class: "far" }, LABELS[label].name + ": "),
      make("span", {}, text || "(white space)"));
    rows.push(make("li", {}, button));
  });
  const lists = [];
  for (let first = 0; first < rows.length; first += LIST_ROWS) {
    lists.push(make("ol", { class: "blocks", start: first + 1 }, ...rows.slice(first, first + LIST_ROWS)));
  }
  at("blocks").replaceChildren(...lists);
}

at("blocks").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  choose(Number(button.dataset.block), true);
  panes[0].comeIntoView();
});
at("blocks").addEventListener("focusin", (event) => {
  const button = event.target.closest("button");
  if (button) choose(Number(button.dataset.block), true);
});

function choose(block, scroll) {
  if (block < 0 || block >= main().starts.length) return;
  const old = at("blocks").querySelector("[aria-current]");
  if (old) old.removeAttribute("aria-current");
  state.block = block;
  const button = at("blocks").querySelector(`[data-block="${block}"]`);
  if (button) button.setAttribute("aria-current", "true");
  const leaves = leavesOf(main(), block);
  panes.forEach((pane) => pane.choose(leaves, scroll));
  if (scroll) revealRow(block);
  details();
}

/* The list alone scrolls, not the column that it stands in. */
function revealRow(block) {
  const list = at("blocks"), button = list.querySelector(`[data-block="${block}"]`);
  if (!button) return;
  const seen = list.getBoundingClientRect(), row = button.getBoundingClientRect();
  if (row.top < seen.top || row.bottom > seen.bottom) {
    list.scrollTop += row.top - seen.top - seen.height / 6;
  }
}

/* The block that a page opens at: where the article of the main extractor starts. */
const startBlock = () => {
  const { labels } = main().steps[main().steps.length - 1] || { labels: "" };
  return articleStart(Array.from(labels, Number));
};

function openAtArticle() {
  panes.forEach((pane) => pane.openAt(leavesOf(main(), startBlock())));
}

function details() {
  const reading = main(), block = state.block;
  if (block < 0) return;
  const label = labelOf(reading, block);
  const by = (reading.deciders[stepOf(reading)] || [])[block] || "nobody yet";
  const [tag, words, links, density, path] = reading.facts[block];
  const parts = [
    make("p", { class: "key" }, markOf(label), make("strong", { id: "label" }, LABELS[label].name),
      make("span", { id: "decider" }, `decided by ${by}`)),
    make("blockquote", {}, reading.texts[block] || "(white space)"),
  ];
  const other = compared();
  if (other) {
    const theirs = labelOfLeaf(other, reading.starts[block]);
    parts.push(make("p", { id: "other" }, theirs === label
      ? `${other.name} says the same.` : `${other.name} says ${LABELS[theirs].name}.`));
  }
  parts.push(make("h3", {}, "Scores at the end"), scores(reading.scores[block]));
  if (reading.columns.length) {
    const weighed = reading.weighed[block];
    parts.push(make("h3", {}, "What weighed most"), weighed.length ? weights(reading, weighed)
      : make("p", { class: "quiet" }, "Nothing in particular."));
  }
  parts.push(make("p", { class: "quiet" }, `${tag}, ${words} words, ${Math.round(links * 100)} % `
    + `of them linked, ${density} words to a line. ${path}`));
  at("block").replaceChildren(...parts);
}

function scores(row) {
  const body = make("tbody");
  row.forEach((score, label) => {
    const bar = make("i");
    bar.style.width = score + "%";
    bar.style.background = `var(--c${label})`;
    body.append(make("tr", {}, make("th", { scope: "row" }, LABELS[label].name),
      make("td", { "aria-hidden": "true" }, make("span", { class: "bar" }, bar)),
      make("td", { class: "number" }, score + " %")));
  });
  return make("table", { id: "scores" }, body);
}

function weights(reading, weighed) {
  const body = make("tbody");
  for (const [column, value, weight] of weighed) {
    const [name, about] = reading.columns[column];
    body.append(make("tr", {},
      make("td", {}, make("strong", {}, name), make("br"), make("span", { class: "quiet" }, about)),
      make("td", { class: "number" }, String(value)),
      make("td", { class: "number" }, `${weight > 0 ? "for +" : "against −"}${Math.abs(weight)}`)));
  }
  return make("table", { id: "weighed" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "column"),
      make("th", { scope: "col", class: "number" }, "value"),
      make("th", { scope: "col", class: "number" }, "log odds"))), body);
}

function article() {
  const { article: found, metadata } = main();
  const box = make("div", { class: "article", tabindex: "0", role: "group",
    "aria-label": "Extracted text" });
  if (found.headline) box.append(make("h3", {}, found.headline));
  for (const paragraph of found.paragraphs) box.append(make("p", {}, paragraph));
  if (!found.paragraphs.join("")) box.append(make("p", { class: "quiet" }, "No text was found."));
  at("article").replaceChildren(box);
  const body = make("tbody");
  for (const [name, value, source] of metadata) {
    body.append(make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value),
      make("td", { class: "quiet" }, source)));
  }
  at("metadata").replaceChildren(metadata.length ? make("table", { class: "metadata" }, body)
    : make("p", { class: "quiet" }, "The page tells none."));
}

function compare() {
  const button = at("differing");
  button.hidden = state.right < 0;
  if (state.right < 0) { state.only = false; return; }
  const apart = new Set();
  for (let leaf = 0; leaf < main().leaves; leaf += 1) {
    if (differs(leaf)) apart.add(main().blockOf[leaf]);
  }
  button.textContent = `only the ${apart.size} blocks that differ`;
  button.setAttribute("aria-pressed", String(state.only));
}

function refresh() {
  compare(); paint(); legend(); slider(); blockList();
  if (state.block >= 0) choose(state.block, false);
}

let waiting = false;
at("step").addEventListener("input", () => {
  state.step = Number(at("step").value);
  if (!waiting) {
    waiting = true;
    requestAnimationFrame(() => { waiting = false; refresh(); });
  }
});
at("differing").addEventListener("click", () => { state.only = !state.only; refresh(); });

function pickers() {
  at("choice").hidden = READINGS.length < 2;
  const options = () => READINGS.map((one, number) => make("option", { value: number }, one.name));
  at("left").append(...options());
  at("right").append(make("option", { value: -1 }, "none"), ...options());
  state.right = READINGS.length > 1 ? 1 : -1;
  at("right").value = String(state.right);
  for (const side of ["left", "right"]) {
    at(side).addEventListener("change", () => {
      state[side] = Number(at(side).value);
      if (side === "left") { state.block = -1; state.step = -1; article(); }
      load().then(refresh);
    });
  }
}

const MOVES = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1 };

function onKey(event) {
  const move = MOVES[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const reading = main();
  let block = state.block;
  do block += move;
  while (block >= 0 && block < reading.starts.length && !state.shown[labelOf(reading, block)]);
  choose(block, true);
}

function addPane() {
  const place = panes.length;
  const pane = new Pane(at("panes"), "The page under inspection", (kind, leaf, event) => {
    const reading = place ? compared() : main();
    if (leaf < 0 || !reading || (kind === "pointermove" && event.pointerType === "touch")) return;
    if (kind !== "pointermove" && kind !== "click") return;
    const block = main().blockOf[leaf];
    if (block !== state.block) choose(block, false);
  });
  pane.glass.addEventListener("keydown", onKey);
  pane.glass.addEventListener("focus", () => { if (state.block < 0) choose(startBlock(), true); });
  pane.scroller.addEventListener("scroll", () => {
    for (const other of panes) {
      if (other !== pane && !other.element.hidden) other.scroller.scrollTop = pane.scroller.scrollTop;
    }
  }, { passive: true });
  panes.push(pane);
  return pane.load(DATA.frame);
}

/* The second pane costs a second copy of the page: it comes when it is asked for. */
async function load() {
  while (panes.length < (state.right >= 0 ? 2 : 1)) await addPane();
}

pickers();
article();
load().then(() => {
  refresh();
  openAtArticle();
  revealRow(startBlock());
  document.documentElement.dataset.ready = "yes";
});
