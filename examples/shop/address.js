// The form that checks an address.

import { AddressForm } from "./address-form.js";
import { find } from "./dom.js";
import { onLanguage, words } from "./language.js";

const root = find("#address-form");
let form;
form = new AddressForm(root, {
  changed: (problems) => {
    if (form?.rules === undefined) return;
    find("#state").textContent = problems === 0 ? words().fine : words().wrong(problems);
  },
});

root.addEventListener("submit", (event) => event.preventDefault());
await form.loadRules("#address-missing");
// A form that checks nothing is of no use here.
root.hidden = form.rules === undefined;
onLanguage(() => form.speak());
root.dataset.ready = "";
