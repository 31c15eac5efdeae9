import { init, validateAddress } from "erp-wasm/address";

init().then(() => postMessage(validateAddress({}).length));
