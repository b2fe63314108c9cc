
"use strict";
(() => {
  const PAGE = 10;
  const [BOTH, ONLY_A, ONLY_B, GAP_BOTH, GAP_A, GAP_B, REST] = [0, 1, 2, 3, 4, 5, 6];
  const clusters = JSON.parse(document.getElementById("clusters").textContent);
  const by = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat("en");
  const share = (value) => (value === null ? "not compared" : value.toFixed(3));

  // What is looked at; it stands in the address, so that a link leads back to it.
  const state = { q: "", order: "size", page: 1, cluster: 1, member: 1, view: "side" };
  const numeric = new Set(["page", "cluster", "member"]);
  let found = [];

  // ── elements: every text goes through textContent, none through markup ──────────────────────────
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "click") element.addEventListener("click", value);
      else if (value !== null) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };
  // Controls, and characters that reorder or hide others, are shown by their number.
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
  const EACH = new RegExp(`(${HIDDEN.source})`, "u");
  const visible = (text) =>
    HIDDEN.test(text)
      ? text.split(EACH).filter(Boolean).map((part) =>
          part.length === 1 && HIDDEN.test(part)
            ? make("span", { class: "control" }, "U+" + part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"))
            : part)
      : [text];
  const gauge = (value) => {
    const filled = make("span", {});
    filled.style.width = `${100 * value}%`;
    return make("span", { class: "gauge", "aria-hidden": "true" }, filled);
  };
  const named = (id) => make("bdi", {}, ...visible(id));

  // ── what is in the list ─────────────────────────────────────────────────────────────────────────
  const least = (cluster) => Math.min(...cluster.members.map((member) => member.similarity ?? -1));
  const searched = new Map();
  const words = (cluster) => {
    if (!searched.has(cluster)) {
      const runs = cluster.members.flatMap((member) => [member.id, ...member.runs.map((run) => (typeof run[1] === "string" ? run[1] : ""))]);
      searched.set(cluster, [cluster.id, cluster.text, ...runs].join("\n").toLowerCase());
    }
    return searched.get(cluster);
  };
  const select = () => {
    const wanted = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    found = clusters.map((cluster, place) => ({ cluster, place: place + 1 }));
    found = found.filter(({ cluster }) => wanted.every((word) => words(cluster).includes(word)));
    if (state.order === "least") found.sort((x, y) => least(x.cluster) - least(y.cluster));
  };
  const pages = () => Math.max(1, Math.ceil(found.length / PAGE));
  const position = () => found.findIndex(({ place }) => place === state.cluster);

  // ── drawing ─────────────────────────────────────────────────────────────────────────────────────
  const drawList = () => {
    const first = (state.page - 1) * PAGE;
    by("list").replaceChildren(...found.slice(first, first + PAGE).map(({ cluster, place }) =>
      make("li", {}, make("button",
        { type: "button", "data-cluster": place, "aria-current": place === state.cluster ? "true" : null, click: () => go({ cluster: place, member: 1 }) },
        make("span", { class: "snippet", dir: "auto" }, ...visible(cluster.text.slice(0, 160).replace(/\s+/gu, " ").trim() || "(no text)")),
        make("span", { class: "facts" }, make("span", {}, `${number.format(cluster.size)} documents`), make("span", {}, `least ${share(cluster.members.length ? (least(cluster) < 0 ? null : least(cluster)) : 1)}`))))));
    const range = found.length ? `${first + 1}–${Math.min(first + PAGE, found.length)} of ${number.format(found.length)}` : "none found";
    by("page-of").textContent = state.q && found.length ? `${range} found` : range;
    by("previous-page").disabled = state.page <= 1;
    by("next-page").disabled = state.page >= pages();
  };

  const drawDetail = () => {
    const detail = by("detail");
    const chosen = found.find(({ place }) => place === state.cluster);
    if (!chosen) {
      detail.replaceChildren(make("p", { class: "note" }, clusters.length ? "Nothing that is shown here has these words." : by("left-out").textContent || "No clusters: no two documents are near-duplicates."));
      return;
    }
    const { cluster, place } = chosen;
    const removed = cluster.size - 1;
    const rows = cluster.members.map((member, i) => make("tr",
      { "aria-selected": i + 1 === state.member ? "true" : "false" },
      make("td", {}, make("button", { type: "button", "data-member": i + 1, click: () => go({ member: i + 1 }) }, named(member.id))),
      make("td", { class: "share" }, ...(member.similarity === null ? [] : [gauge(member.similarity)]), share(member.similarity)),
      make("td", {}, member.reason === "copy" ? "equal" : member.reason === "near" ? "similar" : member.reason),
      make("td", {}, `${number.format(member.length)}`)));
    const left = removed - cluster.members.length;
    detail.replaceChildren(
      make("h3", {}, `Cluster ${place}: document `, named(cluster.id), ` kept, ${number.format(removed)} removed`),
      make("table", { class: "members" },
        make("thead", {}, make("tr", {}, ...["removed", "similarity", "", "characters"].map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...rows)),
      ...(left > 0 ? [make("p", { class: "note" }, `${number.format(left)} more removed documents are not in this page.`)] : []),
      ...differences(cluster, cluster.members[state.member - 1]));
  };

  const differences = (cluster, member) => {
    if (!member) return [];
    const side = state.view === "side";
    const tools = make("div", { class: "tools" },
      make("button", { type: "button", id: "previous-member", "aria-label": "previous removed document", click: () => step("member", -1) }, "‹"),
      make("span", {}, `removed document ${state.member} of ${cluster.members.length}`),
      make("button", { type: "button", id: "next-member", "aria-label": "next removed document", click: () => step("member", 1) }, "›"),
      make("span", { class: "wide" }),
      make("span", { class: "legend" }, make("mark", { class: "a" }, "only in the kept one"), make("mark", { class: "b" }, "only in the removed one")),
      make("button", { type: "button", id: "view", click: toggleView }, side ? "in one" : "side by side"));
    tools.querySelector("#previous-member").disabled = state.member <= 1;
    tools.querySelector("#next-member").disabled = state.member >= cluster.members.length;
    if (!member.runs.length) {
      const text = make("div", { class: "text", dir: "auto" }, ...visible(cluster.text));
      const cut = cluster.length - cluster.text.length;
      if (cut > 0) text.append(make("span", { class: "cut" }, ` … ${number.format(cut)} more characters`));
      return [tools, make("p", { class: "note" }, "The two texts are equal, character for character."), text];
    }
    const same = member.runs.every(([kind]) => kind === BOTH || kind === GAP_BOTH);
    const note = same ? [make("p", { class: "note" }, "All words are equal; only case, punctuation or spaces differ.")] : [];
    const heads = make("div", { class: "heads" }, make("div", {}, "kept: ", named(cluster.id)), make("div", {}, "removed: ", named(member.id)));
    return [tools, ...note, ...(side ? [heads] : []), ...hunks(member.runs, side)];
  };

  const marked = (name, text) => {
    const body = text.trimEnd() || text;
    return [make("mark", { class: name }, ...visible(body)), ...visible(text.slice(body.length))];
  };

  // Runs up to the next gap stand in one row, so that both sides go on at the same height after it.
  const hunks = (runs, side) => {
    const rows = [];
    let cells = null;
    const cell = (name) => make("div", { class: "text", dir: "auto", "data-side": name });
    const open = () => {
      if (cells) return;
      cells = side ? [cell("kept"), cell("removed")] : [cell(null)];
      rows.push(side ? make("div", { class: "hunk" }, ...cells) : cells[0]);
    };
    const gap = (text) => { rows.push(make("span", { class: "gap" }, text)); cells = null; };
    const cut = (count) => make("span", { class: "cut" }, ` … ${number.format(count)} characters … `);
    for (const [kind, content, other] of runs) {
      if (kind === GAP_BOTH) { gap(`${number.format(content)} characters of the same words`); continue; }
      if (kind === REST) { gap(`${number.format(content)} more characters are not in this page`); continue; }
      open();
      const [a, b] = [cells[0], cells[cells.length - 1]];
      if (kind === BOTH) {
        a.append(...visible(content));
        if (b !== a) b.append(...visible(other ?? content));
      } else if (kind === ONLY_A) a.append(...marked("a", content));
      else if (kind === ONLY_B) b.append(...marked("b", content));
      else if (kind === GAP_A) a.append(cut(content));
      else if (kind === GAP_B) b.append(cut(content));
    }
    return rows;
  };

  // Words searched for are marked where the browser can do so without touching the texts.
  const markFound = () => {
    if (!globalThis.CSS?.highlights) return;
    CSS.highlights.delete("found");
    const wanted = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const ranges = [];
    const walker = document.createTreeWalker(by("detail"), NodeFilter.SHOW_TEXT);
    while (wanted.length && walker.nextNode() && ranges.length < 1000) {
      const node = walker.currentNode, text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (const word of wanted) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      }
    }
    if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
  };

  // ── moving ──────────────────────────────────────────────────────────────────────────────────────
  const go = (change) => {
    const focused = document.activeElement?.id || document.activeElement?.dataset;
    Object.assign(state, change);
    select();
    if (position() < 0 && found.length) {
      state.cluster = found[0].place;
      state.member = 1;
    }
    if (!("page" in change)) state.page = Math.floor(Math.max(position(), 0) / PAGE) + 1;
    state.page = Math.min(Math.max(1, state.page), pages());
    const members = clusters[state.cluster - 1]?.members.length || 1;
    state.member = Math.min(Math.max(1, state.member), members);
    drawList();
    drawDetail();
    markFound();
    refocus(focused);
    const defaults = { q: "", order: "size", page: 1, cluster: 1, member: 1, view: "side" };
    const kept = Object.entries(state).filter(([key, value]) => value !== defaults[key]);
    try {
      history.replaceState(null, "", "#" + new URLSearchParams(kept));
    } catch {
      // an address that may not change is no reason not to show what was asked for
    }
  };
  // Drawing replaces the button that was pressed: the keyboard stays where it was.
  const refocus = (focused) => {
    if (!focused) return;
    let again = null;
    if (typeof focused === "string") again = by(focused);
    else if (focused.cluster) again = by("list").querySelector(`[data-cluster="${focused.cluster}"]`);
    else if (focused.member) again = by("detail").querySelector(`[data-member="${focused.member}"]`);
    again?.focus({ preventScroll: true });
  };
  const step = (what, by_) => {
    if (what === "member") go({ member: state.member + by_ });
    else if (found.length) {
      const next = found[Math.min(Math.max(0, position() + by_), found.length - 1)];
      go({ cluster: next.place, member: 1 });
    }
  };
  const turn = (by_) => {
    const page = Math.min(Math.max(1, state.page + by_), pages());
    go({ page, cluster: found[(page - 1) * PAGE]?.place ?? state.cluster, member: 1 });
  };
  const first = (change) => {
    Object.assign(state, change);
    select();
    go({ cluster: found[0]?.place ?? 1, member: 1 });
  };
  const toggleView = () => go({ view: state.view === "side" ? "one" : "side" });

  const remembered = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("txtfp-theme");
      localStorage.setItem("txtfp-theme", value);
    } catch {
      // pages from files may not remember anything in some browsers
    }
    return null;
  };
  const setTheme = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    by("theme").textContent = { auto: "◐ auto", light: "○ light", dark: "● dark" }[theme];
    by("theme").title = `theme: ${theme === "auto" ? "as the system" : theme}`;
    by("theme").dataset.now = theme;
  };
  const nextTheme = () => {
    const theme = { auto: "light", light: "dark", dark: "auto" }[by("theme").dataset.now];
    setTheme(theme);
    remembered(theme);
  };

  const fromAddress = () => {
    const change = { q: "", order: "size", cluster: 1, member: 1, view: "side" };
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
      if (!(key in state)) continue;
      change[key] = numeric.has(key) ? Math.max(1, Number.parseInt(value, 10) || 1) : value;
    }
    if (change.page && !location.hash.includes("cluster=")) {
      Object.assign(state, change);
      select();
      change.page = Math.min(change.page, pages());
      change.cluster = found[(change.page - 1) * PAGE]?.place ?? 1;
    }
    by("query").value = change.q;
    by("order").value = change.order === "least" ? "least" : "size";
    go(change);
  };

  by("query").addEventListener("input", (event) => first({ q: event.target.value }));
  by("order").addEventListener("change", (event) => first({ order: event.target.value }));
  by("previous-page").addEventListener("click", () => turn(-1));
  by("next-page").addEventListener("click", () => turn(1));
  by("theme").addEventListener("click", nextTheme);
  addEventListener("hashchange", fromAddress);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches?.("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = {
      j: () => step("cluster", 1), k: () => step("cluster", -1), n: () => step("member", 1), p: () => step("member", -1),
      v: toggleView, t: nextTheme, "/": () => by("query").focus(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  by("theme").hidden = by("explorer").hidden = false;
  setTheme({ light: "light", dark: "dark" }[remembered()] ?? "auto");
  fromAddress();
})();
