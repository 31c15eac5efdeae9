// The examples of React and Vue, as they are packed, are built by Vite and work in Chromium with the demo server.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Client } from "../../erp-wasm/dist/client.js";
import { project } from "./project.mjs";
import { accessible, opened } from "./screens.mjs";

let installed, server, page, wrong, close;

before(async () => {
  installed = project({ frameworks: ".", "../../examples/shop/icon.svg": "public/icon.svg" });
  const { folder, run } = installed;
  cpSync(join(folder, "node_modules/erp-wasm/examples"), join(folder, "examples"), { recursive: true });
  run("npx", "tsc");
  run("npx", "vite", "build", "--logLevel", "warn");
  const files = pathToFileURL(join(folder, "dist/"));
  ({ server, page, wrong, close } = await opened({ files }));
});

after(async () => {
  await close?.();
  installed?.remove();
});

for (const framework of ["react", "vue"]) {
  test(`${framework}: an address is checked, a basket shows its total and becomes an order`, async () => {
    const login = { customer: "10001", password: server.password("customers") };
    await page.goto(server.base);
    await page.evaluate(
      ([framework, login]) => globalThis.start(framework, login, (address) => (globalThis.saved = address)),
      [framework, login],
    );
    await page.getByLabel("Company").fill("x".repeat(37));
    await page.locator("label", { hasText: "Company" }).getByText("36").waitFor();
    assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
    for (const [label, value] of [["Company", "Muster AG"], ["Street", "Weg 1"], ["Postal code", "2502"], ["Town", "Biel"]]) {
      await page.getByLabel(label).fill(value);
    }
    await page.getByRole("button", { name: "Use Biel/Bienne" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    const saved = await page.evaluate(() => globalThis.saved);
    assert.deepEqual([saved.AdrFirma, saved.OrtPLZ, saved.OrtName], ["Muster AG", "2502", "Biel/Bienne"]);

    const total = page.locator("output");
    const quantity = page.getByLabel("BU-1004");
    const begun = await total.innerText();
    await quantity.fill("-1");
    await page.waitForFunction(() => !document.querySelector("output").textContent.startsWith("CHF"));
    await quantity.fill("12");
    await page.waitForFunction((begun) => ![begun, ""].includes(document.querySelector("output").textContent), begun);
    await accessible(page, framework);
    await page.getByRole("button", { name: "Order" }).click();
    const [, number] = /^Order (\d+)$/.exec(await page.getByText(/^Order \d+$/).innerText());
    const client = await Client.login(server.base, { user: "shop1", password: server.password("shop1") });
    const { data: order } = await client.readOrder(number);
    assert.equal(await total.innerText(), `CHF ${order.GrundDaten.AuftBrutto.toFixed(2)}`);
    assert.deepEqual(wrong, []);
  });
}
