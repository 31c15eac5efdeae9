// A day of the office at a new company, in German, on a desk and on a phone: what the screens say is all that the clerk knows.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { browser, watchedPage } from "./chromium.mjs";
import { builtServer, listening } from "./demo.mjs";
import { root } from "./paths.mjs";
import { accessible, DESK, PHONE, shot } from "./screens.mjs";

const words = JSON.parse(readFileSync(new URL("erp-server/console/words.json", root), "utf8"));
const say = Object.fromEntries(Object.entries(words).map(([key, [, german]]) => [key, german]));
const ORDERS = 20;
/** The price among the amounts of a line of prices: after the counts from and to. */
const PRICE = 2;

/** A word with its values, as the console says it. */
const spoken = (word, ...values) => word.replace(/\{(\d)(?::([^|}]*)\|([^}]*))?\}/g, (_, at, one, others) => (one === undefined ? values[at] : (values[at] === 1 ? one : others).replace("#", values[at])));

/** A server on an empty store, with an admin. */
async function emptyServer() {
  const binary = builtServer();
  const folder = mkdtempSync(join(tmpdir(), "erp-office-"));
  const password = /password of admin: (\S+)/.exec(execFileSync(binary, ["user", "add", "admin", "--role", "admin", "--data-dir", folder], { encoding: "utf8" }))[1];
  const server = spawn(binary, ["serve", "--data-dir", folder, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const base = await listening(server);
  const close = async () => {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { base, password, close };
}

/** What German Excel saves as "CSV": semicolons, decimal commas, Windows-1252. */
const excel = (lines) => ({ mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1") });
const articles = Array.from({ length: 10 }, (_, at) => `M-${at + 1};Möbelfuss ${at + 1} groß;Stück;Füße;J;*`);
const prices = Array.from({ length: 10 }, (_, at) => `M-${at + 1};STANDARD;CHF;1;${at + 1},50;N`);
const stock = Array.from({ length: 10 }, (_, at) => `M-${at + 1};Lager A;1;1.000,00`);

for (const size of [DESK, PHONE]) {
  test(`a company is set up, sells, invoices, credits, and mends a price, ${size.width} wide`, async () => {
    const server = await emptyServer();
    const chromium = await browser({ locale: "de-DE", timezoneId: "Europe/Zurich" });
    try {
      const { page, wrong } = await watchedPage(chromium.context);
      await page.setViewportSize(size);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await day(server, page, size);
      assert.deepEqual(wrong, []);
    } finally {
      await Promise.all([chromium.close(), server.close()]);
    }
  });
}

async function day({ base, password }, page, size) {
  const button = (name, place = page) => place.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const seen = async (name) => {
    await shot(page, `office-${name}`, size);
    await accessible(page, `${name}, ${size.width}`);
  };
  const open = async (name) => {
    if (size === PHONE) await button(say.menu).click();
    await page.locator("#nav").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  };

  const shown = (count) => page.getByText(spoken(say.rows_shown, count), { exact: true }).waitFor();

  await page.goto(`${base}/console`);
  await page.getByLabel(say.user).fill("admin");
  await page.getByLabel(say.password).fill(password);
  await button(say.login).click();

  // The company, its first article and the shop.
  const setup = page.locator("section", { has: page.getByRole("heading", { name: say.setup }) });
  await setup.getByLabel(say.first_country).selectOption("CH");
  await setup.getByLabel(say.name, { exact: true }).fill("Möbel Müller AG");
  await setup.getByLabel(say.m_AdrAdresse1).fill("Bahnhofstrasse 1");
  await setup.getByLabel(say.m_OrtPLZ).fill("8001");
  await setup.getByLabel(say.town).fill("Zürich");
  await setup.getByLabel(say.m_UStIdNr).fill("CHE-123.456.788 MWST");
  await setup.getByLabel("IBAN").fill("CH93 0076 2011 6238 5295 7");
  await seen("setup");
  await button(say.save, setup).click();
  await setup.getByLabel(say.m_ArtNr).fill("T-1");
  await setup.getByLabel(say.name, { exact: true }).fill("Tisch");
  await setup.getByLabel(/^Preis \(CHF/).fill("249,50");
  await button(say.save, setup).click();
  await button(say.add_user, setup).click();
  const secret = await setup.locator(".secret").innerText();

  // Articles, prices and stock, each from a spreadsheet.
  await open(say.nav_import);
  for (const [name, lines, count] of [
    ["Artikel.csv", ["Artikelnummer;Bezeichnung;Einheit;Gruppe;An Lager;Shop", ...articles], 10],
    ["Preise.csv", ["Artikelnummer;Preisliste;Währung;Ab Menge;Preis;Netto/Brutto", ...prices], 10],
    ["Bestand.csv", ["Artikelnummer;Lagerort;Standort;Bestand", ...stock], 10],
  ]) {
    await page.getByLabel(say.choose).setInputFiles({ name, ...excel(lines) });
    await page.locator("table", { hasText: "M-1" }).first().waitFor();
    if (name === "Preise.csv") await seen("import");
    await button(say.do_import).click();
    await page.getByText(say.imported.split("{")[0].trim(), { exact: false }).first().waitFor();
    await page.getByText(`${count} `, { exact: false }).first().waitFor();
  }
  await open(say.nav_articles);
  await page.getByText("Möbelfuss 1 groß").first().waitFor();

  // The shop orders.
  const api = async (method, path, body, user = "shop1", key = secret) => {
    const Authorization = `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`;
    const { access_token: token } = await (await fetch(`${base}/www/token`, { method: "POST", headers: { Authorization } })).json();
    const answer = await fetch(base + path, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify(body) });
    assert.ok(answer.ok, await answer.clone().text());
    return (await answer.json()).data;
  };
  const KontaktAdr = { AdrSprache: "ger", AdrAnrede: 0, AdrFirma: "Hôtel Drei Könige", AdrAdresse1: "Weg 1", OrtLand: "CH", OrtPLZ: "3011", OrtName: "Bern" };
  const { DebiNr: KundNr } = await api("POST", "/www/kunden", { GrundDaten: { AdrSprache: "ger", WaehrAbk: "CHF", FAKTZahlArt: "B", ZahlungsMethode: "R" }, Adressen: { KontaktAdr } });
  for (let at = 0; at < ORDERS; at += 1) {
    await api("POST", "/www/auftrag", { GrundDaten: { KundNr, AuftBestellNr: `PO-${at}` }, Positionen: [{ ArtNr: `M-${(at % 10) + 1}`, Menge: 2 }, { ArtNr: "T-1", Menge: 1 }] });
  }

  // Two are canceled, the others completed and invoiced.
  await open(say.nav_day);
  await page.getByText("PO-19").first().waitFor();
  await seen("day");
  await page.locator(".figures").getByRole("link", { name: say.status_N }).click();
  await shown(ORDERS);
  const status = (name) => page.getByRole("radio", { name: new RegExp(`^${name}`) }).check();
  const sure = async (name) => {
    await page.locator(".bulk").getByRole("button", { name }).click();
    await dialog.getByRole("button", { name, exact: true }).click();
  };
  const numbers = await page.locator("td a[href^='#orders/']").allInnerTexts();
  for (const number of numbers.slice(0, 2)) await page.getByLabel(say.choose_order.replace("{0}", number), { exact: true }).check();
  await sure(say.move_S);
  await page.getByText(spoken(say.orders_moved, 2)).waitFor();
  await status(say.status_S);
  await shown(2);
  await status(say.status_N);
  await shown(ORDERS - 2);
  await page.locator(".bulk").getByLabel(say.choose_all).check();
  await seen("orders");
  await sure(say.move_A);
  await page.getByText(spoken(say.orders_moved, ORDERS - 2)).waitFor();
  await status(say.to_invoice);
  await shown(ORDERS - 2);
  await page.locator(".bulk").getByLabel(say.choose_all).check();
  await sure(say.make_invoices);
  await page.getByText(spoken(say.invoices_made, ORDERS - 2)).waitFor();
  await seen("invoiced");

  // One is credited.
  await open(say.nav_bills);
  await shown(ORDERS - 2);
  await seen("bills");
  await page.locator("td a[href^='#bills/']").first().click();
  await button(say.make_credit_note).click();
  await button(say.make_credit_note, dialog).click();
  await page.getByRole("heading", { level: 1, name: new RegExp(`^${say.credit_note}`) }).waitFor();
  await seen("credit-note");

  // A wrong price is put back.
  await page.getByRole("searchbox").first().fill("M-3");
  await page.keyboard.press("Enter");
  await page.locator("a[href='#articles/M-3']").first().click();
  await page.getByRole("link", { name: say.edit, exact: true }).click();
  await page.getByRole("tab", { name: say.tab_prices }).click();
  await page.locator("[role=tabpanel]:not([hidden]) input.amount").nth(PRICE).fill("350");
  await button(say.save).click();
  await seen("price-asked");
  await button(say.save, dialog).click();
  await page.getByRole("heading", { level: 1, name: "M-3" }).waitFor();
  await page.getByText("350.00").first().waitFor();
  await page.getByRole("link", { name: say.its_changes }).click();
  await button(say.restore).first().click();
  await seen("put-back");
  await button(say.restore, dialog).click();
  await page.getByText(spoken(say.restored, "").trim(), { exact: false }).first().waitFor();
  await open(say.nav_articles);
  await page.locator("tr", { hasText: "M-3" }).getByText("3.50").waitFor();
}
