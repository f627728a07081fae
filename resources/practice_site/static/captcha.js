"use strict";
/* The human check: tiles to pick and a knob to drag. The server decides. */

const captcha = document.getElementById("captcha");
if (captcha) {
  const knob = document.getElementById("knob");
  const slider = document.getElementById("slider");
  const tiles = [...captcha.querySelectorAll(".tile")];
  let value = 0;

  const place = (next) => {
    value = Math.round(Math.max(0, Math.min(100, next)));
    knob.setAttribute("aria-valuenow", String(value));
    knob.style.left = `${(slider.clientWidth - knob.offsetWidth) * (value / 100)}px`;
    slider.classList.toggle("is-done", value === 100);
  };
  for (const tile of tiles) {
    tile.addEventListener("click", () => tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") !== "true")));
  }
  knob.addEventListener("pointerdown", (event) => {
    knob.setPointerCapture(event.pointerId);
    const start = event.clientX - knob.offsetLeft;
    const move = (moved) => place((100 * (moved.clientX - start)) / (slider.clientWidth - knob.offsetWidth));
    const end = () => {
      knob.removeEventListener("pointermove", move);
      if (value < 98) place(0);
      else place(100);
    };
    knob.addEventListener("pointermove", move);
    knob.addEventListener("pointerup", end, { once: true });
    knob.addEventListener("pointercancel", end, { once: true });
  });
  knob.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") place(value + 10);
    else if (event.key === "ArrowLeft") place(value - 10);
    else return;
    event.preventDefault();
  });
  document.getElementById("verify").addEventListener("click", async () => {
    const fields = new FormData();
    for (const tile of tiles) if (tile.getAttribute("aria-pressed") === "true") fields.append("picked", tile.dataset.position);
    fields.set("slider", String(value));
    try {
      await practice.post("/captcha/api/verify", fields);
      location.reload();
    } catch (problem) {
      const error = document.getElementById("captcha-error");
      error.textContent = problem.message;
      error.hidden = false;
      setTimeout(() => location.reload(), 1500);
    }
  });
}
