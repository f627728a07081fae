"use strict";
/* Shared by all practice pages: requests, the toast, and the custom drop-down. */

const practice = {
  /** Sends a form and gives the JSON reply; throws an Error whose message is for the visitor. */
  async post(url, fields) {
    let reply;
    try {
      reply = await fetch(url, { method: "POST", body: fields });
    } catch {
      throw new Error("The server cannot be reached.");
    }
    const value = await reply.json().catch(() => ({ error: "Something went wrong." }));
    if (!reply.ok) throw new Error(value.error);
    return value;
  },

  /** Fetches a piece of HTML made by this site's own templates. */
  async fragment(url) {
    const reply = await fetch(url);
    if (!reply.ok) throw new Error("This part of the page could not be loaded.");
    return reply.text();
  },

  wait(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  },

  toast(message) {
    const box = document.getElementById("toast");
    box.textContent = message;
    box.hidden = false;
    clearTimeout(practice.toastTimer);
    practice.toastTimer = setTimeout(() => { box.hidden = true; }, 4000);
  },

  money(cents) {
    return (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });
  },

  /** Puts late content in the place of a "Loading…" line. */
  async fillLate(place, url, delay) {
    await practice.wait(delay);
    try {
      place.innerHTML = await practice.fragment(url);
    } catch (error) {
      place.textContent = error.message;
    }
    place.removeAttribute("aria-busy");
  },
};

/* A drop-down made of div elements; its value is kept in a hidden input. */
for (const box of document.querySelectorAll(".dropdown")) {
  const button = box.querySelector(".dropdown-button");
  const text = box.querySelector(".dropdown-text");
  const list = box.querySelector(".dropdown-list");
  const input = box.querySelector("input[type=hidden]");
  const options = [...list.children];
  let active = -1;

  const mark = (position) => {
    active = Math.max(0, Math.min(options.length - 1, position));
    options.forEach((option, at) => option.classList.toggle("is-active", at === active));
    button.setAttribute("aria-activedescendant", options[active].id);
    options[active].scrollIntoView({ block: "nearest" });
  };
  const toggle = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) mark(Math.max(0, options.findIndex((option) => option.getAttribute("aria-selected") === "true")));
    else button.removeAttribute("aria-activedescendant");
  };
  const choose = (option) => {
    options.forEach((other) => other.setAttribute("aria-selected", String(other === option)));
    text.textContent = option.textContent;
    input.value = option.dataset.value;
    toggle(false);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };

  button.addEventListener("click", () => toggle(list.hidden));
  options.forEach((option) => option.addEventListener("click", () => choose(option)));
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) toggle(false); });
  button.addEventListener("keydown", (event) => {
    if (list.hidden && ["Enter", " ", "ArrowDown"].includes(event.key)) toggle(true);
    else if (event.key === "ArrowDown") mark(active + 1);
    else if (event.key === "ArrowUp") mark(active - 1);
    else if (event.key === "Enter" || event.key === " ") choose(options[active]);
    else if (event.key === "Escape") toggle(false);
    else return;
    event.preventDefault();
  });
}

/* Buttons that are no button elements still work with the keyboard. */
document.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && event.target.matches("div[role=button]")) {
    event.preventDefault();
    event.target.click();
  }
});
