"use strict";
/* The shop: late results, variants, adding to the cart, quantities. */

const showCount = (count) => {
  const badge = document.getElementById("cart-count");
  badge.textContent = count;
  badge.hidden = count === 0;
};

const results = document.getElementById("results");
if (results) {
  const load = (delay) => {
    const query = new URLSearchParams({ q: results.dataset.words, sort: document.getElementById("sort").value });
    return practice.fillLate(results, `/shop/api/search?${query}`, delay);
  };
  load(400);
  document.getElementById("sort").addEventListener("change", () => {
    results.setAttribute("aria-busy", "true");
    results.innerHTML = '<p class="loading">Loading…</p>';
    load(200);
  });
}

document.addEventListener("click", (event) => {
  const save = event.target.closest(".save");
  if (save) {
    const isSaved = save.getAttribute("aria-pressed") !== "true";
    save.setAttribute("aria-pressed", String(isSaved));
    practice.toast(isSaved ? "Saved for later." : "No longer saved.");
  }
  if (event.target.closest("#close-drawer")) document.getElementById("drawer").hidden = true;
});

const buy = document.getElementById("buy");
if (buy) {
  buy.addEventListener("change", (event) => {
    document.getElementById("buy-error").hidden = true;
    if (event.target.name !== "storage") return;
    document.getElementById("price").textContent = practice.money(Number(event.target.dataset.cents));
    if (buy.dataset.isNamed) document.getElementById("product-title").textContent = `${buy.dataset.family} ${event.target.value}`;
  });
  buy.addEventListener("submit", async (event) => {
    event.preventDefault();
    const error = document.getElementById("buy-error");
    try {
      const reply = await practice.post("/shop/api/cart", new FormData(buy));
      error.hidden = true;
      showCount(reply.count);
      const drawer = document.getElementById("drawer");
      drawer.innerHTML = reply.drawer;
      drawer.hidden = false;
      practice.toast(reply.message);
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
    }
  });
}

for (const input of document.querySelectorAll("#cart-lines input[type=number]")) {
  input.addEventListener("change", async () => {
    const fields = new FormData();
    fields.set("quantity", input.value);
    try {
      const reply = await practice.post(`/shop/api/cart/${input.dataset.line}`, fields);
      document.getElementById(`line-total-${input.dataset.line}`).textContent = practice.money(reply.line_cents);
      document.getElementById("cart-subtotal").textContent = practice.money(reply.total_cents);
      document.getElementById("cart-total").textContent = practice.money(reply.total_cents);
      showCount(reply.count);
      input.removeAttribute("aria-invalid");
    } catch (problem) {
      input.setAttribute("aria-invalid", "true");
      practice.toast(problem.message);
    }
  });
}
