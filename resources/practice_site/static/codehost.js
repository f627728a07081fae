"use strict";
/* The code host: "Create repository" waits until the server has found the name good. */

const newRepository = document.getElementById("new-repository");
if (newRepository) {
  const name = newRepository.elements.name;
  const owner = newRepository.elements.owner;
  const create = document.getElementById("create");
  const message = document.getElementById("name-message");
  let timer = 0;
  let asked = 0;

  const say = (text, isError) => {
    message.textContent = text;
    message.className = isError ? "error-text" : "hint";
    name.setAttribute("aria-invalid", String(isError));
  };
  const check = async () => {
    const question = ++asked;
    try {
      const reply = await fetch(`/codehost/api/name?${new URLSearchParams({ owner: owner.value, name: name.value })}`);
      const verdict = await reply.json();
      if (question !== asked) return;
      say(verdict.message ?? verdict.error, !verdict.is_valid);
      create.disabled = !verdict.is_valid;
    } catch {
      say("The name could not be checked.", true);
    }
  };
  const later = () => {
    create.disabled = true;
    asked += 1;
    clearTimeout(timer);
    if (name.value) timer = setTimeout(check, 200);
  };
  name.addEventListener("input", later);
  owner.addEventListener("change", later);
  if (name.value) later();
}
