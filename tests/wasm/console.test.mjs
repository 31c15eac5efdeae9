// The console for operators at the demo server, in Chromium, under the server's own policy.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { watchedPage } from "./chromium.mjs";
import { root } from "./paths.mjs";
import { accessible, DESK, opened, PHONE, shot } from "./screens.mjs";

const folder = new URL("erp-server/console/", root);
const FIRST_LOAD = 150_000;
/** Bytes with gzip. */
const FIRST_SCREEN = 60_000;
const HOSTILE = '<img src=x onerror="window.hacked=1">';
// West of UTC, with half an hour, and with days of 23 and of 25 hours.
const ZONE = "America/St_Johns";
let server, page, wrong, close, send;

before(async () => {
  ({ server, page, wrong, close } = await opened({ timezoneId: ZONE }));
  await seed();
});

after(() => close?.());

/** Records whose texts are markup, and an order with them. */
async function seed() {
  const basic = Buffer.from(`admin:${server.password("admin")}`).toString("base64");
  const login = await fetch(`${server.base}/www/token`, { method: "POST", headers: { Authorization: `Basic ${basic}` } });
  const { access_token: token } = await login.json();
  send = async (method, path, body, type = "application/json") => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
    const answer = await fetch(server.base + path, { method, headers, body: typeof body === "string" ? body : JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer;
  };
  const address = { AdrSprache: "ger", AdrAnrede: 0, AdrFirma: HOSTILE.slice(0, 36), AdrAdresse1: "Weg 1", OrtLand: "CH", OrtPLZ: "8001", OrtName: "Zürich" };
  await send("POST", "/admin/import", JSON.stringify({ Artikel: { ArtNr: "X-1", ArtBez: HOSTILE, AnLager: "N" } }), "application/x-ndjson");
  await send("PUT", "/admin/attributes/HOSTILE", { Contents: HOSTILE });
  await send("POST", "/admin/users", { name: HOSTILE, role: "shop" });
  await send("POST", "/www/kunden", { GrundDaten: { AdrSprache: "ger", WaehrAbk: "CHF", FAKTZahlArt: "B", ZahlungsMethode: "K,R" }, Adressen: { KontaktAdr: address } });
  const positions = [{ ArtNr: "BU-1002", Menge: 12 }, { ArtNr: "LM-3001", Menge: 4, PosBez: HOSTILE }];
  const said = { AuftBestellNr: "WC-2002", AuftBestellRef: "PO 4711", AuftLieferT: "2026-06-02T12:00:00Z", AuftKomment: "Leave it\nat the gate" };
  const delivery = { ...address, AdrFirma2: "Branch Winterthur", AdrAdresse2: "Back door", AdrVorname: "Eva", AdrName: "Muster", AdrTelex: "+41 79 1", AdrTf1: "+41 52 2", AdrTf2: "+41 52 3", AdrFax: "+41 52 4" };
  const others = { Adressen: { LiefAdr: delivery }, Zahlung: [{ Bezeichnung: "payment_method", Wert: "R" }] };
  await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001", AuftBez: HOSTILE, ...said }, Positionen: positions, ...others });
  await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001", AuftBez: "Second" }, Positionen: positions });
}

const text = (selector) => page.locator(selector).innerText();
const button = (name) => page.getByRole("button", { name, exact: true });

/** Opens a screen and waits until it is displayed. */
async function go(hash) {
  await page.evaluate((hash) => {
    document.querySelector(".screen").removeAttribute("data-ready");
    if (location.hash === hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = hash;
  }, hash);
  await page.waitForSelector(`.screen[data-ready="${hash.slice(1).split(/[/?]/)[0]}"]`);
}

/** Saves the whole list as a file: its name and its text. */
async function savedFile(name = "All as CSV") {
  const [download] = await Promise.all([page.waitForEvent("download"), button(name).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/**
 * Checks that no text is parsed as markup, that the page fits a phone, and axe in both languages and colour schemes. `ready` leads to
 * the state again after the language has changed.
 */
async function looked(name, ready = () => undefined) {
  for (const [size, language, colorScheme] of [[PHONE, "Deutsch", "dark"], [DESK, "English", "light"]]) {
    await page.emulateMedia({ colorScheme });
    const chosen = page.getByRole("radio", { name: language });
    if (!(await chosen.isChecked())) {
      await chosen.check();
      if (name !== "login") await page.waitForSelector(".screen[data-ready]");
    }
    await ready();
    await shot(page, `console-${name}`, size);
    await accessible(page, `${name} in ${language}, ${colorScheme}`, "html", ["target-size"]);
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  assert.deepEqual(await page.locator(".failure").allInnerTexts(), [], name);
}

/** As [`looked`], where a change of the language would lose what is shown. */
async function lookedAt(name) {
  for (const [size, colorScheme] of [[PHONE, "dark"], [DESK, "light"]]) {
    await page.emulateMedia({ colorScheme });
    await shot(page, `console-${name}`, size);
    await accessible(page, `${name}, ${colorScheme}`, "html", ["target-size"]);
  }
}

/** Shows the orders or offers of a status. */
const show = (status) => page.getByRole("radio", { name: new RegExp(`^${status} ?\\d*\\+?$`) }).check();

/** Clicks a button, and the one of the same name in the dialog that asks. */
async function sure(name) {
  await button(name).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

const setToOpen = () => sure("Set to open");

async function logIn(user) {
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(server.password(user));
  await button("Log in").click();
}

test("every word is there in both languages, and is used", async () => {
  const en = JSON.parse(readFileSync(new URL("words.json", folder), "utf8"));
  for (const [key, said] of Object.entries(en)) {
    const places = (word) => [...new Set([...word.matchAll(/\{(\d)/g)].map(([, at]) => at))].sort();
    assert.equal(said.length, 2, key);
    assert.ok(said.every((word) => word.trim() !== ""), key);
    assert.deepEqual(places(said[1]), places(said[0]), key);
  }
  const sources = readdirSync(folder).filter((name) => /\.(js|html)$/.test(name));
  const code = sources.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const used = new Set([...code.matchAll(/(?:\bsay|words\(\))\.(\w+)|data-(?:word|label)="(\w+)"/g)].map(([, word, fixed]) => word ?? fixed));
  for (const [, one, other] of code.matchAll(/(?:\bsay|words\(\))\[\w+ \? "(\w+)" : "(\w+)"\]/g)) used.add(one).add(other);
  assert.deepEqual([...used].filter((word) => !(word in en)), []);
  const stems = [...code.matchAll(/\[`(\w+_)\$\{/g)].map(([, stem]) => stem);
  const unused = Object.keys(en).filter((word) => !used.has(word) && !stems.some((stem) => word.startsWith(stem)));
  assert.deepEqual(unused, []);
});

test("no text becomes markup", () => {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    assert.doesNotMatch(readFileSync(new URL(name, folder), "utf8"), /innerHTML|outerHTML|insertAdjacentHTML|document\.write/, name);
  }
});

test("the checksum of a file is SHA-256", async () => {
  const { sha256 } = await import(new URL("sha256.js", folder));
  for (const length of [0, 1, 55, 56, 63, 64, 65, 1_000, 100_000]) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 31 + length) % 251));
    assert.equal(await sha256(new Blob([bytes])), createHash("sha256").update(bytes).digest("hex"), `${length}`);
  }
});

test("the login is small and tells who may enter", async () => {
  const loaded = [];
  page.on("response", (response) => loaded.push(response));
  await page.goto(`${server.base}/console`);
  await page.waitForSelector("form.login");
  const sizes = await Promise.all(loaded.map(async (response) => (await response.body()).length));
  assert.ok(sizes.reduce((sum, one) => sum + one, 0) <= FIRST_LOAD, `${sizes}`);
  assert.ok(loaded.every((response) => response.url().startsWith(server.base)));
  await looked("login");
  await page.getByLabel("User").fill("admin");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("User or password is wrong.").waitFor();
  await logIn("shop1");
  await page.getByText("This user has no role in the office.").waitFor();
  const refused = wrong.splice(0);
  assert.ok(refused.length === 2 && refused.every((line) => /status of 40[13]/.test(line)), `${refused}`);
});

test("the link of a demo logs in after a click, at a demo alone", async () => {
  const password = server.password("admin");
  const link = `${server.base}/console#demo=admin:${password}`;
  await page.route("**/console/demo.js", (route) => route.fulfill({ contentType: "text/javascript", body: "export const DEMO = false;" }));
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForSelector("form.login");
  assert.equal(await button("Log in as admin").count(), 0);
  assert.ok(!page.url().includes(password));
  await page.unroute("**/console/demo.js");
  await page.goto("about:blank");
  await page.goto(link);
  await button("Log in as admin").waitFor();
  await looked("login");
  assert.ok(!page.url().includes(password));
  await button("Log in as admin").click();
  await page.waitForSelector('.screen[data-ready="day"]');
  assert.ok(!(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).includes(password));
  await button("Log out").click();
  await page.waitForSelector("form.login");
});

test("a login lasts over a new load of the page", async () => {
  await logIn("admin");
  await page.waitForSelector('.screen[data-ready="day"]');
  await page.reload();
  await page.waitForSelector('.screen[data-ready="day"]');
  assert.equal(await text("#user"), "admin");
});

test("the first screen after the login is loaded in 60 kB", async () => {
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.setExtraHTTPHeaders({ "Accept-Encoding": "gzip" });
  const loaded = [];
  const listen = (response) => new URL(response.url()).pathname.startsWith("/console") && loaded.push(response);
  page.on("response", listen);
  await page.reload();
  await page.waitForSelector('.screen[data-ready="day"]');
  page.off("response", listen);
  await network.detach();
  await page.setExtraHTTPHeaders({});
  const files = await Promise.all(loaded.map(async (response) => {
    const { responseBodySize } = await response.request().sizes();
    return { name: new URL(response.url()).pathname, size: responseBodySize, coding: response.headers()["content-encoding"], plain: (await response.body()).length };
  }));
  for (const name of ["/console", "/console/style.css", "/console/main.js", "/console/words.json", "/console/day.js"]) {
    const file = files.find((file) => file.name === name);
    assert.ok(file?.coding === "gzip" && file.size > 0 && file.size < file.plain, `${name}: ${JSON.stringify(file)}`);
  }
  const all = files.reduce((sum, { size }) => sum + size, 0);
  assert.ok(all <= FIRST_SCREEN, `${all}: ${JSON.stringify(files)}`);
});

test("the day shows what there is to do, with links to it", async () => {
  const { data: counts } = await (await send("GET", "/admin/orders/count")).json();
  const { data: stats } = await (await send("GET", "/admin/stats")).json();
  const figure = (name) => page.locator(".figures a", { hasText: name });
  assert.equal(await text(".health"), "Ready for requests · Server");
  assert.match(await text("#main table"), /100002[^]*New[^]*10001 Café Sonnenschein GmbH[^]*100001[^]*WC-2002/);
  await looked("day");
  for (const [name, count] of [["New", counts.N], ["Open", counts.O], ["To invoice", counts.toInvoice], ["Articles that cannot be sold", stats.unsellable.articles]]) {
    assert.equal(await figure(name).locator("strong").innerText(), `${count}`, name);
  }
  assert.match(await figure("Little stock (at most 5)").locator("strong").innerText(), /^\d+$/);
  await figure("Little stock").click();
  await page.waitForSelector(".screen[data-ready=stock]");
  assert.equal(await page.getByLabel("At most available").inputValue(), "5");
  await page.goBack();
  await page.waitForSelector(".screen[data-ready=day]");
  await figure("New").click();
  await page.getByText("2 shown").waitFor();
  assert.ok(await page.getByRole("radio", { name: "New 2" }).isChecked());
  // Business comes first.
  assert.deepEqual((await page.locator("#nav .group > p").allInnerTexts()).slice(0, 2), ["Business", "Operation"]);
});

test("the state shows health, numbers and the last hour", async () => {
  await go("#state");
  await looked("state");
  const shown = await text("#main");
  for (const words of ["Ready for requests", "Store: fine", "Requests answered", "There is no verified backup yet."]) assert.ok(shown.includes(words), `${words} in ${shown}`);
  assert.equal(await page.locator(".plot svg[role=img]").count(), 4);
  assert.equal(await page.locator(".plot").first().locator("rect").count(), 60);
});

test("an address that names no screen leads to the day, and one of no record to a way back", async () => {
  for (const hash of ["#constructor", "#__proto__", "#nothing"]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await page.waitForSelector('.screen[data-ready="day"]');
    assert.equal(await text("h1"), "Today", hash);
  }
  await page.evaluate(() => (location.hash = "#orders/%E0%A4%A"));
  await page.getByText("There is no “%E0%A4%A” here.").waitFor();
  await page.getByLabel("Deutsch").check();
  await page.getByText("«%E0%A4%A» gibt es hier nicht.").waitFor();
  await page.getByLabel("English").check();
  await go("#orders/999");
  await looked("missing");
  assert.equal(await text("h1"), "Orders");
  await page.getByRole("link", { name: "Search for 999" }).click();
  await page.getByRole("heading", { name: "Search: 999" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Back to: Orders" }).click();
  await page.getByText("2 shown").waitFor();
  const refused = wrong.splice(0);
  assert.ok(refused.length >= 2 && refused.every((line) => /status of 404/.test(line)), `${refused}`);
});

test("an order is found, opened and moved on", async () => {
  await go("#orders");
  await looked("orders");
  await show("New");
  await page.getByText("2 shown").waitFor();
  await show("Completed");
  await page.getByText("No order found.").waitFor();
  await show("All");
  for (const [asked, found] of [["WC-2002", "1 shown"], ["sonnenschein", "2 shown"], ["10001", "2 shown"], ["nobody", "No order found."], ["100001", "1 shown"]]) {
    await page.getByLabel("Find orders").fill(asked);
    await button("Search").click();
    await page.getByText(found).waitFor();
  }
  await page.getByRole("link", { name: "100001", exact: true }).click();
  await page.getByRole("heading", { name: "Order 100001" }).waitFor();
  await page.goBack();
  await page.getByText("1 shown").waitFor();
  assert.equal(await page.getByLabel("Find orders").inputValue(), "100001");
  await page.goForward();
  await page.getByRole("heading", { name: "Order 100001" }).waitFor();
  await looked("order");
  const shown = await text("#main");
  const said = ["WC-2002", "PO 4711", "2 Jun 2026", "Leave it\nat the gate", "Branch Winterthur", "Back door", "Eva Muster"];
  const others = ["Mobile +41 79 1", "Phone +41 52 2", "Phone +41 52 3", "Fax +41 52 4", "Lorry", "Credit card, Invoice", "Türe beim Hof"];
  for (const words of [HOSTILE, ...said, ...others]) assert.ok(shown.includes(words), `${words} in ${shown}`);
  assert.match(shown, /Payment\s+Invoice/);
  assert.match(shown, /Payment condition\s+10 Tage 2 % Skonto, 30 Tage netto/);
  assert.match(shown, /Customer\s+10001 Café Sonnenschein/);
  await setToOpen();
  await page.locator(".badge", { hasText: "Open" }).waitFor();
  await button("Complete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await button("Complete").click();
  await page.getByRole("dialog").getByRole("button", { name: "Complete" }).click();
  await page.locator(".badge", { hasText: "Completed" }).waitFor();
  assert.equal(await button("Complete").count(), 0);
});

test("an order that another operator moved is drawn again", async () => {
  await go("#orders/100002");
  await send("PUT", "/admin/auftrag/100002/status", { AuftStatus: "A" });
  await setToOpen();
  await page.getByText("the order has been changed meanwhile. Its state is now “Completed”.").waitFor();
  await page.locator(".badge", { hasText: "Completed" }).waitFor();
  assert.equal(await button("Set to open").count(), 0);
  assert.match(wrong.splice(0).join(), /status of 412/);
});

test("while a search runs, rows of another one are gone, and a later one may begin", async () => {
  await go("#orders");
  await page.getByText("2 shown").waitFor();
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  const tooBroad = { error: "too_broad", error_description: "more than 50000 entries", info: { limit: 50_000 } };
  await page.route("**/admin/orders?*", async (route) => {
    const status = new URL(route.request().url()).searchParams.get("status");
    if (status === "N") await held;
    if (status === "O") return route.fulfill({ status: 422, json: tooBroad });
    return route.continue();
  });
  await show("New");
  await page.getByText("Searching …").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 0);
  await show("Open");
  // A search that reaches the server's limit is not shown as an error.
  await page.getByText("Nothing found so far. The server read 50,000 entries and stopped.").waitFor();
  assert.equal(await page.locator(".failure").count(), 0);
  const late = page.waitForResponse((response) => response.url().includes("status=N"));
  answer();
  await late;
  await page.getByText("Nothing found so far.").waitFor();
  assert.equal(await page.getByText("No order found.").count(), 0);
  await page.unroute("**/admin/orders?*");
  assert.match(wrong.splice(0).join(), /status of 422/);
});

test("a list is sorted by the server, saved as a file, and its filter is kept under a name", async () => {
  await go("#articles");
  await page.getByText("50 shown, there are more").waitFor();
  const first = () => page.locator("tbody tr td").first().innerText();
  const sorted = (name) => page.locator("th", { hasText: name }).getAttribute("aria-sort");
  assert.deepEqual([await sorted("Article"), await sorted("Name")], ["ascending", null]);
  const lowest = await first();
  await page.getByRole("button", { name: "Article", exact: true }).click();
  await page.locator("th[aria-sort=descending]").waitFor();
  const highest = await first();
  assert.ok(highest > lowest, `${highest} after ${lowest}`);
  await page.reload();
  await page.locator("th[aria-sort=descending]").waitFor();
  assert.equal(await first(), highest);
  await page.getByRole("button", { name: "Name", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll("th")[1]?.ariaSort === "ascending");
  const names = await page.locator("tbody td.wide").allInnerTexts();
  const collator = new Intl.Collator("de", { sensitivity: "base" });
  assert.ok(names.length === 50 && collator.compare(names.at(0), names.at(-1)) < 0, `${names}`);
  // The heads that sort are there on a phone, too.
  await page.setViewportSize(PHONE);
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll("th")[2]?.ariaSort === "ascending");
  await looked("articles-sorted");
  const all = await savedFile();
  assert.equal(all.name, "articles.csv");
  assert.ok(all.text.startsWith("\u{feff}Article;Name;Group;Price;Available;Status;Price for;Currency;Unit\r\n"), all.text.slice(0, 90));
  assert.match(all.text, /\r\nBU-1004;Gelschreiber[^;]*;BUERO;2\.4;-?\d+;active;Stk;CHF;Stk\r\n/);
  const { count } = await (await send("GET", "/www/artikel?limit=1&fields=ArtNr")).json();
  assert.equal(all.text.trim().split("\r\n").length, count + 1);
  assert.ok(all.text.includes(`;"${HOSTILE.replaceAll('"', '""')}";`) || all.text.includes(`"${HOSTILE.replaceAll('"', '""')}"`), "quotes are doubled");
  await page.getByText(`${count} rows are saved.`).waitFor();

  await go("#orders");
  await page.getByLabel("Find orders").fill("10001");
  await button("Search").click();
  await page.getByText("2 shown").waitFor();
  const orders = await savedFile();
  assert.match(orders.text, /Order;Status;Date;Customer;Customer's order number \(PO\);Total;Invoice;Currency;Customer number;Positions\r\n100002;Completed;[^;]*;Café Sonnenschein GmbH;;[\d.,]+;;CHF;10001;2\r\n100001;[^;]*;[^;]*;Café Sonnenschein GmbH;WC-2002;/);
  await page.getByLabel("Name for this filter").fill(HOSTILE.slice(0, 30));
  await button("Keep the filter").click();
  await page.getByRole("link", { name: HOSTILE.slice(0, 30) }).waitFor();
  await go("#customers");
  assert.equal(await page.getByRole("link", { name: HOSTILE.slice(0, 30) }).count(), 0);
  await go("#orders");
  await page.reload();
  await page.getByRole("link", { name: HOSTILE.slice(0, 30) }).click();
  await page.waitForFunction(() => document.querySelector("[name=search]")?.value === "10001");
  await page.getByText("2 shown").waitFor();
  await looked("orders-kept");
  await button(`Remove ${HOSTILE.slice(0, 30)}`).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("link", { name: HOSTILE.slice(0, 30) }).waitFor({ state: "detached" });
  // What another program has written there is no filter.
  await page.evaluate(() => localStorage.setItem("erp-console-filters#orders", '{"x": 7'));
  await go("#orders");
  assert.equal(await page.locator(".kept li").count(), 0);
});

test("a file has the decimal sign of the spreadsheets of its place", async () => {
  const { writesComma } = await import(new URL("csv.js", folder));
  for (const [page, language, zone, comma] of [
    ["de", "de-DE", "Europe/Berlin", true],
    ["de", "de-AT", "Europe/Vienna", true],
    ["de", "de", "Europe/Berlin", true],
    ["de", "de-CH", "Europe/Berlin", false],
    ["de", "de-LI", "UTC", false],
    ["de", "de-DE", "Europe/Zurich", false],
    ["en", "de-DE", "Europe/Berlin", false],
  ]) assert.equal(writesComma(page, new Intl.Locale(language), zone), comma, `${page}, ${language}, ${zone}`);
  await go("#orders");
  await page.getByText(/^\d+ shown$/).waitFor();
  const point = await savedFile();
  await page.getByLabel("Deutsch").check();
  await page.getByText(/^\d+ angezeigt$/).waitFor();
  const comma = await savedFile("Alles als CSV");
  await page.getByLabel("English").check();
  await page.waitForSelector(".screen[data-ready=orders]");
  const total = (text) => {
    const [head, ...rows] = text.trim().split("\r\n").map((line) => line.split(";"));
    return rows.find(([order]) => order === "100001")[head.indexOf("Total")];
  };
  assert.match(total(point.text), /^\d+\.\d+$/);
  assert.equal(total(comma.text), total(point.text).replace(".", ","));
});

test("rows are sorted here among the first 1,000, and the list says so", async () => {
  let pages = 0;
  await page.route("**/admin/orders?*", (route) => {
    pages += 1;
    const limit = Number(new URL(route.request().url()).searchParams.get("limit"));
    const data = Array.from({ length: limit }, (_, at) => ({ AuftNr: `${200_000 - pages * 200 - at}`, KundNr: "1", Name: "A", AuftStatus: "N", AuftErf: "2026-01-02T00:00:00Z", AuftBrutto: at + pages, WaehrAbk: "CHF", Positionen: 1 }));
    return route.fulfill({ json: { data, next: `${pages}` } });
  });
  await go("#orders");
  await page.getByText("50 shown, there are more").waitFor();
  await button("Total").click();
  await page.getByText("1,050 shown, there are more. Sorted are those that are shown.").waitFor();
  assert.match(await text("tbody tr:first-child"), /CHF 1\.00/);
  await page.unroute("**/admin/orders?*");
});

test("a file of a list ends at its bound and says so", async () => {
  let pages = 0;
  await page.route("**/admin/customers?*", (route) => {
    pages += 1;
    const limit = Number(new URL(route.request().url()).searchParams.get("limit"));
    const data = Array.from({ length: limit }, (_, at) => ({ KundNr: `${pages * 1000 + at}`, Name: "=1+1", OrtLand: "CH", OrtName: "A;B", WaehrAbk: "CHF" }));
    return route.fulfill({ json: { data, next: `${pages}` } });
  });
  await go("#customers");
  const [download] = await Promise.all([page.waitForEvent("download"), button("All as CSV").click()]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\r\n");
  assert.equal(lines.length, 100_001);
  assert.match(lines[1], /^\d+;'=1\+1;"A;B";CHF;;CH$/);
  await page.getByText("The first 100,000 rows are saved, there are more.").waitFor();
  await page.unroute("**/admin/customers?*");
});

test("sales are shown by day, week and article, and low stock with what cannot be sold", async () => {
  await go("#sales");
  const shown = await text("#main");
  // Both orders of the customer are completed by now.
  assert.match(shown, /2 orders were read\.[^]*By week[^]*CHF[^]*The best articles[^]*BU-1002[^]*LM-3001|The best articles[^]*LM-3001[^]*BU-1002/);
  assert.equal(await page.locator(".plot svg rect").count(), 30);
  // The same sums in a line and by month, beside those of as many days before, which had none.
  const cells = (name) => page.getByRole("region", { name, exact: true }).locator("tbody td").allInnerTexts();
  const [, orders, , gross, before] = await cells("Total");
  assert.deepEqual([orders, before], ["2", "0.00"]);
  const byMonth = (await cells("By month")).filter((_, at) => at % 5 === 4);
  assert.equal(byMonth.reduce((sum, one) => sum + Number(one), 0).toFixed(2), gross);
  await looked("sales");
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("Until").fill("2020-01-31");
  await button("Show").click();
  await page.getByText("Nothing was ordered in these days.").waitFor();
  await page.reload();
  await page.getByText("Nothing was ordered in these days.").waitFor();
  assert.equal(await page.getByLabel("From").inputValue(), "2020-01-01");
  await page.getByLabel("From").fill("2020-02-01");
  await button("Show").click();
  await page.locator(".failure", { hasText: "400" }).waitFor();
  assert.match(wrong.splice(0).join(), /status of 400/);
  await page.route("**/admin/sales*", async (route) => {
    const answer = await route.fetch();
    const { data } = await answer.json();
    const asked = new URL(route.request().url()).searchParams;
    const days = asked.has("from") ? [{ day: data.to, WaehrAbk: "CHF", orders: 1, net: 1, gross: Number(gross) / 2 }] : data.days;
    return route.fulfill({ json: { data: { ...data, days, since: "2026-01-02T03:04:05Z" } } });
  });
  await go("#sales");
  await page.getByText("Only the newest 2 orders were read.").waitFor();
  assert.match((await cells("Total")).at(-1), /^\+100(\.\d)? %$/);
  await page.unroute("**/admin/sales*");

  await go("#stock");
  const sold = async (most) => {
    await page.getByLabel("At most available").fill(most);
    await button("Search").click();
    await page.getByText(/\d shown|There is more of every article/).waitFor();
    return page.locator("tbody tr").count();
  };
  const none = await sold("0");
  assert.ok((await sold("1000000")) > none);
  await looked("stock");
  assert.match(await text("#main"), /Articles that cannot be sold[^]*X-1/);
});

test("a screen that cannot be loaded says so and is tried again", async () => {
  await page.route("**/console/users.js", (route) => route.abort());
  await page.evaluate(() => (location.hash = "#users"));
  await page.getByText("This screen could not be loaded.").waitFor();
  await page.unroute("**/console/users.js");
  await button("Try again").click();
  await page.getByRole("heading", { name: "New user" }).waitFor();
  assert.equal(wrong.splice(0).length, 2);
});

test("customers and articles are found and looked at", async () => {
  await go("#customers");
  assert.ok((await text("#main")).includes(HOSTILE.slice(0, 36)));
  await page.getByLabel("Find customers").fill("sonnen");
  await page.keyboard.press("Enter");
  await page.getByText("1 shown").waitFor();
  assert.match(await text("tbody tr"), /Café Sonnenschein GmbH[^]*CHF\s+\d{1,2} \w{3} 20\d\d/);
  await looked("customers");
  await go("#customers/10001");
  await looked("customer");
  assert.match(await text("#main"), /German[^]*Credit card, Invoice[^]*Shipping\s+Lorry[^]*100001[^]*Café Sonnenschein GmbH/);
  assert.match(await text("#main"), /Worth of these 2 orders with tax, without canceled ones: CHF \d/);
  await go("#articles");
  await page.getByText("50 shown, there are more").waitFor();
  // Pictures of rows in sight come by themselves.
  await page.locator("tr", { hasText: "AB-4001" }).locator("img").waitFor();
  assert.match(await page.locator("tr", { hasText: "BU-1001" }).innerText(), /CHF 6\.20\s+Pack[^]*\d\s+Pack[^]*active/);
  assert.match(await page.locator("tr", { hasText: "BU-1016" }).innerText(), /not active/);
  await button("Show more").click();
  await page.getByText(/^[6-9]\d shown$/).waitFor();
  const asked = [];
  const listen = (request) => new URL(request.url()).pathname === "/www/artikel" && asked.push(new URL(request.url()).searchParams);
  page.on("request", listen);
  // With a typing error, which the server tolerates.
  await page.getByLabel("Find articles").fill("kafee MORGENTAU");
  await page.keyboard.press("Enter");
  await page.getByText("1 shown").waitFor();
  page.off("request", listen);
  assert.deepEqual(asked.map((one) => [one.get("suche"), one.get("limit")]), [["kafee MORGENTAU", "50"]]);
  await page.getByLabel("Find articles").fill("onerror");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "X-1" }).waitFor();
  await looked("articles");
  await go("#articles/LM-3001");
  await page.waitForFunction(() => [...document.querySelectorAll(".media img")].some((one) => one.naturalWidth > 0));
  await looked("article");
});

test("one search finds orders, offers, invoices, customers and articles", async () => {
  const found = async (asked) => {
    await page.getByRole("search").getByRole("searchbox").fill(asked);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Search: ${asked}` }).waitFor();
    await page.waitForFunction(() => document.querySelector(".screen[data-ready=search]"));
    return text("#main");
  };
  const titles = () => page.locator(".screen .card h2").allInnerTexts();
  assert.match(await found("10000"), /Orders[^]*100001/);
  await looked("search");
  assert.match(await found("WC-2002"), /Orders[^]*100001[^]*WC-2002/);
  const customers = await found("sonnen");
  assert.match(customers, /100001[^]*Customers[^]*10001[^]*Café Sonnenschein GmbH/);
  const { data: offer } = await (await send("POST", "/www/offerte", { GrundDaten: { KundNr: "10003" }, Positionen: [{ ArtNr: "BU-1002", Menge: 12 }] })).json();
  await found(offer.OffertNr);
  assert.ok((await titles()).includes("Offers"));
  // A number is no other number, and what is not there is said once.
  for (const digits of ["100044", "2300033000007", "0445551122", "9999999999"]) {
    assert.equal((await found(digits)).match(/Nothing found\./g)?.length, 1, digits);
    assert.deepEqual(await page.locator(".failure").allInnerTexts(), [], digits);
  }
  await looked("search-nothing");
  assert.equal(await page.getByRole("searchbox").inputValue(), "9999999999");
  await page.route("**/admin/orders?*", (route) => route.fulfill({ status: 500, json: {} }));
  assert.doesNotMatch(await found("10000"), /Searching/);
  await page.locator(".failure", { hasText: "500" }).waitFor();
  await page.unroute("**/admin/orders?*");
  const refused = wrong.splice(0);
  assert.ok(refused.length > 1 && refused.every((line) => /status of (404|500)/.test(line)), `${refused}`);
  assert.match(await found("kafee MORGENTAU"), /Articles[^]*LM-3001/);
  await page.getByRole("link", { name: "LM-3001" }).click();
  await page.waitForSelector(".screen[data-ready=articles]");
  assert.equal(await page.getByRole("search").getByRole("searchbox").inputValue(), "");
});

test("an order is printed as order, picking list and delivery note", async () => {
  await go("#orders/100001");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => (window.print = () => (window.printed = { text: document.querySelector(".paper").innerText, html: document.querySelector(".paper").outerHTML, page: document.querySelector("main").checkVisibility() })));
  const printed = async (name) => {
    await page.evaluate((name) => [...document.querySelectorAll("main button")].find(({ textContent }) => textContent === name).click(), name);
    await page.waitForFunction(() => window.printed !== undefined && document.querySelector(".paper") === null);
    const { text, html, page: isShown } = await page.evaluate(() => window.printed);
    assert.equal(isShown, false);
    // The picture is of the paper alone.
    await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), html);
    await shot(page, `console-paper-${name.replace(" ", "-")}`, DESK);
    await page.evaluate(() => {
      document.querySelector(".paper").remove();
      delete window.printed;
    });
    return text;
  };
  const order = await printed("Order");
  assert.match(order, /Muster & Söhne AG[^]*Branch Winterthur[^]*Order 100001[^]*WC-2002[^]*Leave it\s+at the gate[^]*BU-1002[^]*Total[^]*CHF/);
  const picking = await printed("Picking list");
  assert.match(picking, /Place[^]*[A-Z]-\d\d-\d\d[^]*☐/);
  assert.doesNotMatch(picking, /Total|CHF/);
  const delivery = await printed("Delivery note");
  assert.match(delivery, /Delivery note 100001[^]*LM-3001/);
  assert.doesNotMatch(delivery, /Total|CHF|☐/);
  await page.emulateMedia({ media: "screen" });
});

/** The fieldset, card or fold with this heading. */
const part = (name) => page.locator("fieldset, section.card, details").filter({ has: page.locator("h2, legend, summary", { hasText: name }) }).last();
const tab = (name) => page.getByRole("tab", { name, exact: true });
const dialog = () => page.getByRole("dialog");

/** The last line of the table in sight. */
const lastLine = () => page.locator("tbody tr:visible").last();

/** Saves what was edited, and returns the questions and differences that were confirmed. */
async function saved(hash) {
  await button("Save").click();
  await dialog().waitFor();
  const asked = await dialog().locator(".notice, li").allInnerTexts();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.waitForFunction((hash) => location.hash === hash, hash);
  await page.waitForSelector(`.screen[data-ready="${hash.slice(1).split("/")[0]}"]`);
  return asked;
}

/** Each row of a kind in an export. */
async function stored(asked, wanted) {
  const lines = (await (await send("GET", `/admin/export?${asked}`)).text()).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)[wanted]).filter((row) => row !== undefined);
}

const company = async () => (await stored("company=true", "Firma"))[0];
const tiers = async (article, list) => (await stored(`article=${article}`, "Preisliste")).find(({ PreisListe }) => PreisListe === list)?.Preis;

const imported = (...rows) => send("POST", "/admin/import", rows.map((row) => JSON.stringify(row)).join("\n"), "application/x-ndjson");

test("an article is edited in tabs by lines of an import, which says what is wrong at the field", async () => {
  await go("#articles/AB-4001");
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("heading", { name: "AB-4001" }).waitFor();
  for (const at of [0, 1, 2, 3]) {
    const ready = async () => {
      await page.getByRole("tab").nth(at).click();
      if (at === 3) await page.waitForFunction(() => [...document.querySelectorAll("fieldset img")].some((one) => one.naturalWidth > 0));
    };
    await looked(`edit-article-${at}`, ready);
  }
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Prices");
  const prices = page.getByRole("tabpanel", { name: "Prices" });
  const controls = await prices.locator("tbody tr").first().locator("input, select, button").all();
  const boxes = await Promise.all(controls.map((one) => one.boundingBox()));
  boxes.slice(1).forEach(({ x }, at) => assert.ok(boxes[at].x + boxes[at].width <= x, "no control lies on another"));
  // All lists are in one table, or one of them.
  const lists = () => prices.locator("tbody tr:visible").evaluateAll((all) => [...new Set(all.map((one) => one.querySelector("input").value))]);
  assert.deepEqual(await lists(), ["HANDEL", "STANDARD"]);
  await page.getByLabel("Show the price list").selectOption("STANDARD");
  assert.deepEqual(await lists(), ["STANDARD"]);
  await prices.locator("tbody tr:visible").first().getByLabel("Price", { exact: true }).fill("cheap");
  await tab("General").click();
  await page.getByLabel("Group").fill("BUERO");
  await page.locator(".bar").getByText("2 changes").waitFor();
  await button("Save").click();
  // The tab with the problem opens.
  await page.locator('[name="line 2: Preisliste.Preis[0].PreisList"][aria-invalid="true"]').waitFor();
  assert.match(wrong.splice(0).join(), /status of 422/);
  await prices.locator("[aria-invalid]").fill("101,5");
  await prices.locator("tbody tr:visible").last().getByRole("button", { name: "Remove" }).click();
  assert.deepEqual(await saved("#articles/AB-4001"), [
    "Article AB-4001, Group: ARBEIT → BUERO",
    "Price list STANDARD, CHF, From 1, Price: 109.00 → 101.50",
    "Price list STANDARD, EUR, From 10: EUR, From 10, 103.88, Net → removed",
  ]);
  assert.match(await text("#main"), /Saved\.[^]*BUERO[^]*CHF 101\.50/);
  assert.deepEqual([(await tiers("AB-4001", "STANDARD")).length, (await tiers("AB-4001", "HANDEL")).length], [3, 4]);
});

test("a name that nobody has yet and a price that jumps are asked about", async () => {
  await go("#articles/AB-4002/edit");
  await page.getByLabel("Group").fill("ARBIET");
  await page.getByLabel("Status").selectOption("not active");
  await tab("Prices").click();
  await button("New price").click();
  // What the company usually has is there already.
  assert.deepEqual(await lastLine().locator("input, select").evaluateAll((all) => all.map(({ value }) => value)), ["STANDARD", "CHF", "", "1", "", "", "", "N"]);
  await lastLine().getByLabel("Price", { exact: true }).fill("5");
  await lastLine().getByLabel("Price list").fill("");
  await button("Save").click();
  await page.locator('[name$="Preisliste.PreisListe"][aria-invalid="true"]').waitFor();
  assert.match(wrong.splice(0).join(), /status of 422/);
  await lastLine().getByLabel("Price list").fill("STANDART");
  await page.getByLabel("Show the price list").selectOption("STANDARD");
  await page.locator("tbody tr:visible").first().getByLabel("Price", { exact: true }).fill("1e4");
  await button("Save").click();
  await dialog().waitFor();
  await accessible(page, "questions", "html", ["target-size"]);
  const asked = await dialog().locator(".notice").allInnerTexts();
  assert.deepEqual(asked.slice(0, 2), ["Group “ARBIET” does not exist yet: it is created.", "Price list “STANDART” does not exist yet: it is created."]);
  assert.match(asked[2], /^STANDARD, CHF, From 1: [\d.,]+ → 10,000\.00 is more than three times apart/);
  assert.match(await dialog().innerText(), /Status: active → not active/);
  await dialog().getByRole("button", { name: "Cancel" }).click();
  assert.equal(await tiers("AB-4002", "STANDART"), undefined);
  await page.getByRole("link", { name: "Discard" }).click();
  await dialog().getByRole("button", { name: "Leave without saving" }).click();
  await page.waitForSelector('.screen[data-ready="articles"]');
});

test("an edited form is not left without a question", async () => {
  await go("#articles");
  await go("#articles/AB-4003/edit");
  await page.locator(".bar").getByText("Nothing is changed yet.").waitFor();
  const group = page.getByLabel("Group");
  const before = await group.inputValue();
  await group.fill("XYZ");
  const stays = async (leave) => {
    await leave();
    await dialog().getByText("Your changes are not saved.").waitFor();
    await dialog().getByRole("button", { name: "Stay here" }).click();
    await page.waitForFunction(() => location.hash === "#articles/AB-4003/edit");
    assert.equal(await group.inputValue(), "XYZ");
  };
  await stays(() => page.getByRole("link", { name: "Customers" }).click());
  await stays(() => page.goBack());
  await stays(() => page.getByRole("link", { name: "Discard" }).click());
  await stays(() => page.getByRole("radio", { name: "Deutsch" }).click({ force: true }));
  assert.ok(await page.getByRole("radio", { name: "English" }).isChecked());
  await stays(() => button("Log out").click());
  const asked = page.waitForEvent("dialog");
  const closed = page.evaluate(() => location.reload());
  const question = await asked;
  assert.equal(question.type(), "beforeunload");
  await question.dismiss();
  await closed;
  await page.getByRole("link", { name: "Customers" }).click();
  await dialog().getByRole("button", { name: "Leave without saving" }).click();
  await page.waitForSelector('.screen[data-ready="customers"]');
  // What is again as it was is left without one.
  await go("#articles/AB-4003/edit");
  await group.fill("XYZ");
  await group.fill(before);
  await page.locator(".bar").getByRole("link", { name: "Back" }).click();
  await page.waitForSelector('.screen[data-ready="articles"]');
  assert.equal(await dialog().count(), 0);
});

test("a new article has its prices, stock and picture at once, and what belongs to it is removed", async () => {
  await go("#articles");
  await page.getByRole("link", { name: "New article" }).click();
  await page.getByLabel("Article number").fill("NEU-1");
  await page.getByLabel("Name (German)").fill("Neuer Locher");
  await page.getByText("Other languages").click();
  await page.getByLabel("Name (French)").fill("Perforateur");
  assert.equal(await page.getByLabel("Tax code").inputValue(), "CH-NORMAL");
  await tab("Prices").click();
  await button("New price").click();
  await lastLine().getByLabel("Price", { exact: true }).fill("7.9");
  await tab("Stock").click();
  await button("New stock entry").click();
  await lastLine().getByLabel("Place").fill("A-1");
  await lastLine().getByLabel("Stock, with what is reserved").fill("12");
  await tab("Pictures and texts").click();
  const chooser = page.waitForEvent("filechooser");
  await button("New picture").click();
  await (await chooser).setFiles(fileURLToPath(new URL("erp-server/console/icon.svg", root)));
  await page.waitForFunction(() => document.querySelector("fieldset img")?.naturalWidth > 0);
  await accessible(page, "new picture", "html", ["target-size"]);
  const asked = await saved("#articles/NEU-1");
  assert.ok(asked.includes("Place “A-1” does not exist yet: it is created."));
  assert.ok(asked.some((line) => line.startsWith("Picture icon.svg: – → ")), `${asked}`);
  await page.waitForFunction(() => [...document.querySelectorAll(".media img")].some((one) => one.naturalWidth > 0));
  assert.match(await text("#main"), /Neuer Locher[^]*CHF 7\.90[^]*A-1/);
  await go("#articles/NEU-1/edit");
  await page.getByLabel("Name (German)").fill("");
  await tab("Pictures and texts").click();
  await part("icon.svg").getByRole("button", { name: "Remove" }).click();
  await tab("Stock").click();
  await lastLine().getByRole("button", { name: "Remove" }).click();
  const removed = await saved("#articles/NEU-1");
  assert.deepEqual(removed.map((line) => line.replace(/: .* → /, ": ")), ["Article NEU-1, German: removed", "Stock A-1, 1: removed", "Picture icon.svg: removed"]);
  assert.equal(await page.locator(".media").count(), 0);
  assert.deepEqual([await stored("article=NEU-1", "Bestand"), (await stored("article=NEU-1", "Artikel"))[0].Texte], [[], [{ AdrSprache: "fre", ArtBez: "Perforateur" }]]);
});

test("what an import warns of is told after a form is saved", async () => {
  await page.route("**/admin/import", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { data: { ...body.data, warnings: [{ path: "line 1", message: "WARNED" }] } } });
  });
  await go("#articles/AB-4004/edit");
  await page.getByLabel("Weight (kg)").first().fill("2,5");
  await saved("#articles/AB-4004");
  await page.getByRole("status").getByText("WARNED").waitFor();
  await looked("saved-with-warning");
  await page.unroute("**/admin/import");
});

test("a new record does not replace one that is there", async () => {
  const exported = async (asked) => (await send("GET", `/admin/export?${asked}`)).text();
  const all = ["article=AB-4001", "customer=10001", "company=true"];
  const before = await Promise.all(all.map(exported));
  const refused = async (told) => {
    await button("Save").click();
    await page.getByText(`This did not work: ${told} exists already.`, { exact: true }).waitFor();
    assert.equal(await dialog().count(), 0);
  };
  const left = async (hash) => {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await dialog().getByRole("button", { name: "Leave without saving" }).click();
    await page.waitForSelector(`.screen[data-ready="${hash.slice(1).split("/")[0]}"]`);
  };
  await go("#articles//edit");
  await page.getByLabel("Article number").fill("AB-4001");
  await refused("Article AB-4001");
  // Someone else makes the same article before this one is confirmed.
  await page.getByLabel("Article number").fill("NEU-2");
  await button("Save").click();
  await dialog().waitFor();
  await imported({ Artikel: { ArtNr: "NEU-2", ArtBez: "Theirs", AnLager: "N" } });
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Article NEU-2 exists already.").waitFor();
  assert.match(await exported("article=NEU-2"), /Theirs/);

  await left("#customers//edit");
  await page.getByLabel("Customer number").fill("10001");
  await tab("Addresses").click();
  for (const [label, value] of [["Company", "Mine"], ["Street", "Weg 2"], ["Postal code", "3011"], ["Town", "Bern"]]) {
    await part("Contact").getByLabel(label, { exact: true }).fill(value);
  }
  await refused("Customer 10001");

  await left("#articles/AB-4001/edit");
  const [{ LagerOrt, StaoNr }] = await stored("article=AB-4001", "Bestand");
  await tab("Stock").click();
  for (const place of [LagerOrt, "Z-9", "Z-9"]) {
    await button("New stock entry").click();
    await lastLine().getByLabel("Place").fill(place);
    await lastLine().getByLabel("Location").fill(`${StaoNr}`);
    await lastLine().getByLabel("Stock, with what is reserved").fill("1");
    // Two new ones of the same name are one, too.
    if (place === LagerOrt) await refused(`Stock ${LagerOrt}, ${StaoNr}`);
    if (place === LagerOrt) await lastLine().getByRole("button", { name: "Remove" }).click();
  }
  await refused(`Stock Z-9, ${StaoNr}`);

  await left("#attributes/edit");
  const [{ WUSTCode }] = await stored("company=true", "Steuer");
  await tab("Taxes and prices").click();
  await button("New tax code").click();
  const tax = page.locator("details[open]").last();
  await tax.getByLabel("Tax code").fill(WUSTCode);
  await tax.getByLabel("Valid from").fill("2026-01-01");
  await tax.getByLabel("Percent").fill("5");
  await refused(`Tax code ${WUSTCode}`);
  await left("#articles");
  assert.deepEqual(await Promise.all(all.map(exported)), before);
});

test("line ends and blanks of a text stay while it is not edited, and its lines while it is", async () => {
  const address = { AdrSprache: "ger", AdrAnrede: 0, AdrFirma: "Zeilen AG", AdrAdresse1: "Musterweg 1\nHinterhaus", OrtLand: "CH", OrtPLZ: "8001", OrtName: "Zürich" };
  const comment = "Zeile A\r\nZeile B";
  const basics = { AdrSprache: "ger", WaehrAbk: "CHF", FAKTZahlArt: "B", Kommentar: comment };
  const { data } = await (await send("POST", "/www/kunden", { GrundDaten: basics, Adressen: { KontaktAdr: address } })).json();
  const customer = async () => (await stored(`customer=${data.DebiNr}`, "Kunde"))[0];
  assert.deepEqual([(await customer()).Kommentar, (await customer()).KontaktAdr.AdrAdresse1], [comment, address.AdrAdresse1]);
  await go(`#customers/${data.DebiNr}/edit`);
  await button("Save").click();
  await page.getByText("nothing is changed.").waitFor();
  await tab("Addresses").click();
  await part("Contact").getByLabel("Street").fill("Musterweg 2\nHinterhaus");
  assert.deepEqual(await saved(`#customers/${data.DebiNr}`), [`Customer ${data.DebiNr}, Contact, Street: Musterweg 1 Hinterhaus → Musterweg 2 Hinterhaus`]);
  assert.deepEqual([(await customer()).Kommentar, (await customer()).KontaktAdr.AdrAdresse1], [comment, "Musterweg 2\nHinterhaus"]);
});

test("customer and company are edited, and a change meanwhile is not overwritten", async () => {
  await go("#customers/10001/edit");
  for (const at of [0, 1, 2]) await looked(`edit-customer-${at}`, () => page.getByRole("tab").nth(at).click());
  await tab("Prices and terms").click();
  assert.match(await page.getByLabel("Payment condition").locator("option:checked").innerText(), /^2: 10 Tage 2 % Skonto/);
  await tab("Addresses").click();
  await part("Contact").getByLabel("Street").fill("Neue Strasse 5");
  await button("Add an address").first().click();
  const added = part("Delivered to");
  assert.deepEqual(await Promise.all(["Country", "Language"].map((name) => added.getByLabel(name).inputValue())), ["CH", "ger"]);
  for (const [label, value] of [["Company", "Filiale Bern"], ["Street", "Weg 2"], ["Postal code", "3011"], ["Town", "Bern"]]) await added.getByLabel(label, { exact: true }).fill(value);
  await saved("#customers/10001");
  assert.match(await text("#main"), /Neue Strasse 5[^]*Filiale Bern/);
  await go("#attributes/edit");
  for (const at of [0, 1, 2]) await looked(`edit-company-${at}`, () => page.getByRole("tab").nth(at).click());
  await tab("Address and VAT").click();
  await page.getByLabel("Name", { exact: true }).first().fill("Neue AG");
  await send("PUT", "/admin/attributes/MEANWHILE", { Contents: "1" });
  await button("Save").click();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("someone else has changed this meanwhile").waitFor();
  await page.locator("form[data-edited]").evaluate((form) => delete form.dataset.edited);
  await go("#attributes/edit");
  await page.getByLabel("Name", { exact: true }).first().fill("Neue AG");
  // A payment condition has a line, and its other languages are folded.
  await tab("Bank and invoices").click();
  await part("Payment conditions").locator("tbody tr").first().getByText("Other languages").click();
  await part("Payment conditions").locator("tbody tr").first().getByLabel("Text (English)").fill("Net 30");
  await tab("Taxes and prices").click();
  await button("New tax code").click();
  const tax = page.locator("details[open]").last();
  await tax.getByLabel("Tax code").fill("CH-TEST");
  await tax.getByLabel("Tax return of").selectOption("Others");
  await tax.getByLabel("Valid from").fill("2026-01-01");
  await tax.getByLabel("Percent").fill("5");
  await tax.getByLabel("Category in e-invoices").selectOption("E: exempt");
  const asked = await saved("#attributes");
  assert.ok(asked.includes("Company, Payment conditions, No. 1, English, Text: 30 days net → Net 30"), `${asked}`);
  await go("#attributes/edit?Steuer.CH-TEST.Kategorie");
  const folded = page.locator("details[open]", { hasText: "Tax code CH-TEST" });
  assert.equal(await page.evaluate(() => document.activeElement.value), "E");
  await folded.getByLabel("Percent").fill("five");
  await folded.getByText("Tax code CH-TEST").click();
  await tab("Address and VAT").click();
  await button("Save").click();
  await folded.locator('[name$=WUSTSatz][aria-invalid="true"]').waitFor();
  assert.match(wrong.splice(0).join(), /status of 422/);
  await folded.getByLabel("Percent").fill("5");
});

test("an IBAN is checked at its field, and a VAT identifier that looks wrong is asked about", async () => {
  await go("#attributes/edit?Firma.IBAN");
  await page.waitForFunction(() => document.activeElement?.name === "Firma.IBAN");
  const { IBAN, UStIdNr } = await company();
  await page.getByLabel("IBAN", { exact: true }).fill(IBAN.replace(/\d$/, (last) => `${(Number(last) + 1) % 10}`));
  await tab("Taxes and prices").click();
  await button("Save").click();
  await page.getByText("is no IBAN").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.ariaInvalid), "true");
  assert.match(wrong.splice(0).join(), /status of 422/);
  await page.getByLabel("IBAN", { exact: true }).fill(IBAN);
  await tab("Address and VAT").click();
  for (const [id, odd] of [["CHE-123.456.789 MWST", true], ["CHE-123.456.788", false], ["CHE123456788TVA", false], ["ATU1234567", true], ["ATU12345678", false], ["DE12345678", true], ["DE123456789", false], ["123.456.788", true]]) {
    await page.getByLabel("VAT identifier").fill(id);
    await button("Save").click();
    await dialog().waitFor();
    assert.equal(await dialog().locator(".notice").count(), odd ? 1 : 0, id);
    await dialog().getByRole("button", { name: "Cancel" }).click();
  }
  await page.getByLabel("VAT identifier").fill(UStIdNr);
  await page.locator(".bar").getByText("Nothing is changed yet.").waitFor();
});

test("the logo of the invoices is seen, exchanged and taken away, and a wrong one is refused", async () => {
  const shown = page.getByRole("img", { name: "Logo of the invoices" });
  const open = () => go("#attributes/edit?Firma.Logo");
  await open();
  await shown.waitFor();
  const chosen = (name, mimeType, buffer) => page.getByLabel("Logo of the invoices").and(page.locator("input")).setInputFiles({ name, mimeType, buffer });
  await chosen("a.png", "image/png", Buffer.from("no picture"));
  await page.locator(".bar").getByText("1 change").waitFor();
  await button("Save").click();
  await page.getByText("neither a PNG nor a JPEG").waitFor();
  assert.match(wrong.splice(0).join(), /status of 422/);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";
  await chosen("b.png", "image/png", Buffer.from(pixel, "base64"));
  const seen = await shown.elementHandle();
  await page.waitForFunction((picture) => picture.naturalWidth === 1, seen);
  assert.deepEqual(await saved("#attributes"), ["Company, Logo of the invoices: another picture → another picture"]);
  assert.equal((await company()).Logo, pixel);
  await open();
  await shown.waitFor();
  await shown.locator("..").getByRole("button", { name: "Remove" }).click();
  await shown.waitFor({ state: "hidden" });
  await saved("#attributes");
  assert.equal((await company()).Logo, undefined);
});

test("a user is added, changed and removed", async () => {
  await go("#users");
  await looked("users");
  await page.locator("[name=name]").fill("a:b");
  await button("Add the user").click();
  await page.locator('[name="name"][aria-invalid="true"]').waitFor();
  await page.locator("[name=name]").fill(`${HOSTILE}2`);
  await button("Add the user").click();
  assert.match(await text(".secret"), /^[\w-]{20,}$/);
  await page.getByRole("link", { name: `${HOSTILE}2` }).click();
  await page.getByRole("heading", { name: `User ${HOSTILE}2` }).waitFor();
  await page.getByLabel("Role").selectOption("admin");
  await button("Save").click();
  await page.getByText("Saved.").waitFor();
  await looked("user");
  assert.equal(await page.getByLabel("Role").inputValue(), "admin");
  await page.locator("[name=password]").fill(" geheim-Rand-1 ");
  await button("Set the password").click();
  await page.locator(".state", { hasText: "Saved." }).waitFor();
  const basic = Buffer.from(`${HOSTILE}2: geheim-Rand-1 `).toString("base64");
  const login = await fetch(`${server.base}/www/token`, { method: "POST", headers: { Authorization: `Basic ${basic}` } });
  assert.equal(login.status, 200, "blanks of a password count");
  await button("Remove the user").click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.waitForSelector('.screen[data-ready="users"] [name="name"]');
  assert.equal(await page.getByRole("link", { name: `${HOSTILE}2` }).count(), 0);
});

test("receivers of events are added, tested and removed, and events sent again", async () => {
  await go("#events");
  await page.locator("select[name=state]").selectOption("");
  await button("Show").click();
  await page.getByText("No receiver for it.").first().waitFor();
  await page.getByLabel("URL").fill("not an address");
  await button("Add the receiver").click();
  await page.locator('[name="url"][aria-invalid="true"]').waitFor();
  await page.getByLabel("URL").fill("https://receiver.invalid/hook");
  await page.getByLabel("Events of").selectOption({ label: "All" });
  await button("Add the receiver").click();
  assert.match(await text(".secret"), /^whsec_/);
  await button("Test").click();
  await page.locator("td .badge.wrong", { hasText: "no connection" }).waitFor();
  await button("Send again").first().click();
  await page.getByText("1 delivery begins.").waitFor();
  await send("PUT", "/admin/attributes/REST_Rech", { Contents: "1" });
  const placed = await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 1 }] });
  const { AuftNr } = (await placed.json()).data;
  const { RechNr } = (await (await send("POST", `/admin/auftrag/${AuftNr}/rechnung`)).json()).data;
  // An event is listed a moment after its record is written.
  const isListed = async () => (await (await send("GET", "/admin/events?limit=1000")).text()).includes('"RechNr"');
  for (let tries = 0; !(await isListed()); tries += 1) {
    assert.ok(tries < 600, "the event of the invoice");
    await page.waitForTimeout(100);
  }
  await button("Show").click();
  await page.getByRole("cell", { name: `Invoice ${RechNr}`, exact: true }).waitFor();
  await looked("events");
  await button("Switch off").click();
  await button("Switch on").waitFor();
  await button("Show").click();
  await page.getByText("receiver off or removed").first().waitFor();
  assert.equal(await page.getByRole("link", { name: `Invoice ${RechNr}` }).first().getAttribute("href"), `#bills/${RechNr}`);
  const file = await savedFile();
  assert.equal(file.name, "events.csv");
  assert.match(file.text, new RegExp(`^\u{feff}Time;Record;By;Deliveries;Event\r\n[^]*;Invoice ${RechNr};admin;receiver off or removed receiver 1`, "u"));
  await button("Remove").click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No system receives events.").waitFor();
});

test("an import is tried at once, refused by line, made and listed", async () => {
  await go("#import");
  const columns = "PreisListe;ArtNr;WaehrAbk;AbAnzahl;PreisList;Preisart";
  const choose = (name, content) => page.getByLabel("Choose a file").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content, "latin1") });
  const kind = page.getByLabel("What the table holds");
  await choose("preis.csv", `${columns}\nSTANDARD;X-1;CHF;1;twelve;N\n`);
  await page.getByText("1 problem. Nothing was imported.").waitFor();
  assert.match(await text('[aria-label="Problems"] tbody'), /^2\s+PreisList\s+.*number/);
  assert.equal(await button("Import").count(), 0);
  // As a German spreadsheet writes it, under a name that tells nothing.
  await choose("Neu.csv", `${columns}\r\nSTANDARD;X-1;CHF;1;1.012,50;N\r\n`);
  await page.getByText("The file is fine. 1 row: 1 added. Nothing is stored yet.").waitFor();
  assert.equal(await kind.inputValue(), "Preis");
  assert.match(await text('[aria-label^="Prices: the first rows"]'), /Article number[^]*Price list[^]*X-1[^]*1012\.5[^]*STANDARD/);
  await lookedAt("import-tried");
  // Another kind is tried at once, too.
  await kind.selectOption("Bestand");
  await page.getByText(/\d problems?\. Nothing was imported\./).waitFor();
  assert.equal(await button("Import").count(), 0);
  await kind.selectOption("Preis");
  await button("Import").click();
  await page.getByText("Imported. 1 row: 1 added.").waitFor();
  assert.equal(await button("Import").count(), 0);
  assert.equal((await (await send("GET", "/www/artikel/X-1")).json()).data.Preis[0].PreisList, 1012.5);
  const runs = page.getByRole("region", { name: "Runs before" }).locator("tbody tr");
  await runs.first().locator(".badge", { hasText: "done" }).waitFor();
  // Columns that fit several kinds: as the name begins, else articles. What an import would empty is a warning.
  await choose("Liste.csv", "Artikelnummer;Bezeichnung\r\nX-1;Neu\r\nLM-3001;Kaffee\r\n");
  await page.locator(".notice.warn", { hasText: /ArtGruppe/ }).waitFor();
  assert.equal(await kind.inputValue(), "Artikel");
  await choose("Kundenliste.csv", "Kundennummer;Name\r\n10001;M\xfcller\r\n");
  await page.locator("[role=status] .notice", { hasText: "Nothing was imported." }).waitFor();
  assert.equal(await kind.inputValue(), "Kunde");
  const [empty] = await Promise.all([page.waitForEvent("download"), button("Prices").click()]);
  assert.equal(empty.suggestedFilename(), "Preis.csv");
  assert.match(readFileSync(await empty.path(), "utf8"), /^\u{feff}[^\n]*PreisListe;[^\n]*PreisList\b[^\n]*\r?\n$/u);
  assert.ok(wrong.splice(0).every((line) => /status of 4(00|22)/.test(line)));
  await looked("import");
});

test("the company is shown in cards, with its attributes and the settings", async () => {
  await go("#attributes");
  assert.match(await text("#main"), /Everything that invoices need is there[^]*Address and VAT[^]*CHE-123\.456\.788[^]*Bank and invoices[^]*CH93 0076 2011 6238 5295 7[^]*Taxes and prices[^]*Advanced/);
  await looked("attributes", () => page.locator("details").evaluateAll((all) => all.forEach((fold) => (fold.open = true))));
  assert.match(await text("#main"), /token_lifetime_seconds/);
  await page.getByRole("link", { name: "Edit: Advanced" }).click();
  await page.waitForFunction(() => document.activeElement?.name === "Firma.StaoNr");
  await button("Add a line").locator("visible=true").click();
  await lastLine().getByLabel("Name").fill("TEST");
  await lastLine().getByLabel("Contents").fill("1");
  assert.deepEqual(await saved("#attributes"), ["Company, Attributes, TEST: – → TEST, 1"]);
  assert.match(await text("#main"), /TEST\s+1/);
});

test("changes are sentences with old and new values, which are put back unless they have changed since", async () => {
  const kept = await tiers("AB-4005", "STANDARD");
  const store = (price) => imported({ Preisliste: { PreisListe: "STANDARD", ArtNr: "AB-4005", Preis: kept.map((tier, at) => (at === 0 ? { ...tier, PreisList: price } : tier)) } });
  await send("POST", "/admin/users", { name: "audited", role: "shop" });
  await store(990);
  await go("#audit");
  const first = page.locator("tbody tr").first();
  const said = /admin changed the price of AB-4005 in STANDARD\s*CHF, From 1, Price: 9\.60 → 990\.00/;
  assert.match(await first.innerText(), said);
  await looked("audit");
  assert.match(await text("#main"), /admin added user audited/);
  await first.getByText("Details").click();
  assert.match(await first.innerText(), /POST \/admin\/import/);
  await first.getByRole("button", { name: "Put back" }).click();
  assert.deepEqual(await dialog().locator("li").allInnerTexts(), ["CHF, From 1, Price: 990.00 → 9.60"]);
  await accessible(page, "put back", "html", ["target-size"]);
  await dialog().getByRole("button", { name: "Put back" }).click();
  await page.getByText("Put back: the price of AB-4005 in STANDARD").waitFor();
  await first.getByText("admin put back the price of AB-4005 in STANDARD").waitFor();
  assert.deepEqual(await tiers("AB-4005", "STANDARD"), kept);
  // What was changed since is not lost.
  await store(7);
  await page.getByRole("row").filter({ hasText: said }).first().getByRole("button", { name: "Put back" }).click();
  await dialog().getByRole("button", { name: "Put back" }).click();
  await page.getByText("It has changed since. It is now: CHF, From 1, Price: 7.00").waitFor();
  assert.match(wrong.splice(0).join(), /status of 409/);
  assert.equal((await tiers("AB-4005", "STANDARD"))[0].PreisList, 7);
  // The name of a price list may have blanks.
  const blanks = { PreisListe: "Händler neu", ArtNr: "AB-4005" };
  await imported({ Preisliste: { ...blanks, Preis: [{ WaehrAbk: "CHF", AbAnzahl: 1, PreisList: 8, Preisart: "N" }] } });
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await first.getByText("admin changed the price of AB-4005 in Händler neu").waitFor();
  assert.equal(await first.getByRole("link").getAttribute("href"), "#articles/AB-4005");
  await imported({ Preisliste: { ...blanks, Preis: [] } });
  // The article has its own, with those of its prices.
  await go("#articles/AB-4005");
  await page.getByRole("link", { name: "Who changed it" }).click();
  await page.getByRole("row").filter({ hasText: said }).first().waitFor();
  assert.doesNotMatch(await text("#main tbody"), /logged in/);
});

test("whatever changes something has a sentence", async () => {
  const { paths } = await (await send("GET", "/openapi.json")).json();
  const operations = Object.entries(paths).flatMap(([path, all]) => Object.keys(all).filter((method) => /^(post|put|patch|delete)$/.test(method)).map((method) => `${method.toUpperCase()} ${path}`));
  const keys = operations.map((operation) => `did_${operation.replace(/\{\w+\}/g, "").match(/\w+/g).join("_")}`);
  // They change no record that the audit trail names.
  const silent = ["did_POST_admin_backup_confirm", "did_POST_admin_media", "did_DELETE_www_log", "did_POST_www_zugferd"];
  const words = JSON.parse(readFileSync(new URL("words.json", folder), "utf8"));
  assert.deepEqual(keys.filter((key) => !(key in words) && !silent.includes(key)), []);
});

test("changes and log lines are listed", async () => {
  await go("#audit");
  await page.getByLabel("Record").fill("Auftrag 100001");
  await button("Search").click();
  await page.getByText("3 shown").waitFor();
  const changes = await savedFile();
  assert.equal(changes.name, "changes.csv");
  assert.match(changes.text, /^\u{feff}Time;By;Operation;Records;Request\r\n[^]*;admin;PUT \/admin\/auftrag\/\{AuftNr\}\/status;Auftrag 100001;/u);
  assert.equal(changes.text.trim().split("\r\n").length, 4);
  await go("#log");
  await looked("log");
  const lines = () => text("#main tbody");
  assert.match(await lines(), /POST.*\/admin\/import/);
  assert.doesNotMatch(await lines(), /GET (?!route=\/openapi\.json).* status=200|route=page/);
  await page.getByLabel("Text").fill("POST /www/AUFTRAG");
  await button("Show").click();
  await page.getByText("There are no lines.").waitFor();
  await page.getByLabel("Text").fill("POST route=/www/AUFTRAG");
  await button("Show").click();
  await page.getByText("3 shown").waitFor();
  const log = await savedFile();
  assert.equal(log.name, "log.csv");
  assert.match(log.text, /^\u{feff}Time;Level;Message\r\n[^]*;INFO;[^;]*POST route=\/www\/auftrag/u);
  assert.equal(log.text.trim().split("\r\n").length, 4);
  await page.getByLabel("Text").fill("");
  await page.getByLabel("Level").selectOption({ label: "All" });
  await button("Show").click();
  await page.getByText("GET route=/admin/log").first().waitFor();
  await page.getByLabel("Level").selectOption("error");
  await button("Show").click();
  await page.getByText("There are no lines.").waitFor();
});

/** The hour and minute of a time in St. John's, which is UTC-3:30 in winter and UTC-2:30 in summer. */
const clock = (text, hours) => new Date(Date.parse(text) - (hours * 60 + 30) * 60_000).toISOString().slice(11, 16);

test("times are those of the browser's zone, which the page names", async () => {
  const answered = page.waitForResponse((response) => response.url().includes("/admin/audit"));
  await go("#audit");
  const { data } = await (await answered).json();
  const times = data.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().reverse(), "the newest first");
  const [at] = times;
  const shown = await text("#main tbody tr:first-child");
  assert.ok([2, 3].some((hours) => shown.includes(`${clock(at, hours)}:`)), `${at}: ${shown}`);
  assert.match(await text("footer"), /^Times are shown in the time zone America\/St_Johns \(UTC-0[23]:30\)\.$/);
  // The 8th of March has 23 hours there.
  await page.getByLabel("From").fill("2026-03-08");
  await page.getByLabel("Until").fill("2026-03-08");
  const asked = page.waitForRequest((request) => request.url().includes("/admin/audit"));
  await button("Search").click();
  const { searchParams } = new URL((await asked).url());
  assert.deepEqual(["since", "until"].map((name) => searchParams.get(name)), ["2026-03-08T03:30:00.000Z", "2026-03-09T02:30:00.000Z"]);
});

test("a backup is made, saved and confirmed", async () => {
  await go("#backup");
  await looked("backup");
  const [saved] = await Promise.all([page.waitForEvent("download"), button("Make and download").click()]);
  const file = join(server.folder, saved.suggestedFilename());
  await saved.saveAs(file);
  const bytes = readFileSync(file);
  for (const [content, told] of [[bytes.subarray(1), "the file is damaged"], [bytes.subarray(0, 1_000), "its end is missing"]]) {
    writeFileSync(join(server.folder, "damaged.tar.gz"), content);
    await page.getByLabel("Choose a file").setInputFiles(join(server.folder, "damaged.tar.gz"));
    await page.locator(".failure", { hasText: told }).waitFor();
  }
  await page.getByLabel("Choose a file").setInputFiles(file);
  await page.getByText(/is complete and holds everything up to commit \d+\./).waitFor();
  await page.getByText("There is no verified backup yet.").waitFor({ state: "hidden" });
});

test("an e-invoice is read and checked", async () => {
  await go("#invoices");
  const chosen = page.getByLabel("Choose a file");
  await chosen.setInputFiles(fileURLToPath(new URL("tests/fixtures/check/valid.xml", root)));
  await page.getByText("valid.xml: the invoice is valid.").waitFor();
  assert.match(await text("#main"), /Mühle Beispiel GmbH[^]*EUR 160\.60/);
  await chosen.setInputFiles(fileURLToPath(new URL("tests/fixtures/zugferd/hybrid-facturx-en16931.pdf", root)));
  await page.getByText("hybrid-facturx-en16931.pdf: the invoice is not valid.").waitFor();
  assert.match(await text("#main"), /BR-CO-10[^]*Invoice 4711[^]*2 Jan 2026/);
  const [saved] = await Promise.all([page.waitForEvent("download"), button("Save the XML").click()]);
  assert.equal(saved.suggestedFilename(), "hybrid-facturx-en16931.xml");
  const [report] = await Promise.all([page.waitForEvent("download"), button("Save the report").click()]);
  assert.equal(report.suggestedFilename(), "hybrid-facturx-en16931.pdf.html");
  assert.match(readFileSync(await report.path(), "utf8"), /<html lang="en"[^]*BR-CO-10/);
  for (const [sample, verdict] of [
    ["A valid XML", "sample-valid.xml: the invoice is valid."],
    ["A broken XML", "sample-broken.xml: the invoice is not valid."],
    ["A PDF", "sample.pdf: the invoice is valid."],
  ]) {
    await button(sample).click();
    await page.getByText(verdict).waitFor();
  }
  await looked("invoices");
  await button("A broken XML").click();
  await page.getByText("sample-broken.xml: the invoice is not valid.").waitFor();
  await lookedAt("invoice-broken");
  // Long paths break between their steps.
  assert.ok(await page.locator(".path span").evaluateAll((all) => all.length > 20 && all.every((one) => one.offsetHeight < 30)));
  await chosen.setInputFiles(fileURLToPath(new URL("tests/fixtures/check/ubl-credit-note.xml", root)));
  await page.getByText("ubl-credit-note.xml: the invoice is valid.").waitFor();
  const facts = /UBL 2\.1[^]*EN 16931 UBL[^]*Invoice G-1[^]*1 Mar 2026[^]*Seller[^]*Buyer[^]*EUR 195\.00[^]*EUR 234\.00[^]*Chair/;
  assert.match(await text("#main"), facts);
});

test("an order is canceled", async () => {
  const placed = await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 1 }] });
  const { data } = await placed.json();
  await go(`#orders/${data.AuftNr}`);
  const dialog = page.getByRole("dialog");
  await button("Cancel the order").click();
  await dialog.getByRole("button", { name: "Keep the order", exact: true }).click();
  await page.locator(".badge", { hasText: "New" }).waitFor();
  await button("Cancel the order").click();
  await dialog.getByRole("button", { name: "Cancel the order" }).click();
  await page.locator(".badge", { hasText: "Canceled" }).waitFor();
  for (const move of ["Set to open", "Complete", "Cancel the order"]) assert.equal(await button(move).count(), 0);
  const note = page.getByLabel("No shop sees it");
  await note.fill("Calls back\non Monday");
  await button("Save").click();
  // The order has moved since its note was read, but not the note.
  await page.getByText("Saved.", { exact: true }).waitFor();
  await looked("order");
  await go("#orders");
  await go(`#orders/${data.AuftNr}`);
  assert.equal(await note.inputValue(), "Calls back\non Monday");
  await send("PUT", `/admin/auftrag/${data.AuftNr}/note`, { note: "Has paid" });
  await note.fill("Calls back on Friday");
  await button("Save").click();
  await page.getByText("someone else has changed the note meanwhile.").waitFor();
  await page.getByText("Has paid", { exact: true }).waitFor();
  assert.equal(await note.inputValue(), "Calls back on Friday");
  const noted = async () => (await (await send("GET", `/admin/auftrag/${data.AuftNr}/note`)).json()).data.note;
  assert.equal(await noted(), "Has paid");
  await button("Save").click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  assert.equal(await noted(), "Calls back on Friday");
  await note.fill("Calls back on Sunday");
  await button("Save").click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  assert.equal(await noted(), "Calls back on Sunday");
  const refused = wrong.splice(0);
  assert.ok(refused.length === 2 && refused.every((line) => /status of 412/.test(line)), `${refused}`);
  await go("#orders");
  await show("Canceled");
  await page.getByText("1 shown").waitFor();
});

test("an order that changed since it was shown is not moved, and what changed is shown", async () => {
  const { data } = await (await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 12 }] })).json();
  await go(`#orders/${data.AuftNr}`);
  const note = page.getByLabel("No shop sees it");
  await note.fill("Mine");
  await button("Save").click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  // An own note is no change of someone else.
  await setToOpen();
  await page.locator(".badge", { hasText: "Open" }).waitFor();
  await send("PUT", `/admin/auftrag/${data.AuftNr}/note`, { note: "Do not send" });
  const cancel = () => sure("Cancel the order");
  await cancel();
  await page.getByText("the order has been changed meanwhile. Its state is now “Open”.").waitFor();
  await page.waitForFunction(() => document.querySelector("[name=note]").value === "Do not send");
  await page.locator(".badge", { hasText: "Open" }).waitFor();
  await cancel();
  await page.locator(".badge", { hasText: "Canceled" }).waitFor();
  assert.match(wrong.splice(0).join(), /status of 412/);
});

test("the invoice of an order is made and saved as XML", async () => {
  const placed = await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 1 }] });
  const { data } = await placed.json();
  await go(`#orders/${data.AuftNr}`);
  // An order that another operator moved is looked at again first.
  await send("PUT", `/admin/auftrag/${data.AuftNr}/status`, { AuftStatus: "O" });
  await sure("Make the invoice");
  await page.getByText("the order has been changed meanwhile. Its state is now “Open”.").waitFor();
  assert.match(wrong.splice(0).join(), /status of 412/);
  await button("Make the invoice").click();
  await page.getByRole("dialog").getByText("An invoice cannot be removed, only canceled by a credit note.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.equal(await page.getByRole("link", { name: /^Invoice \d/ }).count(), 0);
  await page.route("**/rechnung", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    answer.data.Hinweis = "its day is before that of the last invoice";
    await route.fulfill({ response, json: answer });
  });
  await sure("Make the invoice");
  await page.getByText("its day is before that of the last invoice").waitFor();
  await page.unroute("**/rechnung");
  const own = page.getByRole("link", { name: /^Invoice \d+$/ });
  assert.match(await own.getAttribute("href"), /^#bills\/\d+$/);
  const file = button("XML");
  const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
  assert.match(download.suggestedFilename(), /^rechnung-\d+\.xml$/);
  assert.match(readFileSync(await download.path(), "utf8"), /<ram:TypeCode>380</);
  const [pdf] = await Promise.all([page.waitForEvent("download"), button("PDF").click()]);
  assert.match(readFileSync(await pdf.path(), "latin1"), /^%PDF-1\.7/);
  assert.equal(await button("Make the invoice").count(), 0);
  await looked("invoiced");
  // The same invoice on a day long before its own.
  const stillToCome = page.getByText(/^Invoice \d+ is of .*, which is still to come/);
  assert.equal(await stillToCome.count(), 0);
  await page.clock.setFixedTime(Date.now() - 3 * 86_400_000);
  await go(`#orders/${data.AuftNr}`);
  await stillToCome.waitFor();
  await looked("invoice-of-future");
  await page.clock.setSystemTime(Date.now());
  await go(`#orders/${data.AuftNr}`);
  await file.waitFor();
  assert.equal(await stillToCome.count(), 0);
  await sure("Cancel the order");
  await page.getByText(/\(409\): order \d+ has the invoice \d+; cancel that first, with a credit note$/).waitFor();
  await page.locator(".badge", { hasText: "Open" }).waitFor();
  assert.match(wrong.splice(0).join(), /status of 409/);
});

test("why an invoice is refused is told at its button, with a link to each field", async () => {
  const whole = await company();
  const { AdrAdresse1, OrtPLZ, OrtName, UStIdNr, SteuerNummer, ...poor } = whole;
  const store = (row) => send("POST", "/admin/import", JSON.stringify(row), "application/x-ndjson");
  await store({ Firma: poor });
  await store({ Steuer: { WUSTCode: "O.1", PosWUSTKlasse: "X", Saetze: [{ GueltigAb: "2020-01-01", WUSTSatz: 0 }], Kategorie: "E" } });
  await store({ Artikel: { ArtNr: "E-1", ArtBez: "Exempt", AnLager: "N", WUSTCode: "O.1" } });
  const positions = [{ ArtNr: "E-1", Menge: 1, Preis: 5 }, { ArtNr: "BU-1002", Menge: 12 }];
  const { data } = await (await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: positions })).json();
  const hash = `#orders/${data.AuftNr}`;
  await go(hash);
  const refusal = page.locator(".screen > .failure");
  await sure("Make the invoice");
  await refusal.getByText("The server refused it (422), because:").waitFor();
  assert.ok(await refusal.evaluate((shown) => shown.getBoundingClientRect().top >= 0 && shown.getBoundingClientRect().bottom <= innerHeight));
  await accessible(page, "refused invoice", "html", ["target-size"]);
  const lacks = ["Street", "Postal code", "Town", "VAT identifier"];
  const ofTax = "Tax code O.1, Why no tax is charged";
  const links = () => refusal.getByRole("link").allInnerTexts();
  assert.deepEqual((await links()).toSorted(), [...lacks.map((field) => `Company, ${field}`), ofTax].toSorted());
  assert.equal(await refusal.locator("li").count(), 5);
  await refusal.getByRole("link", { name: ofTax }).click();
  await page.waitForFunction(() => document.activeElement?.name === "Steuer.O.1.BefreiungsGrund");
  // The company's page says the same before any order.
  await go("#attributes");
  const told = page.locator(".notice", { hasText: "Invoices need:" });
  assert.deepEqual(await told.getByRole("link").allInnerTexts(), lacks);
  await looked("company-lacks");
  await told.getByRole("link", { name: "Postal code" }).click();
  await page.waitForFunction(() => document.activeElement?.name === "Firma.OrtPLZ");
  assert.equal(await page.getByText("Invoices need this.").count(), 4);
  await looked("edit-company-lacks");
  await page.getByLabel("Deutsch").check();
  await go(hash);
  await sure("Rechnung erstellen");
  await page.getByText("Firma, Ort: dieses Feld ist erforderlich").waitFor();
  await page.getByLabel("English").check();
  await store({ Firma: whole });
  await store({ Steuer: { WUSTCode: "O.1", PosWUSTKlasse: "X", Saetze: [{ GueltigAb: "2020-01-01", WUSTSatz: 0 }], Kategorie: "E", BefreiungsGrund: [{ AdrSprache: "ger", Text: "befreit" }] } });
  await go(hash);
  await sure("Make the invoice");
  await page.getByRole("link", { name: /^Invoice \d+$/ }).waitFor();
  await go("#attributes");
  assert.equal(await told.count(), 0);
  const refused = wrong.splice(0);
  assert.ok(refused.length === 2 && refused.every((line) => /status of 422/.test(line)), `${refused}`);
});

test("invoices are listed and looked at, and a credit note cancels one", async () => {
  const invoiced = async () => {
    const { data } = await (await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 1 }] })).json();
    const made = await (await send("POST", `/admin/auftrag/${data.AuftNr}/rechnung`)).json();
    return { order: data.AuftNr, number: made.data.RechNr };
  };
  const kept = await invoiced();
  const { order, number } = await invoiced();
  await go("#bills");
  const row = (number) => page.locator("tbody tr", { has: page.getByRole("link", { name: number, exact: true }) });
  assert.match(await row(number).innerText(), /Invoice[^]*10001[^]*Treuhand Beispiel AG/);
  await looked("bills");
  await page.getByLabel("Customer", { exact: true }).fill("sonnen");
  await page.getByLabel("Order", { exact: true }).fill(order);
  await button("Search").click();
  await page.getByText("1 shown").waitFor();
  await page.getByLabel("Invoice", { exact: true }).fill(kept.number);
  await button("Search").click();
  await row(kept.number).waitFor();
  await page.getByLabel("Invoice", { exact: true }).fill("4711");
  await button("Search").click();
  await page.getByText("No invoice found.").waitFor();
  await go("#bills");
  // Several customers have such a name.
  await page.getByLabel("Customer", { exact: true }).fill("AG");
  await button("Search").click();
  await page.getByText(/^\d+ shown$/).waitFor();
  assert.match(await page.locator("tbody a").first().getAttribute("href"), /^#bills\?customer=\d+$/);

  await go(`#bills/${number}`);
  await page.getByRole("heading", { name: `Invoice ${number}` }).waitFor();
  const shown = await text("#main");
  for (const said of ["Payment condition", "Due on", "VAT 8.1 % on", "BU-1002", "Seller", "CHE-123.456.788 MWST", "Buyer", "Delivered to", `${order}`]) assert.ok(shown.includes(said), `${said} in ${shown}`);
  await looked("bill");
  for (const [form, begin] of [["PDF", "%PDF-1.7"], ["XML", "<?xml"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), button(form).click()]);
    assert.equal(download.suggestedFilename(), `rechnung-${number}.${form.toLowerCase()}`);
    assert.ok(readFileSync(await download.path(), "latin1").startsWith(begin));
  }
  const dialog = page.getByRole("dialog");
  await button("Make a credit note").click();
  await dialog.getByText("can never be removed").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  const cancel = async () => {
    await button("Make a credit note").click();
    await dialog.getByRole("button", { name: "Make a credit note" }).click();
  };
  const refusal = { error: "invalid", error_description: "2 rules", info: { problems: [{ path: "Firma.OrtPLZ", message: "is missing" }, { path: "", message: "no number is left" }] } };
  await page.route("**/gutschrift", (route) => route.fulfill({ status: 422, json: refusal }));
  await cancel();
  await page.locator(".heading + div .failure", { hasText: /Postal code: is missing[^]*no number is left/ }).waitFor();
  await page.unroute("**/gutschrift");
  await page.route("**/gutschrift", async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, Hinweis: "its day is before that of the last invoice" } } });
  });
  await cancel();
  await page.getByRole("heading", { name: /^Credit note \d+$/ }).waitFor();
  await page.waitForSelector(".screen[data-ready=bills]");
  await page.getByText("its day is before that of the last invoice").waitFor();
  await page.unroute("**/gutschrift");
  assert.equal(await button("Make a credit note").count(), 0);
  assert.doesNotMatch(await text("#main"), /Due on|IBAN/);
  await looked("credit-note");
  await page.getByRole("link", { name: `for invoice ${number}` }).click();
  await page.getByRole("heading", { name: `Invoice ${number}` }).waitFor();
  await page.getByRole("link", { name: /^Credit note \d+$/ }).waitFor();
  assert.equal(await button("Make a credit note").count(), 0);
  await go("#customers/10001");
  await page.getByRole("link", { name: "Invoices of this customer" }).click();
  await page.waitForSelector(".screen[data-ready=bills]");
  assert.match(await row(number).innerText(), /Canceled[^]*Credit note \d+/);
  const { text: file } = await savedFile();
  assert.match(file, new RegExp(`^\\d+;Credit note;[^;]*;Treuhand Beispiel AG;${order};-[\\d.]+;[^;]*;-[\\d.]+;CHF;10001;\r$`, "m"));
  assert.match(file, new RegExp(`^${number};Invoice;[^;]*;Treuhand Beispiel AG;${order};[\\d.]+;[^;]*;[\\d.]+;CHF;10001;\\d+\r$`, "m"));
  assert.ok(wrong.splice(0).every((line) => /status of (404|422)/.test(line)));
});
const placed = async (KundNr, Positionen = [{ ArtNr: "BU-1002", Menge: 1 }], head = {}) =>
  (await (await send("POST", "/www/auftrag", { GrundDaten: { KundNr, ...head }, Positionen })).json()).data.AuftNr;
const moved = (number, AuftStatus) => send("PUT", `/admin/auftrag/${number}/status`, { AuftStatus });
const chosen = (number) => page.getByLabel(`Choose order ${number}`);
const rowOf = (number) => page.locator("tbody tr", { hasText: number });

test("many orders are chosen in the list and moved on", async () => {
  const [first, second] = [await placed("10006"), await placed("10006")];
  await go("#orders");
  await page.getByLabel("Find orders").fill("10006");
  await button("Search").click();
  await page.getByText("2 shown").waitFor();
  // What can be done is there when something is chosen.
  assert.equal(await button("Set to open").isVisible(), false);
  await chosen(second).check();
  await page.getByText("1 chosen").waitFor();
  await lookedAt("orders-chosen");
  await sure("Set to open");
  await page.getByText("1 moved.").waitFor();
  await rowOf(second).locator(".badge", { hasText: "Open" }).waitFor();
  assert.equal(await chosen(second).isChecked(), false);
  // One of them was moved meanwhile: the other moves all the same.
  await page.getByLabel("Choose all").check();
  await page.getByText("2 chosen").waitFor();
  assert.equal(await button("Set to open (1)").isVisible(), true);
  await moved(first, "A");
  await sure("Cancel the order");
  await page.getByText(`an order in state A cannot become S`).waitFor();
  await page.locator(".failure").getByRole("link", { name: first }).waitFor();
  await lookedAt("orders-refused");
  await page.getByText("1 moved.").waitFor();
  await rowOf(second).locator(".badge", { hasText: "Canceled" }).waitFor();
});

test("invoices of all that are found are made, those that are refused say why, and it can be stopped", async () => {
  const store = (row) => send("POST", "/admin/import", JSON.stringify(row), "application/x-ndjson");
  const tax = { WUSTCode: "O.2", PosWUSTKlasse: "X", Saetze: [{ GueltigAb: "2020-01-01", WUSTSatz: 0 }], Kategorie: "E" };
  await store({ Steuer: tax });
  await store({ Artikel: { ArtNr: "E-2", ArtBez: "Exempt", AnLager: "N", WUSTCode: "O.2" } });
  // What was completed before the first invoice was not invoiced here.
  await send("POST", `/admin/auftrag/${await placed("10006")}/rechnung`);
  const wrongOnes = [await placed("10008", [{ ArtNr: "E-2", Menge: 1, Preis: 5 }]), await placed("10008", [{ ArtNr: "E-2", Menge: 2, Preis: 5 }])];
  const good = [];
  for (let count = 0; count < 4; count += 1) good.push(await placed("10008"));
  for (const number of [...wrongOnes, ...good]) await moved(number, "A");
  await go("#orders?status=toInvoice&search=10008");
  await page.getByText("6 shown").waitFor();
  await page.getByLabel("Choose all").check();
  await page.getByText("6 chosen").waitFor();
  // The second one is held until it was stopped.
  let held;
  const isHeld = new Promise((resolve) => (held = resolve));
  await page.route("**/admin/auftrag/*/rechnung", async (route) => {
    if (route.request().url().includes(good[1])) await new Promise((resolve) => held(resolve));
    return route.continue();
  });
  await button("Make the invoices").click();
  await page.getByRole("dialog").getByText("Make the invoices of 6 orders?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Make the invoices" }).click();
  const goOn = await isHeld;
  await page.getByText("4 of 6 …").waitFor();
  await accessible(page, "invoices in work", "html", ["target-size"]);
  await button("Stop").click();
  goOn();
  await page.getByText("2 invoices made.").waitFor();
  await page.unroute("**/admin/auftrag/*/rechnung");
  // The same reason is told once, for both orders, with a link to what mends it.
  const refusal = page.locator(".failure");
  assert.match(await refusal.innerText(), new RegExp(`2 orders refused:[^]*${wrongOnes.join(" ")}[^]*Why no tax is charged`));
  assert.equal(await refusal.getByRole("link", { name: "Tax code O.2, Why no tax is charged" }).count(), 1);
  await lookedAt("orders-not-invoiced");
  for (const number of good.slice(0, 2)) await rowOf(number).locator("a[href^='#bills/']").waitFor();
  // What was not done is still to do, also after a reload.
  await page.reload();
  await page.getByText("4 shown").waitFor();
  await store({ Steuer: { ...tax, BefreiungsGrund: [{ AdrSprache: "ger", Text: "befreit" }] } });
  await page.getByLabel("Choose all").check();
  await page.getByText("4 chosen").waitFor();
  await sure("Make the invoices");
  await page.getByText("4 invoices made.").waitFor();
  await page.reload();
  await page.getByText("No order found.").waitFor();
  assert.ok(wrong.splice(0).every((line) => /status of 422/.test(line)));
});

test("picking lists of the chosen orders are printed together, and rows are sorted here", async () => {
  await go("#orders?search=10008");
  await page.getByText("6 shown").waitFor();
  await page.evaluate(() => (window.print = () => (window.printed = [...document.querySelectorAll(".paper")].map((one) => one.innerText))));
  const numbers = () => page.locator("tbody tr a[href^='#orders/']").allInnerTexts();
  const newest = await numbers();
  await button("Order").click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  assert.deepEqual(await numbers(), newest.toReversed());
  await button("Total").click();
  await page.locator("th.amount[aria-sort=ascending]").waitFor();
  await button("Total").click();
  await page.locator("th.amount[aria-sort=descending]").waitFor();
  const sums = (await page.locator("td.amount").allInnerTexts()).map((one) => Number(one.replace("CHF", "")));
  assert.deepEqual(sums, sums.toSorted((one, other) => other - one));
  for (const number of newest.slice(0, 2)) await chosen(number).check();
  await button("Print picking lists").click();
  await page.getByText("2 picking lists printed.").waitFor();
  const printed = await page.evaluate(() => window.printed);
  await page.evaluate(() => delete window.printed);
  assert.equal(printed.length, 2);
  for (const [at, number] of newest.slice(0, 2).entries()) assert.match(printed.join(), new RegExp(`Picking list ${number}[^]*10008 Ristorante Esempio[^]*BU-1002`), `${at}`);
  assert.equal(await page.locator(".paper").count(), 0);
});

test("new orders of a customer are canceled at once, and sorting reads on", async () => {
  // More than a page has.
  for (let count = 0; count < 60; count += 1) await placed("10005", [{ ArtNr: "X-1", Menge: 1, Preis: count + 1 }]);
  await placed("10006", [{ ArtNr: "X-1", Menge: 1, Preis: 1 }]);
  await go("#orders");
  await page.getByLabel("Find orders").fill("Drei Tannen");
  await button("Search").click();
  await page.getByText("50 shown, there are more").waitFor();
  assert.equal(await page.locator("tbody tr", { hasText: "Drei Tannen" }).count(), 50);
  await button("Total").click();
  await page.getByText("60 shown").waitFor();
  assert.match(await text("tbody tr:first-child"), /CHF 1\.\d\d/);
  await go("#customers/10005");
  await page.getByRole("link", { name: "New orders of this customer" }).click();
  await page.getByText("50 shown, there are more").waitFor();
  assert.equal(await page.getByLabel("Customer", { exact: true }).inputValue(), "10005");
  await page.getByLabel("Choose all").check();
  await page.getByText("60 chosen").waitFor();
  await button("Cancel the order").click();
  await page.getByRole("dialog").getByText("Cancel 60 orders?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the order" }).click();
  await page.getByText("60 moved.").waitFor();
  const left = async (number) => (await (await send("GET", `/admin/orders?customer=${number}&status=N`)).json()).data.length;
  assert.equal(await left("10005"), 0);
  assert.ok((await left("10006")) > 0);
});

test("no column of the orders is cut on a tablet", async () => {
  await go("#orders");
  await page.getByText("50 shown").waitFor();
  await page.setViewportSize({ width: 768, height: 1024 });
  const [inner, outer] = await page.locator(".scroll").evaluate((frame) => [frame.scrollWidth, frame.clientWidth]);
  assert.ok(inner <= outer, `${inner} in ${outer}`);
  await page.setViewportSize(DESK);
});

test("an offer is found, copied and accepted for its customer, a template for the one who is asked for", async () => {
  const made = async (body) => (await (await send("POST", "/www/offerte", { Positionen: [{ ArtNr: "BU-1002", Menge: 12, GRabSatz: 10 }], ...body })).json()).data.OffertNr;
  const address = { AdrSprache: "ger", AdrAnrede: 0, AdrFirma: "Baustelle", AdrAdresse1: "Weg 9", OrtLand: "CH", OrtPLZ: "8001", OrtName: "Zürich" };
  const offer = await made({ GrundDaten: { KundNr: "10001", AuftBez: HOSTILE }, Adressen: { LiefAdr: address } });
  const template = await made({ GrundDaten: {} });
  await go("#offers");
  await page.getByLabel("Customer", { exact: true }).fill("Sonnenschein");
  await button("Search").click();
  await page.getByText("1 shown").waitFor();
  assert.match(await text("tbody"), new RegExp(`${offer}[^]*Open[^]*10001[^]*Café Sonnenschein`));
  // Several customers have the name: one of them is chosen.
  await page.getByLabel("Customer", { exact: true }).fill("AG");
  await button("Search").click();
  await page.getByRole("link", { name: "10003", exact: true }).waitFor();
  await page.getByLabel("Customer", { exact: true }).fill("");
  await button("Search").click();
  await page.getByRole("link", { name: template, exact: true }).waitFor();
  await looked("offers");
  await page.getByRole("link", { name: offer, exact: true }).click();
  await page.getByRole("heading", { name: `Offer ${offer}` }).waitFor();
  await looked("offer");
  await button("Copy, with the prices of today").click();
  await page.getByRole("heading", { name: /^Offer \d+$/ }).filter({ hasNotText: offer }).waitFor();
  const copy = (await text("h1")).replace("Offer ", "");
  assert.match(await text("#main"), /10001 Café Sonnenschein[^]*<img src=x[^]*BU-1002[^]*12[^]*10 %[^]*Baustelle/);
  // Someone changes it meanwhile: what is accepted is what is shown.
  await send("PATCH", `/www/offerte?OffertNr=${copy}`, { Positionen: [{ PosNr: 1, Menge: 13 }] });
  await sure("Accept for the customer");
  await page.getByText("someone else has changed this meanwhile.").waitFor();
  await go(`#offers/${copy}`);
  await button("Accept for the customer").click();
  await page.getByRole("dialog").getByText("for customer 10001 Café Sonnenschein?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Accept for the customer" }).click();
  await page.getByRole("heading", { name: /^Order \d+$/ }).waitFor();
  const order = (await text("h1")).replace("Order ", "");
  assert.match(await text("#main"), /10001 Café Sonnenschein[^]*Baustelle/);
  await go("#offers");
  await show("Accepted");
  await page.getByRole("link", { name: order, exact: true }).waitFor();
  await go(`#offers/${copy}`);
  assert.equal(await button("Accept for the customer").count(), 0);

  await go(`#offers/${template}`);
  const accept = async (customer) => {
    await button("Accept for the customer").click();
    await page.getByRole("dialog").getByLabel("Customer").fill(customer);
    await page.getByRole("dialog").getByRole("button", { name: "Accept for the customer" }).click();
  };
  await accept("99999");
  await page.locator(".failure", { hasText: "there is no customer `99999`" }).waitFor();
  await accept("10005");
  await page.locator(".failure", { hasText: "Price list: STANDARD ≠ " }).waitFor();
  await accept("10006");
  await page.getByRole("heading", { name: /^Order \d+$/ }).waitFor();
  assert.match(wrong.splice(0).join(), /412[^]*422[^]*409/);
});

test("the shop page counts what can be ordered as the server does", async () => {
  const { inStock } = await import(new URL("examples/shop/packs.js", root));
  // A package of which more is ordered than there is takes nothing from another one.
  await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "LM-3001", Menge: 60_000, VPEinheit: "KARTON" }] });
  const counted = [];
  let after = "";
  do {
    const { data, next } = await (await send("GET", `/admin/stock?max=1000000&limit=200${after && `&after=${after}`}`)).json();
    counted.push(...data.map(({ ArtNr, available }) => [ArtNr, Math.max(0, available)]));
    after = next;
  } while (after);
  const shown = await Promise.all(counted.map(async ([number]) => [number, inStock((await (await send("GET", `/www/artikel/${number}`)).json()).data)]));
  assert.ok(counted.length > 30 && counted.some(([number, count]) => number === "LM-3001" && count > 0), `${counted}`);
  assert.deepEqual(shown, counted);
});

test("the menu of a phone leads to a screen by keyboard", async () => {
  await page.setViewportSize(PHONE);
  assert.equal(await page.locator("#nav").isVisible(), false);
  await button("Menu").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Users" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('.screen[data-ready="users"]');
  assert.equal(await page.locator("#nav").isVisible(), false);
  await page.setViewportSize(DESK);
});

test("a customer is forgotten after a question, not while an order is in work", async () => {
  const address = { AdrSprache: "ger", AdrAnrede: 0, AdrFirma: "Vergissmeinnicht AG", AdrAdresse1: "Weg 1", OrtLand: "CH", OrtPLZ: "8001", OrtName: "Zürich" };
  const made = await send("POST", "/www/kunden", { GrundDaten: { WaehrAbk: "CHF", FAKTZahlArt: "B" }, Adressen: { KontaktAdr: address } });
  const { DebiNr: number } = (await made.json()).data;
  const placed = await send("POST", "/www/auftrag", { GrundDaten: { KundNr: number }, Positionen: [{ ArtNr: "BU-1002", Menge: 12 }] });
  const { AuftNr: order } = (await placed.json()).data;
  const forget = async () => {
    await button("Forget the customer").click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget the customer" }).click();
  };
  await go(`#customers/${number}`);
  await forget();
  await page.getByText(`customer ${number} has the order ${order} in state N; complete or cancel it first`).waitFor();
  assert.match(wrong.splice(0).join(), /status of 409/);
  await send("PUT", `/admin/auftrag/${order}/status`, { AuftStatus: "S" });
  await go(`#customers/${number}`);
  await forget();
  await page.getByText("This customer was forgotten.").waitFor();
  await looked("customer-forgotten");
  await go("#customers");
  assert.ok(!(await text("#main")).includes("Vergissmeinnicht"));
});

test("a clerk and an editor see what their roles may do, and no more", async () => {
  for (const [role, password] of [["clerk", "geheim-Theke-1"], ["editor", "geheim-Stamm-1"]]) await send("POST", "/admin/users", { name: `${role}-1`, role, password });
  const enter = async (name, password) => {
    await button("Log out").click();
    await page.waitForSelector("form.login");
    await page.evaluate(() => (location.hash = "#day"));
    await page.waitForFunction(() => document.activeElement?.id === "main");
    await page.getByLabel("User").fill(name);
    await page.getByLabel("Password").fill(password);
    await button("Log in").click();
    await page.waitForSelector('.screen[data-ready="day"]');
  };
  const screens = () => page.locator("#nav a").evaluateAll((all) => all.map((one) => one.hash.slice(1)));
  const ofClerk = ["day", "orders", "offers", "bills", "customers", "articles", "stock", "sales", "state", "password"];
  await enter("clerk-1", "geheim-Theke-1");
  assert.deepEqual(await screens(), ofClerk);
  await looked("day-clerk");
  await go("#state");
  await looked("state-clerk");
  assert.equal(await page.getByRole("link", { name: "Make a backup" }).count(), 0);
  for (const hash of ["#orders", "#bills", "#customers", "#articles", "#sales", "#stock"]) {
    await go(hash);
    assert.equal(await page.locator(".failure").count(), 0, hash);
    assert.equal(await page.getByRole("link", { name: /^New / }).count(), 0, hash);
  }
  await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 12 }] });
  await go("#orders");
  await page.locator("tbody a").first().click();
  await setToOpen();
  await page.locator(".badge", { hasText: "Open" }).waitFor();
  await page.getByLabel("No shop sees it").fill("Calls back");
  await button("Save").click();
  await page.getByText("Saved.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Who changed it" }).count(), 0);
  await page.evaluate(() => (window.print = () => (window.printed = document.querySelector(".paper").innerText)));
  await button("Picking list").click();
  await page.waitForFunction(() => window.printed !== undefined);
  assert.match(await page.evaluate(() => window.printed), /Neue AG[^]*[A-Z]-\d\d-\d\d[^]*BU-1002/);
  await go("#articles/LM-3001");
  assert.equal(await page.getByRole("link", { name: "Edit" }).count(), 0);
  await go("#users");
  await page.getByText("The role “Clerk” does not show this screen.").waitFor();
  await looked("not-for-role");
  // The server names the roles that may.
  await go("#articles/LM-3001/edit");
  await page.getByText("The server refused it (403): this needs the role `editor` or `admin`").waitFor();
  await page.getByLabel("Deutsch").check();
  await page.getByText("Der Server hat das abgelehnt (403): dafür ist die Rolle `editor` oder `admin` nötig").waitFor();
  await page.getByLabel("English").check();
  await page.waitForSelector(".screen[data-ready=articles]");
  // One is the note: the order had moved since it was read.
  assert.ok(wrong.splice(0).every((line) => /status of (403|412)/.test(line)));

  await enter("editor-1", "geheim-Stamm-1");
  assert.deepEqual(await screens(), [...ofClerk.slice(0, -2), "import", "audit", ...ofClerk.slice(-2)]);
  await go("#articles/LM-3001");
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByLabel("Weight (kg)").first().fill("1.5");
  await saved("#articles/LM-3001");
  assert.equal((await (await send("GET", "/www/artikel/LM-3001")).json()).data.ArtGewicht, 1.5);
  // Changes of articles, not of orders; no link leads to what only an admin may edit.
  await page.getByRole("link", { name: "Who changed it" }).click();
  await page.getByText("editor-1 changed article LM-3001").first().waitFor();
  await go("#audit");
  assert.doesNotMatch(await text("#main tbody"), /order \d|logged in/);
  await looked("audit-editor");
  await page.route("**/rechnung", (route) => route.fulfill({ status: 422, json: { error: "invalid", error_description: "", info: { problems: [{ path: "Firma.OrtPLZ", message: "missing" }] } } }));
  await send("POST", "/www/auftrag", { GrundDaten: { KundNr: "10001" }, Positionen: [{ ArtNr: "BU-1002", Menge: 12 }] });
  await go("#orders");
  await page.locator("tbody a").first().click();
  await sure("Make the invoice");
  await page.getByText("Company, Postal code: missing").waitFor();
  assert.equal(await page.getByRole("alert").getByRole("link").count(), 0);
  assert.equal(await page.getByRole("link", { name: "Who changed it" }).count(), 0);
  assert.match(wrong.splice(0).join(), /status of 422/);
  await page.unroute("**/rechnung");
  await go("#customers");
  await page.getByRole("link", { name: "New customer" }).waitFor();
  assert.equal(await button("Forget the customer").count(), 0);
  // The own password: a wrong one is told at its field, the right one ends the login.
  await go("#password");
  await looked("password");
  const change = async (old) => {
    await page.getByLabel("Password until now").fill(old);
    await page.getByLabel("New password").fill("geheim-Stamm-2");
    await button("Set the password").click();
  };
  await change("geheim-falsch-1");
  await page.getByText("this is not your password").waitFor();
  assert.match(wrong.splice(0).join(), /status of 422/);
  await change("geheim-Stamm-1");
  await page.waitForSelector("form.login");
  await page.getByLabel("User").fill("editor-1");
  await page.getByLabel("Password").fill("geheim-Stamm-2");
  await button("Log in").click();
  await page.waitForSelector('.screen[data-ready="password"]');
  await enter("admin", server.password("admin"));
});

/** Ends the token as time does. */
const lapse = () =>
  page.evaluate(() => {
    const { token } = JSON.parse(sessionStorage.getItem("erp-console-login"));
    return fetch("/www/token/revoke", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  });

test("a login is for all tabs, and its end for all", async () => {
  await go("#orders");
  const [second] = await Promise.all([page.context().waitForEvent("page"), page.locator("tbody a").first().click({ modifiers: ["Control"] })]);
  const third = await page.context().newPage();
  await second.getByRole("heading", { name: /^Order \d+$/ }).waitFor();
  assert.equal(await second.evaluate(() => localStorage.getItem("erp-console-login")), null);
  await third.goto(`${server.base}/console#articles`);
  await third.waitForSelector(".screen[data-ready=articles]");
  await third.reload();
  await third.waitForSelector(".screen[data-ready=articles]");
  await third.getByRole("button", { name: "Log out" }).click();
  for (const one of [page, second, third]) await one.waitForSelector("form.login");
  for (const one of [page, second, third]) assert.equal(await one.evaluate(() => sessionStorage.length), 0);
  // A new tab while the others are at the login, and a login in one of them.
  const fourth = await page.context().newPage();
  await fourth.goto(`${server.base}/console#stock`);
  await fourth.waitForSelector("form.login");
  await logIn("admin");
  await page.waitForSelector(".screen[data-ready=orders]");
  await second.getByRole("heading", { name: /^Order \d+$/ }).waitFor();
  await fourth.waitForSelector(".screen[data-ready=stock]");
  for (const one of [second, third, fourth]) await one.close();
});

test("a token that ends loses nothing: the login is above the screen", async () => {
  await go("#orders");
  await page.locator("tbody a").first().click();
  const note = page.getByLabel("No shop sees it");
  await note.fill("Long text");
  const other = await page.context().newPage();
  await other.goto(`${server.base}/console#audit`);
  await other.waitForSelector(".screen[data-ready=audit]");
  await lapse();
  await button("Save").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("What you have entered is kept.").waitFor();
  await accessible(page, "login above a screen", "html", ["target-size"]);
  await shot(page, "console-lapsed", PHONE, { fullPage: false });
  await page.setViewportSize(DESK);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The login has ended. Log in again.").waitFor();
  assert.equal(await note.inputValue(), "Long text");
  await button("Save").click();
  await dialog.getByLabel("Password").fill("wrong");
  await dialog.getByRole("button", { name: "Log in" }).click();
  await dialog.getByText("User or password is wrong.").waitFor();
  await dialog.getByLabel("Password").fill(server.password("admin"));
  await dialog.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  assert.equal(await page.locator("dialog").count(), 0);
  // The other tab asks this one for its token.
  await other.getByRole("button", { name: "Search" }).click();
  await other.getByText(/^\d+ shown/).waitFor();
  assert.equal(await other.locator("dialog").count(), 0);
  await other.close();
  // Someone else has screens of their own.
  await send("POST", "/admin/users", { name: "clerk-2", role: "clerk", password: "geheim-Theke-2" });
  await lapse();
  await button("Save").click();
  await dialog.getByLabel("User").fill("clerk-2");
  await dialog.getByLabel("Password").fill("geheim-Theke-2");
  await dialog.getByRole("button", { name: "Log in" }).click();
  await page.waitForFunction(() => document.querySelector("#user").textContent === "clerk-2" && document.querySelector(".screen[data-ready=orders]"));
  assert.equal(await page.locator('#nav a[href="#users"]').count(), 0);
  await button("Log out").click();
  await logIn("admin");
  await page.waitForSelector(".screen[data-ready=orders]");
  const refused = wrong.splice(0);
  assert.ok(refused.length >= 3 && refused.every((line) => /status of 401/.test(line)), `${refused}`);
});

test("a first company is set up step by step, also after a reload", async () => {
  const data = join(server.folder, "empty");
  const password = "geheim-Anfang-1";
  mkdirSync(data);
  execFileSync(server.binary, ["user", "add", "admin", "--role", "admin", "--password-stdin", "--data-dir", data], { input: `${password}\n` });
  const started = spawn(server.binary, ["serve", "--data-dir", data, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => started.once("exit", resolve));
  const { page: own, wrong: refused } = await watchedPage(page.context());
  try {
    await own.setViewportSize(DESK);
    let printed = "";
    for await (const piece of started.stdout) {
      printed += piece;
      if (/^listening on (\S+)/m.test(printed)) break;
    }
    await own.goto(`${/^listening on (\S+)/m.exec(printed)[1]}/console`);
    await own.getByLabel("User").fill("admin");
    await own.getByLabel("Password").fill(password);
    await own.getByRole("button", { name: "Log in", exact: true }).click();
    const steps = own.locator(".steps");
    const save = (name = "Save") => steps.getByRole("button", { name }).click();
    const done = async (count) => own.waitForFunction((count) => document.querySelectorAll(".steps .badge").length === count, count);
    // What is wrong is told at its field, before anything is stored.
    await own.getByLabel("Country").selectOption("DE");
    await own.getByLabel("IBAN").fill("DE00123");
    await save();
    await own.locator(".field", { has: own.getByLabel("IBAN") }).getByText("IBAN").nth(1).waitFor();
    await own.locator(".field", { has: own.getByLabel("Name") }).locator(".problem", { hasText: "required" }).waitFor();
    for (const [size, name] of [[PHONE, "phone"], [DESK, "desk"]]) {
      await shot(own, `console-setup-${name}`, size);
      await accessible(own, `setup, ${name}`, "html", ["target-size"]);
    }
    const company = { Name: "Muster GmbH", Street: "Weg 1", "Postal code": "10115", Town: "Berlin", "VAT identifier": "DE123456788", IBAN: "DE89 3704 0044 0532 0130 00", "Number of the first invoice": "7001" };
    for (const [label, value] of Object.entries(company)) await own.getByLabel(label).fill(value);
    await save();
    await done(2);
    await own.reload();
    await done(2);
    await own.getByLabel("Article number").fill("A-1");
    await own.getByLabel("Name").fill("Locher");
    await own.getByLabel("Price (EUR, Net)").fill("12,50");
    await save();
    await done(3);
    await save("Add the user");
    await own.getByText("The password of shop1. It is shown only now.").waitFor();
    await done(4);
    await accessible(own, "setup, done", "html", ["target-size"]);
    // All can be sold, and nothing is left to set up.
    await own.reload();
    await own.waitForSelector(".figures");
    assert.equal(await steps.count(), 0);
    assert.match(await own.locator(".figures").innerText(), /0\s+Articles that cannot be sold/);
    assert.ok(refused.every((line) => /status of 422/.test(line)), `${refused}`);
  } finally {
    await own.close();
    started.kill("SIGTERM");
    await ended;
  }
});

test("nothing else was refused and nothing failed", () => {
  assert.deepEqual(wrong, []);
});
