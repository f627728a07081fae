"use strict";
/* The food order: the dialog of a dish, and the basket beside the menu. */

const dialog = document.getElementById("dish-dialog");

const showTotal = (form) => {
  const chosen = [...form.querySelectorAll("input:checked")];
  const unit = Number(form.dataset.cents) + chosen.reduce((sum, input) => sum + Number(input.dataset.cents), 0);
  document.getElementById("dish-total").textContent = practice.money(unit * Number(form.elements.quantity.value));
};

const openDish = async (slug) => {
  dialog.innerHTML = await practice.fragment(`/food/api/dish/${slug}`);
  const form = document.getElementById("dish-form");
  form.addEventListener("change", () => showTotal(form));
  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) dialog.close();
    const step = event.target.closest("[data-step]");
    if (!step) return;
    const quantity = Math.max(1, Math.min(20, Number(form.elements.quantity.value) + Number(step.dataset.step)));
    form.elements.quantity.value = quantity;
    document.getElementById("dish-quantity").textContent = quantity;
    showTotal(form);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const reply = await practice.post("/food/api/basket", new FormData(form));
      document.getElementById("basket").innerHTML = reply.basket;
      dialog.close();
      practice.toast(reply.message);
    } catch (problem) {
      const error = document.getElementById("dish-error");
      error.textContent = problem.message;
      error.hidden = false;
    }
  });
  if (!dialog.open) dialog.showModal();
};

if (dialog) {
  document.addEventListener("click", async (event) => {
    const customise = event.target.closest("[data-dish]");
    const remove = event.target.closest("[data-remove]");
    try {
      if (customise) await openDish(customise.dataset.dish);
      if (remove) {
        const reply = await practice.post(`/food/api/basket/${remove.dataset.remove}/remove`, new FormData());
        document.getElementById("basket").innerHTML = reply.basket;
        practice.toast(reply.message);
      }
    } catch (problem) {
      practice.toast(problem.message);
    }
  });
}
