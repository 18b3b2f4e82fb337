// Search while typing, keys, a file finder and definitions on a click. Every page works without this script.
"use strict";

const field = document.getElementById("page.q");
const main = document.getElementById("page.main");
/* Start of the addresses of this repository, if the server has several. */
const base = document.documentElement.dataset.base ?? "";
let pending = null;

/* Replaces the answer below the search by that of the typed query. Older answers are dropped. */
async function search() {
  const form = field.form;
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value && name !== "page") query.append(name, value);
  const address = base + "/search?" + query;
  pending?.abort();
  const current = (pending = new AbortController());
  document.body.classList.add("busy");
  try {
    const answer = await fetch(address + "&part=1", { signal: current.signal });
    const text = await answer.text();
    if (current !== pending) return;
    main.replaceChildren(...parsed(text));
    // The first change is a step of its own, so that Back returns to the page where typing began.
    if (location.pathname === base + "/search") history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    document.querySelector("link[rel=canonical]")?.remove();
    document.title = field.value + " · " + document.title.split(" · ").pop();
    reloadSoon();
  } catch (error) {
    if (error.name !== "AbortError") form.submit();
  } finally {
    if (current === pending) document.body.classList.remove("busy");
  }
}

/* The content of an HTML text: that of its <main>, if it is a whole page. */
function parsed(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  return (page.getElementById("page.main") ?? page.body).childNodes;
}

let timer = 0;
field.addEventListener("input", () => {
  clearTimeout(timer);
  if (field.value.trim()) timer = setTimeout(search, 90);
});

/* Loads an answer again that was given while the index was being built. */
function reloadSoon() {
  const notice = document.querySelector("[data-reload]");
  // Not while someone is typing.
  const reload = () => (document.activeElement === field ? reloadSoon() : location.reload());
  if (notice) setTimeout(() => notice.isConnected && reload(), Number(notice.dataset.reload));
}
reloadSoon();

/* The results that j and k go through. */
const results = () => [...document.querySelectorAll(".card, .commits li, .files li, .uses li")];

function move(step) {
  const all = results();
  if (!all.length) return;
  const at = all.findIndex((item) => item.classList.contains("now"));
  all[at]?.classList.remove("now");
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
  next.classList.add("now");
  const link = next.querySelector("a.title, a");
  link.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function dialog(title) {
  document.querySelector("dialog")?.remove();
  const box = document.createElement("dialog");
  box.setAttribute("aria-label", title);
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  return box;
}

/* t: files by characters of their paths. */
async function finder() {
  const box = dialog("Find a file");
  const input = document.createElement("input");
  input.type = "search";
  input.setAttribute("aria-label", "Characters of a path");
  const list = document.createElement("ul");
  list.className = "files";
  box.append(input, list);
  box.showModal();
  let number = 0;
  const show = async () => {
    const mine = ++number;
    const answer = await fetch(base + "/api/files?q=" + encodeURIComponent(input.value));
    const { paths = [] } = await answer.json();
    if (mine !== number) return;
    list.replaceChildren(
      ...paths.slice(0, 30).map((path, index) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = base + "/file/" + path.split("/").map(encodeURIComponent).join("/");
        link.textContent = path;
        item.append(link);
        if (index === 0) item.className = "now";
        return item;
      }),
    );
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const items = [...list.children];
    const at = items.findIndex((item) => item.classList.contains("now"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length) {
      event.preventDefault();
      items[at]?.classList.remove("now");
      const next = items[Math.min(Math.max(at + step, 0), items.length - 1)];
      next.classList.add("now");
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      items[at]?.querySelector("a").click();
    }
  });
  show();
}

/* y: the address that keeps the commit of what is shown. */
function permalink() {
  const link = document.querySelector("link[rel=canonical]");
  if (!link) return say("This is not in a commit.");
  const address = new URL(link.href);
  const now = new URL(location.href);
  for (const name of ["lines", "blame", "source"]) {
    if (now.searchParams.has(name)) address.searchParams.set(name, now.searchParams.get(name));
  }
  address.hash = now.hash;
  history.replaceState(null, "", address);
  navigator.clipboard?.writeText(address.href).catch(() => {});
  say("The address keeps its commit now.");
}

/* Shows a short message, also for screen readers. */
function say(text) {
  document.querySelector(".said")?.remove();
  const note = document.createElement("p");
  note.className = "notice said";
  note.setAttribute("role", "status");
  note.textContent = text;
  main.prepend(note);
  setTimeout(() => note.remove(), 4000);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && typing === field) return field.blur();
  if (typing && !(typing === field && event.key === "ArrowDown")) return;
  const action = {
    "/": () => (field.focus(), field.select()),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: typing ? () => move(1) : null,
    t: finder,
    y: permalink,
    "?": help,
  }[event.key];
  if (!action || (document.querySelector("dialog") && event.key !== "?")) return;
  event.preventDefault();
  action();
});

async function help() {
  const box = dialog("Help");
  box.append(...parsed(await (await fetch(base + "/help")).text()));
  box.tabIndex = -1;
  box.showModal();
}

/* Marks the lines of the address: L3, or L3-L5. */
let anchor = 0;
document.addEventListener("click", async (event) => {
  const number = event.target.closest(".source .no");
  if (number) {
    event.preventDefault();
    const line = Number(number.textContent);
    const [first, last] = event.shiftKey && anchor ? [anchor, line].sort((a, b) => a - b) : [line, line];
    if (!event.shiftKey) anchor = line;
    const address = new URL(location.href);
    address.searchParams.set("lines", first === last ? first : first + "-" + last);
    address.hash = "L" + first;
    history.replaceState(null, "", address);
    document.querySelectorAll(".l.on").forEach((other) => other.classList.remove("on"));
    for (let at = first; at <= last; at++) document.getElementById("L" + at)?.classList.add("on");
    return;
  }
  if (event.ctrlKey || event.metaKey || event.shiftKey || String(getSelection())) return;
  const link = event.target.closest('.source a[href*="d="]');
  const place = link ? new URL(link.href).searchParams.get("d") : clicked(event);
  if (!place) return;
  if (link) event.preventDefault();
  const address = new URL(location.href);
  address.searchParams.set("d", place);
  address.hash = "";
  const page = address.href;
  address.searchParams.set("part", "1");
  const answer = await fetch(address);
  if (!answer.ok) {
    if (link) location.href = page;
    return;
  }
  const box = dialog("Definition and uses");
  box.append(...parsed(await answer.text()));
  const close = document.createElement("button");
  close.textContent = "Close";
  close.addEventListener("click", () => box.close());
  box.append(close);
  box.showModal();
  box.querySelector("a")?.focus();
});

/* The place of a clicked name in a file without links: LINE.COLUMN. */
function clicked(event) {
  const line = event.target.closest(".source .l");
  if (!line || event.target.closest(".b, .no, a, i.c, i.s") || !document.caretPositionFromPoint) return null;
  const caret = document.caretPositionFromPoint(event.clientX, event.clientY);
  if (!caret || !line.contains(caret.offsetNode)) return null;
  const range = document.createRange();
  range.setStartAfter(line.querySelector(".no"));
  range.setEnd(caret.offsetNode, caret.offset);
  const before = range.toString();
  const after = line.textContent.slice(line.textContent.indexOf(before) + before.length);
  if (!/[\p{L}\p{N}_$]$/u.test(before) && !/^[\p{L}_$]/u.test(after)) return null;
  return line.id.slice(1) + "." + before.length;
}

addEventListener("popstate", () => location.reload());
