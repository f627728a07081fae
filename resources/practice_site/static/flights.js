"use strict";
/* The flight search: airport fields, the calendar, late results, the form for a new passenger. */

for (const box of document.querySelectorAll("[data-combobox]")) {
  const input = box.querySelector("input[role=combobox]");
  const code = box.querySelector("input[type=hidden]");
  const list = box.querySelector("[role=listbox]");
  let active = -1;
  let timer = 0;
  let asked = 0;

  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const choose = (airport) => {
    input.value = airport.label;
    code.value = airport.code;
    input.removeAttribute("aria-invalid");
    asked += 1;
    close();
  };
  const mark = (position) => {
    const options = list.querySelectorAll("[role=option]");
    if (!options.length) return;
    active = (position + options.length) % options.length;
    options.forEach((option, at) => option.classList.toggle("is-active", at === active));
    input.setAttribute("aria-activedescendant", options[active].id);
  };
  const ask = async () => {
    const question = ++asked;
    const reply = await fetch(`/flights/api/airports?${new URLSearchParams({ q: input.value })}`);
    const airports = await reply.json();
    if (question !== asked) return;
    list.replaceChildren(...airports.map((airport, at) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${at}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.append(airport.label);
      const name = document.createElement("span");
      name.className = "name";
      name.textContent = airport.name;
      option.append(name);
      option.addEventListener("mousedown", (event) => event.preventDefault());
      option.addEventListener("click", () => choose(airport));
      return option;
    }));
    if (!airports.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "No airport found";
      list.append(none);
    }
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    active = -1;
  };

  input.addEventListener("input", () => {
    code.value = "";
    clearTimeout(timer);
    if (input.value.trim()) timer = setTimeout(ask, 150);
    else { asked += 1; close(); }
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") mark(active + 1);
    else if (event.key === "ArrowUp") mark(active - 1);
    else if (event.key === "Enter" && active >= 0) list.querySelectorAll("[role=option]")[active].click();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", () => { clearTimeout(timer); asked += 1; close(); });
}

const swap = document.getElementById("swap");
if (swap) {
  swap.addEventListener("click", () => {
    const form = document.getElementById("search-form");
    const pairs = [["from", "to"].map((key) => form.elements[key]), ["from-text", "to-text"].map((id) => document.getElementById(id))];
    for (const [one, other] of pairs) [one.value, other.value] = [other.value, one.value];
  });
}

const dateField = document.getElementById("date-field");
if (dateField) {
  const calendar = document.getElementById("calendar");
  const text = document.getElementById("date-text");
  const hidden = dateField.querySelector("input[type=hidden]");
  const read = (iso) => { const [year, month, day] = iso.split("-").map(Number); return new Date(year, month - 1, day); };
  const write = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  const words = (date) => {
    const part = (options) => date.toLocaleDateString("en-GB", options);
    return `${part({ weekday: "long" })}, ${date.getDate()} ${part({ month: "long" })} ${date.getFullYear()}`;
  };
  const first = read(dateField.dataset.first);
  const last = read(dateField.dataset.last);
  let shown = new Date(first.getFullYear(), first.getMonth(), 1);

  const draw = () => {
    document.getElementById("month-name").textContent = `${shown.toLocaleDateString("en-GB", { month: "long" })} ${shown.getFullYear()}`;
    document.getElementById("month-before").disabled = shown <= first;
    document.getElementById("month-after").disabled = new Date(shown.getFullYear(), shown.getMonth() + 1, 1) > last;
    const rows = [];
    const blanks = (shown.getDay() + 6) % 7;
    const length = new Date(shown.getFullYear(), shown.getMonth() + 1, 0).getDate();
    for (let cell = -blanks; cell < length; cell += 7) {
      const row = document.createElement("tr");
      for (let at = cell; at < cell + 7; at += 1) {
        const place = document.createElement("td");
        place.setAttribute("role", "gridcell");
        if (at >= 0 && at < length) {
          const date = new Date(shown.getFullYear(), shown.getMonth(), at + 1);
          const button = document.createElement("button");
          button.type = "button";
          button.textContent = at + 1;
          button.setAttribute("aria-label", words(date));
          button.setAttribute("aria-pressed", String(write(date) === hidden.value));
          button.disabled = date < first || date > last;
          button.addEventListener("click", () => {
            hidden.value = write(date);
            text.value = words(date);
            text.removeAttribute("aria-invalid");
            toggle(false);
          });
          place.append(button);
        }
        row.append(place);
      }
      rows.push(row);
    }
    document.getElementById("days").replaceChildren(...rows);
  };
  const toggle = (open) => {
    calendar.hidden = !open;
    if (open) draw();
  };
  const turn = (months) => { shown = new Date(shown.getFullYear(), shown.getMonth() + months, 1); draw(); };

  text.addEventListener("click", () => toggle(true));
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); toggle(true); } });
  document.getElementById("open-calendar").addEventListener("click", () => toggle(calendar.hidden));
  document.getElementById("month-before").addEventListener("click", () => turn(-1));
  document.getElementById("month-after").addEventListener("click", () => turn(1));
  document.addEventListener("mousedown", (event) => { if (!dateField.contains(event.target)) toggle(false); });
  dateField.addEventListener("keydown", (event) => { if (event.key === "Escape") toggle(false); });
}

const flightResults = document.getElementById("flight-results");
if (flightResults) {
  const order = document.getElementById("order");
  const nonstop = document.getElementById("nonstop");
  const load = (delay) => {
    const query = new URLSearchParams(flightResults.dataset.query);
    query.set("sort", order.value);
    if (nonstop.checked) query.set("nonstop", "yes");
    return practice.fillLate(flightResults, `/flights/api/results?${query}`, delay);
  };
  load(600);
  for (const control of [order, nonstop]) {
    control.addEventListener("change", () => {
      flightResults.setAttribute("aria-busy", "true");
      flightResults.innerHTML = '<p class="loading">Looking for flights…</p>';
      load(250);
    });
  }
}

const newPassenger = document.getElementById("new-passenger");
if (newPassenger) {
  document.addEventListener("change", (event) => {
    if (event.target.name === "passenger") newPassenger.hidden = event.target.value !== "new";
  });
}
