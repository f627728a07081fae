"use strict";
/* PDF to images: choosing or dropping a file, uploading it, and watching the conversion. */

const convertForm = document.getElementById("convert-form");
const file = document.getElementById("file");
const convert = document.getElementById("convert");
const zone = document.getElementById("drop-zone");
const convertError = document.getElementById("convert-error");
const progressBox = document.getElementById("progress-box");

const showProgress = (text, percent) => {
  progressBox.hidden = false;
  document.getElementById("progress-text").textContent = text;
  const bar = document.getElementById("progress");
  bar.setAttribute("aria-valuenow", String(percent));
  bar.firstElementChild.style.width = `${percent}%`;
};
const fail = (message) => {
  progressBox.hidden = true;
  convertError.textContent = message;
  convertError.hidden = false;
  convert.disabled = !file.files.length;
};
const fileChosen = () => {
  const chosen = file.files[0];
  convertError.hidden = true;
  convert.disabled = !chosen;
  document.getElementById("file-name").textContent = chosen ? chosen.name : "Drop a PDF here, or choose one from your computer.";
  if (chosen && chosen.size > Number(convertForm.dataset.maxBytes)) {
    fail("That file is too large. At most 20 MB can be sent.");
    convert.disabled = true;
  }
};
const watch = async (job) => {
  for (;;) {
    const reply = await fetch(`/pdf/api/job/${job}`);
    const state = await reply.json();
    if (!reply.ok || state.status === "failed") throw new Error(state.error);
    if (state.status === "done") return;
    const percent = state.total ? Math.round((100 * state.done) / state.total) : 0;
    showProgress(state.total ? `Page ${state.done} of ${state.total}` : "Waiting…", percent);
    await practice.wait(150);
  }
};

document.getElementById("choose").addEventListener("click", () => file.click());
file.addEventListener("change", fileChosen);
for (const kind of ["dragover", "dragleave", "drop"]) {
  zone.addEventListener(kind, (event) => {
    event.preventDefault();
    zone.classList.toggle("is-over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) {
      file.files = event.dataTransfer.files;
      fileChosen();
    }
  });
}
convertForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = new FormData(convertForm);
  convert.disabled = true;
  convertError.hidden = true;
  showProgress("Uploading…", 0);
  try {
    const reply = await practice.post("/pdf/api/convert", fields);
    await watch(reply.job);
    showProgress("Done", 100);
    location.href = `/pdf/result/${reply.job}`;
  } catch (problem) {
    fail(problem.message);
  }
});
