// What mdBook's pages lack for the keyboard and who listens.

// The button of the menu is a label, which can be no button for them.
const label = document.getElementById("mdbook-sidebar-toggle");
const menu = Object.assign(document.createElement("button"), { type: "button", className: label.className, title: label.title });
menu.append(...label.childNodes);
label.style.display = "none";
label.before(menu);
const tell = () => menu.setAttribute("aria-expanded", label.getAttribute("aria-expanded"));
menu.addEventListener("click", () => label.click());
document.getElementById("mdbook-sidebar-toggle-anchor").addEventListener("change", tell);
tell();

document.getElementById("mdbook-menu-bar").setAttribute("role", "banner");
for (const box of document.querySelectorAll("pre code, .table-wrapper")) box.tabIndex = 0;
