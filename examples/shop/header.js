// The head of the page: search, the menu of the customer, the way to the basket.

import { find, number } from "./dom.js";
import { onLanguage, words } from "./language.js";

/** Delay between a key press and the search, in milliseconds. */
const PAUSE = 250;

const form = find("#find");
const field = find("#search");
const account = find("#account");
const basket = find("#to-basket");

/** Shows the customer and the number of lines in the basket; nothing of both without a customer. */
export function showHead(shop) {
  for (const part of [form, account, basket]) part.hidden = shop === undefined;
  if (shop === undefined) {
    account.open = false;
    return;
  }
  const { customer, number: key } = shop;
  const name = customer.KundBez ?? key;
  account.querySelector(".who").textContent = name;
  find("#who").textContent = `${name} (${key})`;
  const { size } = shop.basket;
  const count = basket.querySelector(".count");
  count.textContent = number(size);
  count.hidden = size === 0;
}

/** The words that are searched for; what is being typed stays. */
export function showSearch(text) {
  if (document.activeElement !== field) field.value = text;
}

/** `search` gets the words, and whether they are complete; `logOut` ends the login. */
export function startHead(search, logOut) {
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(field.value.trim(), false), PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    search(field.value.trim(), true);
  });
  onLanguage(() => (field.placeholder = words().search_hint));
  find("#logout").addEventListener("click", logOut);
  const close = (event) => {
    if (event.type === "keydown" && event.key === "Escape" && account.open) account.querySelector("summary").focus();
    else if (event.type === "keydown" || (account.contains(event.target) && !event.target.closest("a"))) return;
    account.open = false;
  };
  for (const name of ["click", "keydown"]) document.addEventListener(name, close);
  account.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget !== null && !account.contains(relatedTarget)) account.open = false;
  });
}
