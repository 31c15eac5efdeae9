// What needs a script: the filter, the place in the contents, fields in place, samples and requests.
// The page can be read without it.

const base = new URL(".", location.href).href.replace(/\/$/, "");
const find = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const nav = find("nav");

/** An element with attributes and children; a value that is no text is a property. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "string") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

const labelled = (text, input, about = "") => make("label", {}, text, input, ...(about ? [make("small", {}, about)] : []));

// The filter.

const parts = all("main section section[id]").map((section) => {
  const link = find(`nav a[href="#${section.id}"]`);
  return { section, link, entry: link?.parentElement, text: section.textContent.toLowerCase() };
});
// A field also finds the operations that take or return its record.
for (const { section } of parts.filter(({ section }) => section.id.startsWith("record-"))) {
  const fields = all("tbody th code", section).map((field) => ` ${field.textContent.toLowerCase()}`).join("");
  const users = all(".users a", section).map((link) => link.hash.slice(1));
  for (const part of parts) if (users.includes(part.section.id)) part.text += fields;
}
const groups = all("main > section, nav details details");
const box = make("input", { type: "search", autocomplete: "off", "aria-label": "Search paths, fields and texts", placeholder: "Search paths, fields and texts" });
const count = make("p", { role: "status", class: "hint" });

function filter() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { section, entry, text } of parts) {
    section.hidden = !words.every((word) => text.includes(word));
    if (entry) entry.hidden = section.hidden;
    if (!section.hidden) shown += 1;
  }
  for (const group of groups) {
    group.hidden = !find("section[id]:not([hidden]), li:not([hidden])", group);
    if (words.length > 0 && group.localName === "details") group.open = true;
  }
  find(".intro").hidden = words.length > 0;
  count.textContent = words.length > 0 ? `${shown} of ${parts.length} shown` : "";
}

/** Shows what a link leads to, also when it is filtered out or folded. */
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    box.value = "";
    filter();
  }
  if (target.id.startsWith("record-")) find("details", target).open = true;
  target.scrollIntoView();
}

// The place in the contents.

const follow = new IntersectionObserver(
  (changes) => {
    const entered = changes.find(({ isIntersecting }) => isIntersecting);
    const link = entered && parts.find(({ section }) => section === entered.target)?.link;
    if (!link) return;
    for (const old of all("[aria-current]", nav)) old.removeAttribute("aria-current");
    link.setAttribute("aria-current", "location");
    const room = nav.getBoundingClientRect();
    const { top, bottom } = link.getBoundingClientRect();
    if (top < room.top || bottom > room.bottom) nav.scrollTop += top - room.top - room.height / 3;
  },
  { rootMargin: "-15% 0px -80% 0px" },
);

// Fields of a record below the link to it.

function addFolds(part) {
  for (const link of all('a[href^="#record-"]', part)) {
    const button = make("button", { type: "button", class: "fold", "aria-expanded": "false" }, "fields");
    button.setAttribute("aria-label", `Fields of ${link.textContent} here`);
    button.addEventListener("click", () => unfold(link, button));
    link.after(button);
  }
}

function unfold(link, button) {
  const opened = button.getAttribute("aria-expanded") === "false";
  button.setAttribute("aria-expanded", String(opened));
  if (!opened) return button.inside.remove();
  const table = find(`${link.getAttribute("href")} .table`).cloneNode(true);
  for (const old of all(".fold, .inside", table)) old.remove();
  addFolds(table);
  const row = link.closest("tr");
  if (row) {
    button.inside = make("tr", { class: "inside" }, make("td", { colSpan: row.cells.length }, table));
    row.after(button.inside);
  } else {
    button.inside = make("div", { class: "inside" }, table);
    link.closest(".content").append(button.inside);
  }
}

// Logging in.

/** Without this the browser asks for a password by itself when one is wrong. */
const QUIET = { credentials: "omit" };
const KEPT = "erp-docs-login";
let token;
const tokenState = make("span", { role: "status" });
const logout = make("button", { type: "button", class: "quiet" }, "Log out");
const login = make("details", { id: "login" });
logout.addEventListener("click", () => {
  void fetch(`${base}/www/token/revoke`, { method: "POST", ...QUIET, headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
  loggedOut("Not logged in.");
});

const bytesToBase64 = (bytes) => btoa(String.fromCharCode(...bytes));
const basic = (user, password) => `Basic ${bytesToBase64(new TextEncoder().encode(`${user}:${password}`))}`;

/** The token lasts as long as this tab; a password is never kept. */
function loggedIn(login) {
  token = login.token;
  sessionStorage.setItem(KEPT, JSON.stringify(login));
  document.body.classList.add("in");
  logout.hidden = false;
  login.hidden = true;
  login.open = false;
  tokenState.textContent = `Logged in as ${login.user} until ${new Date(login.end).toLocaleTimeString()}.`;
}

function loggedOut(why) {
  token = undefined;
  sessionStorage.removeItem(KEPT);
  document.body.classList.remove("in");
  logout.hidden = true;
  login.hidden = false;
  tokenState.textContent = why;
}

const keepToken = (answer, user) => loggedIn({ user, token: answer.access_token, end: Date.now() + Number(answer.expires_in) * 1000 });

/** Continues the login from before the page was loaded again. */
function resume() {
  const login = JSON.parse(sessionStorage.getItem(KEPT));
  if (login?.end > Date.now()) loggedIn(login);
  else loggedOut("Not logged in.");
}

async function logIn(event) {
  event.preventDefault();
  const { user, password } = event.target.elements;
  try {
    const response = await fetch(`${base}/www/token`, {
      method: "POST",
      ...QUIET,
      headers: { authorization: basic(user.value, password.value) },
    });
    const answer = await response.json();
    if (response.ok) keepToken(answer, user.value);
    else tokenState.textContent = `Not logged in: ${answer.error_description}.`;
    password.value = "";
  } catch {
    tokenState.textContent = "The server does not respond.";
  }
}

function askForLogin() {
  login.open = true;
  find("input", login)?.focus();
}

/** The search and the login, in the head of the page. */
function addTools() {
  box.addEventListener("input", filter);
  const form = make(
    "form",
    { class: "card" },
    labelled("User", make("input", { name: "user", autocomplete: "username", required: true })),
    labelled("Password", make("input", { name: "password", type: "password", autocomplete: "current-password", required: true })),
    make("button", { class: "main" }, "Log in"),
  );
  form.addEventListener("submit", logIn);
  login.append(make("summary", {}, "Log in"), form);
  const search = make("form", { role: "search" }, box);
  search.addEventListener("submit", (event) => event.preventDefault());
  find("header").append(search, make("div", { class: "end" }, tokenState, logout, login));
  find("main").prepend(count);
}

// A request: its form, its samples, its response.

const shown = (example) => (typeof example === "string" ? example : JSON.stringify(example, null, 2));

function parameterField({ name, in: place, description: about, required, example, schema }) {
  const input = make("input", { autocomplete: "off", required: required === true, placeholder: String(example ?? "") });
  if (required && example !== undefined) input.value = String(example);
  if (schema.enum) {
    const list = make("datalist", { id: `${name}-values` }, ...schema.enum.filter(Boolean).map((value) => make("option", { value: String(value) })));
    if (!document.getElementById(list.id)) document.body.append(list);
    input.setAttribute("list", list.id);
  }
  return { name, place, input, label: labelled(name, input, `${place}${about ? ": " : ""}${(about ?? "").split(";")[0].replaceAll("`", "")}`) };
}

function bodyField(body) {
  const kinds = Object.entries(body?.content ?? {});
  if (kinds.length === 0) return undefined;
  const kind = make("select", {}, ...kinds.map(([type]) => make("option", {}, type)));
  const text = make("textarea", { spellcheck: false }, shown(kinds[0][1].example ?? ""));
  const file = make("input", { type: "file" });
  const isBytes = kinds[0][1].example === undefined;
  kind.addEventListener("change", () => (text.value = shown(body.content[kind.value].example ?? "")));
  const fields = [...(kinds.length > 1 ? [labelled("Media type", kind)] : []), isBytes ? labelled("File", file) : labelled("Body", text)];
  return { kind, text, file, isBytes, fields };
}

/** The request as the form has it; the token is not part of it. */
function requestOf({ method, path, scheme, parameters, body }) {
  const given = parameters.filter(({ place, input, isSet }) => place === "path" || isSet || input.value !== "");
  const of = (place) => given.filter((parameter) => parameter.place === place).map(({ name, input }) => [name, input.value]);
  const filled = of("path").reduce((filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(of("query")).toString();
  const headers = of("header");
  if (body) headers.push(["Content-Type", body.kind.value]);
  return { method: method.toUpperCase(), url: `${base}${filled}${query && `?${query}`}`, scheme, headers, body: body && !body.isBytes ? body.text.value : undefined, hasFile: body?.isBytes ?? false };
}

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const json = (text) => JSON.stringify(text);

const samples = {
  curl({ method, url, scheme, headers, body, hasFile }) {
    const lines = [`curl -X ${method} ${shell(url)}`];
    if (scheme === "bearer") lines.push('-H "Authorization: Bearer $TOKEN"');
    if (scheme === "basic") lines.push("-u 'USER:PASSWORD'");
    for (const [name, value] of headers) lines.push(`-H ${shell(`${name}: ${value}`)}`);
    if (hasFile) lines.push("--data-binary @FILE");
    if (body !== undefined) lines.push(`--data-binary ${shell(body)}`);
    return lines.join(" \\\n  ");
  },
  JavaScript({ method, url, scheme, headers, body, hasFile }) {
    const fields = headers.map(([name, value]) => `    ${json(name)}: ${json(value)},`);
    if (scheme) fields.unshift(scheme === "bearer" ? '    "Authorization": "Bearer TOKEN",' : '    "Authorization": `Basic ${btoa("USER:PASSWORD")}`,');
    const text = body?.replaceAll(/[\\`]|\$\{/g, "\\$&");
    const sent = hasFile ? ["  body: file,"] : body === undefined ? [] : [`  body: \`${text}\`,`];
    return [`const response = await fetch(${json(url)}, {`, `  method: ${json(method)},`, "  headers: {", ...fields, "  },", ...sent, "});", "console.log(response.status, await response.text());"].join("\n");
  },
  Python({ method, url, scheme, headers, body, hasFile }) {
    const fields = headers.map(([name, value]) => `        ${json(name)}: ${json(value)},`);
    if (scheme) fields.unshift(scheme === "bearer" ? '        "Authorization": "Bearer TOKEN",' : '        "Authorization": "Basic " + b64encode(b"USER:PASSWORD").decode(),');
    const text = body?.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""');
    const sent = hasFile ? ['    data=open("FILE", "rb").read(),'] : body === undefined ? [] : [`    data="""${text}""".encode(),`];
    const imports = ["import urllib.request", ...(scheme === "basic" ? ["from base64 import b64encode"] : [])];
    return [...imports, "", "request = urllib.request.Request(", `    ${json(url)},`, `    method=${json(method)},`, "    headers={", ...fields, "    },", ...sent, ")", "with urllib.request.urlopen(request) as response:", "    print(response.status, response.read().decode())"].join("\n");
  },
  PHP({ method, url, scheme, headers, body, hasFile }) {
    const quoted = (text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
    const fields = headers.map(([name, value]) => `        ${quoted(`${name}: ${value}`)},`);
    if (scheme) fields.unshift(scheme === "bearer" ? "        'Authorization: Bearer TOKEN'," : "        'Authorization: Basic ' . base64_encode('USER:PASSWORD'),");
    const sent = hasFile ? ["    'content' => file_get_contents('FILE'),"] : body === undefined ? [] : [`    'content' => ${quoted(body)},`];
    return ["<?php", "$context = stream_context_create(['http' => [", `    'method' => ${quoted(method)},`, "    'header' => [", ...fields, "    ],", ...sent, "    'ignore_errors' => true,", "]]);", `$body = file_get_contents(${quoted(url)}, false, $context);`, "echo $http_response_header[0], PHP_EOL, $body, PHP_EOL;"].join("\n");
  },
};

async function send(parts, credentials, output) {
  const request = requestOf(parts);
  const headers = new Headers(request.headers);
  if (request.scheme === "bearer" && token) headers.set("Authorization", `Bearer ${token}`);
  if (request.scheme === "basic") headers.set("Authorization", basic(...credentials.map(({ value }) => value)));
  const begun = performance.now();
  try {
    const response = await fetch(request.url, { ...QUIET, method: request.method, headers, body: request.hasFile ? parts.body.file.files[0] : request.body });
    if (response.status === 401 && headers.get("Authorization") === `Bearer ${token}`) loggedOut("The login has ended.");
    const blob = await response.blob();
    const took = Math.round(performance.now() - begun);
    output.replaceChildren(make("p", { role: "status" }, make("strong", {}, `${response.status} ${response.statusText}`), ` in ${took} ms, ${blob.size} bytes`), ...(await received(response, blob)));
  } catch {
    output.replaceChildren(make("p", { role: "status" }, "The server does not respond, or the request is not allowed."));
  }
}

/** Keeps the digits of a number, where the browser can. */
const asWritten = (key, value, context) => (typeof value === "number" && JSON.rawJSON && context ? JSON.rawJSON(context.source) : value);

/** Header fields and body of a response; a token is kept for the next requests. */
async function received(response, blob) {
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const headers = make("details", {}, make("summary", {}, "Header fields"), make("pre", { tabIndex: 0 }, fields));
  if (blob.size === 0) return [headers];
  if (!/json|text|xml/.test(blob.type)) return [headers, make("a", { href: URL.createObjectURL(blob), download: "response" }, "Save the response")];
  let text = await blob.text();
  if (/json$|json;/.test(blob.type) && !blob.type.includes("ndjson")) {
    const answer = JSON.parse(text, asWritten);
    if (response.ok && answer.access_token) keepToken(JSON.parse(text), "this user");
    text = JSON.stringify(answer, null, 2);
  }
  return [headers, copyButton(() => text), make("pre", { tabIndex: 0 }, text)];
}

function copyButton(written) {
  // Browsers copy only for pages of a secure origin.
  const button = make("button", { type: "button", hidden: !navigator.clipboard }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(written());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

const LANGUAGE = "erp-docs-language";
let language = localStorage.getItem(LANGUAGE) ?? "curl";
const boxes = [];

/** A sample in the language of all samples, with a button that copies. */
function sampleBox(parts) {
  const choice = make("select", { "aria-label": "Code sample" }, ...Object.keys(samples).map((name) => make("option", {}, name)));
  const code = make("pre", { tabIndex: 0, class: "sample" });
  const write = () => {
    choice.value = language;
    code.textContent = samples[language](requestOf(parts));
  };
  choice.addEventListener("change", () => {
    language = choice.value;
    localStorage.setItem(LANGUAGE, language);
    for (const write of boxes) write();
  });
  boxes.push(write);
  write();
  return { write, elements: [make("div", { class: "row" }, choice, copyButton(() => code.textContent)), code] };
}

/** What a request consists of; `parameters` and `body` are fields of a form, or have values of their own. */
const partsOf = ({ method, path, operation }, parameters, body) => ({
  method,
  path,
  scheme: Object.keys(operation.security?.[0] ?? {})[0],
  parameters,
  body,
});

/** The sample of an operation, and the form that sends it. */
function addSide(described) {
  const { section, operation } = described;
  const parts = partsOf(described, (operation.parameters ?? []).map(parameterField), bodyField(operation.requestBody));
  const credentials = parts.scheme === "basic" ? ["text", "password"].map((type) => make("input", { type, autocomplete: "off" })) : [];
  const output = make("div");
  const sample = sampleBox(parts);
  const form = make(
    "form",
    {},
    ...credentials.map((input, at) => labelled(["User", "Password"][at], input)),
    ...parts.parameters.map(({ label }) => label),
    ...(parts.body?.fields ?? []),
    make("div", { class: "actions" }, make("button", { class: "main" }, "Send"), ...(parts.scheme === "bearer" ? [make("a", { href: "#login", class: "first" }, "Log in first")] : [])),
  );
  form.addEventListener("input", sample.write);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(parts, credentials, output);
  });
  find(".side", section).prepend(...sample.elements, make("details", { class: "try" }, make("summary", {}, "Try it"), form), output);
}

/** The sample of a step of a guide: an operation's, with the values of the step. */
function addStep(step, described) {
  const values = new URLSearchParams(step.dataset.values);
  const parameters = (described.operation.parameters ?? []).filter(({ name }) => values.has(name));
  const given = parameters.map(({ name, in: place }) => ({ name, place, isSet: true, input: { value: values.get(name) } }));
  find(".side", step).append(...sampleBox(partsOf(described, given, bodyField(described.operation.requestBody))).elements);
}

async function addSamples() {
  const { paths } = await (await fetch(`${base}/openapi.json`)).json();
  const described = all("section[data-path]").map((section) => {
    const { method, path } = section.dataset;
    return { section, method, path, operation: paths[path][method] };
  });
  for (const step of all("[data-values]")) {
    const id = find("a", step).hash.slice(1);
    addStep(step, described.find(({ section }) => section.id === id));
  }
  described.forEach(addSide);
}

addTools();
resume();
if (matchMedia("(width < 60rem)").matches) find("nav > details").open = false;
addFolds(find("main"));
for (const { section } of parts) follow.observe(section);
addEventListener("hashchange", reveal);
addEventListener("click", (event) => {
  if (!event.target.closest?.('a[href="#login"]')) return;
  event.preventDefault();
  askForLogin();
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.nodeName)) return;
  event.preventDefault();
  box.focus();
});
reveal();
await addSamples();
reveal();
