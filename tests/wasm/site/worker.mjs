import { init } from "/erp-wasm/index.js";
import * as glue from "/erp-wasm/wasm/shop/erp_wasm.js";
import { answers } from "/tests/cases.mjs";

await init();
const towns = new glue.Towns();
const file = await fetch("/erp-wasm/towns_ch_li.txt");
towns.add(new Uint8Array(await file.arrayBuffer()));
const cases = await (await fetch("/golden/cases.json")).json();
postMessage(answers(cases, glue, towns));
