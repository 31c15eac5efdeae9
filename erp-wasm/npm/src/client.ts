/**
 * The server's interface for JavaScript: login, retries that are safe, lists page by page, typed errors. It needs no
 * WebAssembly and runs in browsers, workers and node.
 *
 * @module erp-wasm/client
 */

export { Client } from "./client/client.js";
export { ServerError } from "./client/server_error.js";
export { newKey } from "./client/transport.js";
export type * from "./client_types.js";
export type { Problem } from "./error.js";
export type * from "./wire.js";
