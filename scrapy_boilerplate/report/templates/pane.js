"use strict";
/* The page under inspection in a sandboxed frame that runs nothing. The frame never gets an event:
   a sheet of glass over it does, and asks which leaf lies under a point. So it works in every
   browser, and nothing in the page can be clicked, focused or followed. */
class Pane {
  constructor(parent, title, onLeaf) {
    this.element = document.createElement("div");
    this.element.className = "pane";
    this.caption = document.createElement("p");
    this.scroller = document.createElement("div");
    this.scroller.className = "scroller";
    this.stage = document.createElement("div");
    this.stage.className = "stage";
    this.frame = document.createElement("iframe");
    this.frame.setAttribute("sandbox", "allow-same-origin");
    this.frame.setAttribute("referrerpolicy", "no-referrer");
    this.frame.setAttribute("tabindex", "-1");
    this.frame.setAttribute("aria-hidden", "true");
    this.frame.title = title;
    this.glass = document.createElement("div");
    this.glass.className = "glass";
    this.glass.tabIndex = 0;
    this.glass.setAttribute("role", "group");
    this.glass.setAttribute("aria-roledescription", "page under inspection");
    this.glass.setAttribute("aria-describedby", "hint");
    this.stage.append(this.frame, this.glass);
    this.scroller.append(this.stage);
    this.element.append(this.caption, this.scroller);
    parent.append(this.element);
    this.onLeaf = onLeaf;
    this.leaves = [];
    this.chosen = [];
    for (const kind of ["pointermove", "pointerdown", "pointerup", "click"]) {
      this.glass.addEventListener(kind, (event) => {
        const leaf = this.leafAt(event);
        this.onLeaf(kind, leaf, event);
      });
    }
    new ResizeObserver(() => this.fit()).observe(this.scroller);
  }

  name(text) {
    this.caption.textContent = text;
    this.glass.setAttribute("aria-label", text);
  }

  load(html) {
    return new Promise((done) => {
      this.frame.addEventListener("load", () => {
        this.leaves = [];
        for (const leaf of this.document().querySelectorAll("b-leaf")) {
          this.leaves[Number(leaf.getAttribute("data-leaf"))] = leaf;
        }
        this.chosen = [];
        done(this);
      }, { once: true });
      this.frame.srcdoc = html;
    });
  }

  document() { return this.frame.contentDocument; }

  fit() {
    const page = this.document();
    if (!page || !page.body) return;
    if (this.width === this.scroller.clientWidth && this.leaves === this.fitted) return;
    this.width = this.scroller.clientWidth;
    this.fitted = this.leaves;
    this.frame.style.height = "0";
    this.frame.style.width = this.stage.style.width = "100%";
    const wide = page.documentElement.scrollWidth;
    if (wide > this.width + 1) this.frame.style.width = wide + "px";
    this.stage.style.width = this.frame.style.width;
    this.frame.style.height = page.documentElement.scrollHeight + "px";
  }

  leafAt(event) {
    const box = this.frame.getBoundingClientRect();
    const page = this.document();
    if (!page) return -1;
    const hit = page.elementFromPoint(event.clientX - box.left, event.clientY - box.top);
    const leaf = hit && hit.closest("b-leaf");
    return leaf ? Number(leaf.getAttribute("data-leaf")) : -1;
  }

  /* look(leaf) gives {label, mark, off, differs} */
  paint(look) {
    // marks take room
    if (this.painted !== this.leaves) this.fitted = null;
    this.painted = this.leaves;
    this.leaves.forEach((element, leaf) => {
      const { label, mark, off, differs } = look(leaf);
      set(element, "data-k", String(label));
      set(element, "data-mark", mark);
      set(element, "data-off", off ? "" : null);
      set(element, "data-differs", differs ? "" : null);
    });
  }

  choose(leaves, scroll) {
    for (const leaf of this.chosen) set(this.leaves[leaf], "data-on", null);
    this.chosen = leaves.filter((leaf) => this.leaves[leaf]);
    for (const leaf of this.chosen) set(this.leaves[leaf], "data-on", "");
    if (scroll && this.chosen.length) this.reveal(this.leaves[this.chosen[0]]);
  }

  reveal(element) {
    const { top, left, height, width } = element.getBoundingClientRect(), seen = this.scroller;
    if (top < seen.scrollTop || top + height > seen.scrollTop + seen.clientHeight) {
      seen.scrollTop = top - seen.clientHeight / 3;
    }
    if (left < seen.scrollLeft || left + width > seen.scrollLeft + seen.clientWidth) {
      seen.scrollLeft = left - 12;
    }
  }

  /* Scroll to the chosen leaves, else to these; some of what stands before them is seen. */
  openAt(leaves) {
    const [leaf] = [...this.chosen, ...leaves.filter((one) => this.leaves[one])];
    this.scroller.scrollTo(0, 0);
    if (leaf === undefined) return;
    this.reveal(this.leaves[leaf]);
    this.scroller.scrollTop = this.leaves[leaf].getBoundingClientRect().top
      - this.scroller.clientHeight / 6;
  }

  /* On a phone the report is one long column, and the page may be far above. */
  comeIntoView() {
    const page = document.documentElement;
    if (page.scrollHeight > page.clientHeight) this.element.scrollIntoView({ block: "start" });
  }
}

function set(element, name, value) {
  if (!element) return;
  if (value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function markOf(label) {
  return make("span", { class: `mark k${label}`, "aria-hidden": "true" }, LABELS[label].mark);
}

/* The number of the first headline in labels of blocks or leaves, else of the first text, else 0. */
function articleStart(labels) {
  const starts = ["headline", "full_text"].map((text) =>
    labels.indexOf(LABELS.findIndex((label) => label.text === text)));
  return Math.max(0, starts.find((start) => start >= 0));
}

/* Leaf to the number of its block. */
function blocksOfLeaves(starts, leaves) {
  const found = new Array(leaves).fill(-1);
  starts.forEach((start, block) => {
    const end = block + 1 < starts.length ? starts[block + 1] : leaves;
    found.fill(block, start, end);
  });
  return found;
}

const DATA = JSON.parse(document.getElementById("data").textContent);
const LABELS = DATA.labels;
const at = (id) => document.getElementById(id);
