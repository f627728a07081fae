"use strict";
/* The report: sorting by a column, the filter by year, older figures that come late. */

const table = document.getElementById("months");
const body = table.tBodies[0];
const headers = [...table.tHead.rows[0].cells];
const year = document.getElementById("year");
const older = document.getElementById("older");

const sort = (column, direction) => {
  const value = (row) => Number(column === 0 ? row.dataset.order : row.cells[column].dataset.value);
  const rows = [...body.rows].sort((one, other) => (value(one) - value(other)) * direction);
  body.append(...rows);
};
const filter = () => {
  for (const row of body.rows) row.hidden = year.value !== "" && row.dataset.year !== year.value;
};

headers.forEach((header, column) => {
  header.querySelector("button").addEventListener("click", () => {
    const isAscending = header.getAttribute("aria-sort") === "ascending";
    headers.forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", isAscending ? "descending" : "ascending");
    sort(column, isAscending ? -1 : 1);
  });
});
year.addEventListener("change", filter);
older.addEventListener("click", async () => {
  older.disabled = true;
  older.textContent = "Loading…";
  await practice.wait(500);
  const reply = await fetch("/report/api/older", { method: "POST" });
  if (!reply.ok) {
    older.disabled = false;
    older.textContent = "Load older figures";
    practice.toast("The older figures could not be loaded.");
    return;
  }
  const holder = document.createElement("tbody");
  holder.innerHTML = await reply.text();
  const years = [...new Set([...holder.rows].map((row) => row.dataset.year))];
  year.append(...years.map((text) => new Option(text)));
  body.append(...holder.rows);
  const sorted = headers.findIndex((header) => header.getAttribute("aria-sort") !== "none");
  if (sorted >= 0) sort(sorted, headers[sorted].getAttribute("aria-sort") === "ascending" ? 1 : -1);
  filter();
  older.parentElement.remove();
});
