/* Keys, live updates and the time slider. Everything else is plain HTML and htmx. */
"use strict";
(() => {
  const body = document.body;
  const main = document.getElementById("main");

  /* Live: the server says that something changed, and the parts of the page fetch themselves. */
  const address = body.dataset.events;
  if (address) {
    const source = new EventSource(address);
    const lost = document.getElementById("lost");
    let failures = 0;
    source.addEventListener("changed", () => htmx.trigger(body, "recollect:changed"));
    source.addEventListener("open", () => { failures = 0; lost.hidden = true; });
    source.addEventListener("error", () => { failures += 1; lost.hidden = failures < 2; });
  }

  /* A part of the page that cannot be fetched: the server has ended. */
  document.addEventListener("htmx:sendError", () => { document.getElementById("lost").hidden = false; });

  /* Addresses name only what was chosen. */
  document.addEventListener("htmx:configRequest", (event) => {
    const given = event.detail.parameters;
    for (const name of Object.keys(given)) {
      const field = event.detail.elt.querySelector(`[name="${CSS.escape(name)}"]`);
      if (given[name] === "" || (field && field.type === "range" && field.value === field.max)) {
        delete given[name];
      }
    }
  });

  /* The time slider says in words what it stands at. */
  document.addEventListener("input", (event) => {
    const slider = event.target;
    if (slider.matches("input[data-words]")) {
      const words = slider.dataset.words.split("|");
      slider.parentElement.querySelector("output").textContent = words[Number(slider.value)];
      slider.setAttribute("aria-valuetext", words[Number(slider.value)]);
    }
  });

  /* Keys. */
  const rows = () => [...main.querySelectorAll("[data-card], [data-row]")]
    .filter((row) => row.offsetParent !== null);

  function current() {
    return document.activeElement ? document.activeElement.closest("[data-card], [data-row]") : null;
  }

  function move(step) {
    const all = rows();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))];
    const target = next.matches("[data-card]") ? next : next.querySelector("a") || next;
    target.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  function press(key) {
    const card = current() || main.querySelector("[data-card]");
    const button = card ? card.querySelector(`[data-do="${key}"]`) : null;
    if (!button) return false;
    button.click();
    return true;
  }

  let goes = false;
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const writes = target.matches("input, textarea, select") || target.isContentEditable;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (writes) {
      /* A search field would empty itself. */
      if (event.key === "Escape") { event.preventDefault(); target.blur(); }
      if (event.key === "ArrowDown" && target.id === "q") { event.preventDefault(); move(1); }
      return;
    }
    if (goes) {
      goes = false;
      const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    const keys = {
      g: () => { goes = true; },
      j: () => move(1),
      k: () => move(-1),
      u: () => { const undo = main.querySelector("[data-undo]"); if (undo) undo.click(); },
      "?": () => document.getElementById("help").showModal(),
      "/": () => {
        const field = document.getElementById("q");
        if (field) { field.focus(); field.select(); }
        else document.querySelector('nav a[data-key="s"]').click();
      },
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    } else if ("aerm".includes(event.key) && press(event.key)) {
      event.preventDefault();
    }
  });

  const here = document.querySelector("nav [aria-current]");
  if (here) here.parentElement.parentElement.parentElement.scrollLeft = here.offsetLeft - 16;
  body.dataset.ready = "yes";
  const first = main.querySelector("[data-card]");
  if (first) first.focus({ preventScroll: true });
})();
