// The same cases in a page; the test calls the functions on `window`.

import * as erp from "/erp-wasm/index.js";
import * as small from "/erp-wasm/address.js";
import * as addressGlue from "/erp-wasm/wasm/address/erp_wasm.js";
import * as shopGlue from "/erp-wasm/wasm/shop/erp_wasm.js";
import { answers, ofAddresses } from "/tests/cases.mjs";

const cases = async () => (await fetch("/golden/cases.json")).json();

async function filled(glue) {
  const towns = new glue.Towns();
  const file = await fetch("/erp-wasm/towns_ch_li.txt");
  towns.add(new Uint8Array(await file.arrayBuffer()));
  return towns;
}

window.inPage = async () => {
  await erp.init();
  return answers(await cases(), shopGlue, await filled(shopGlue));
};

window.ofSmallBuild = async () => {
  await small.init();
  return answers(ofAddresses(await cases()), addressGlue, await filled(addressGlue));
};

window.inWorker = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker("/site/worker.mjs", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });

window.functions = async () => {
  const names = await erp.loadTowns();
  await small.loadTowns();
  const town = { OrtLand: "CH", OrtPLZ: "2502", OrtName: "Biel" };
  let refused;
  try {
    erp.totalsOf({ Positionen: [{ ArtNr: "B", Menge: 1 }] }, []);
  } catch (error) {
    refused = [error instanceof erp.ErpError, error.code, error.problems[0].code];
  }
  return { names, version: erp.version(), towns: [erp.checkTown(town).to, small.checkTown(town).to], refused };
};

window.growth = async () => {
  await erp.init();
  const { memory } = await shopGlue.default();
  const body = { Positionen: Array.from({ length: 200 }, () => ({ Menge: "x" })) };
  for (let at = 0; at < 20; at += 1) erp.validateOrder(body);
  const before = memory.buffer.byteLength;
  for (let at = 0; at < 1000; at += 1) erp.validateOrder(body);
  return memory.buffer.byteLength - before;
};
