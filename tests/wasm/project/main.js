import { checkTown, loadTowns, priceOf, version } from "erp-wasm";

await loadTowns();
const town = checkTown({ OrtLand: "CH", OrtPLZ: "8001", OrtName: "zuerich" });
const article = {
  ArtNr: "A-1",
  WaehrAbk: "CHF",
  WUSTSatz: 8.1,
  Preis: [{ AbAnzahl: 1, PreisList: 12.35, Preisart: "N" }],
};
const price = priceOf({ Menge: 3 }, article);
// Loaded when it is needed, as shops do.
const invoices = await import("erp-wasm/zugferd");
await invoices.init();
let refused;
try {
  invoices.zugferdExtract(new Uint8Array(9));
} catch (error) {
  refused = error.code;
}
const checks = await import("erp-wasm/check");
await checks.init();
const [found] = checks.check("<a>").findings;
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => {
  document.querySelector("output").textContent = [
    version(),
    town.outcome === "corrected" ? town.to : town.outcome,
    price.PosPreisTotal,
    data,
    refused,
    found.rule,
  ].join(" ");
};
