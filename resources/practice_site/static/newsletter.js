"use strict";
/* The contact panel (a custom element with an open shadow root) and the cookie banner. */

class ContactPanel extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = `
      <link rel="stylesheet" href="/static/newsletter.css">
      <section role="dialog" aria-labelledby="title">
        <header><h2 id="title">Stay in touch</h2><button class="close" type="button" aria-label="Close">✕</button></header>
        <form novalidate>
          <p>One letter a month. Leave whenever you like.</p>
          <label class="label" for="email">E-mail address</label>
          <input type="text" inputmode="email" id="email" name="email" autocomplete="off" maxlength="200" placeholder="name@example.com">
          <p class="error" id="error" role="alert" hidden></p>
          <fieldset><legend>Topics</legend>
            <label class="check"><input type="checkbox" name="topics" value="product" checked>Product news</label>
            <label class="check"><input type="checkbox" name="topics" value="research">Research notes</label>
            <label class="check"><input type="checkbox" name="topics" value="events">Events near me</label>
          </fieldset>
          <button type="submit">Subscribe</button>
        </form>
        <p class="done" role="status" hidden></p>
      </section>`;
    const form = root.querySelector("form");
    const error = root.getElementById("error");
    root.querySelector(".close").addEventListener("click", () => { this.hidden = true; });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const email = form.elements.email;
      try {
        const reply = await practice.post("/newsletter/api/subscribe", new FormData(form));
        form.hidden = true;
        const done = root.querySelector(".done");
        done.textContent = reply.message;
        done.hidden = false;
      } catch (problem) {
        email.setAttribute("aria-invalid", "true");
        email.setAttribute("aria-describedby", "error");
        error.textContent = problem.message;
        error.hidden = false;
        email.focus();
      }
    });
    form.elements.email.addEventListener("input", () => {
      form.elements.email.removeAttribute("aria-invalid");
      error.hidden = true;
    });
  }

  open() {
    this.hidden = false;
    this.shadowRoot.getElementById("email").focus();
  }
}
customElements.define("contact-panel", ContactPanel);

document.getElementById("contact").addEventListener("click", () => document.getElementById("contact-panel").open());

for (const button of document.querySelectorAll("[data-cookies]")) {
  button.addEventListener("click", async () => {
    const fields = new FormData();
    fields.set("choice", button.dataset.cookies);
    try {
      await practice.post("/newsletter/api/cookies", fields);
      document.getElementById("cookie-banner").remove();
    } catch (problem) {
      practice.toast(problem.message);
    }
  });
}
