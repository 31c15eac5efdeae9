// Conversion between JavaScript and the module: values become JSON texts, results become values or errors.

import { ErpError, type ErpErrorCode, type ErpErrorInfo } from "./error.js";

/** A value, or its JSON text (which keeps every digit of its numbers). */
export type Json<T> = T | string;

/** The source of a file: an argument of `fetch`, or its bytes. */
export type Source = string | URL | Request | Response | BufferSource | Promise<Response>;

interface Answer<T> {
  readonly data?: T;
  readonly error?: ErpErrorCode;
  readonly error_description?: string;
  readonly info?: ErpErrorInfo;
}

/** The JSON text of an input. */
export function text(input: unknown): string {
  if (typeof input === "string") return input;
  try {
    return JSON.stringify(input) ?? "null";
  } catch (cause) {
    throw new ErpError("malformed", "the input cannot be written as JSON", {}, { cause });
  }
}

/** The bytes of a file passed by the caller. */
export function fileBytes(bytes: Uint8Array): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw new ErpError("malformed", "a file must be a `Uint8Array`");
}

/** Calls the module and parses its result. */
export function ask<T>(call: () => string): T {
  let answer: Answer<T>;
  try {
    answer = JSON.parse(call()) as Answer<T>;
  } catch (cause) {
    if (cause instanceof ErpError) throw cause;
    throw new ErpError("internal", "the module failed", {}, { cause });
  }
  if (answer.error !== undefined) {
    const message = answer.error_description ?? answer.error;
    throw new ErpError(answer.error, message, answer.info);
  }
  return answer.data as T;
}

/** Loads a file; in node, files of the package are on the disk, which `fetch` cannot read. */
export async function load(source: Source): Promise<Response | BufferSource> {
  try {
    const given = await source;
    if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return given;
    if (given instanceof URL && given.protocol === "file:") return await fromDisk(given);
    const response = given instanceof Response ? given : await fetch(given);
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
    return response;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ErpError("load", `a file of the package could not be loaded: ${why}`, {}, { cause });
  }
}

/** The bytes of a file. */
export async function bytes(source: Source): Promise<Uint8Array> {
  const file = await load(source);
  if (file instanceof Response) return new Uint8Array(await file.arrayBuffer());
  return ArrayBuffer.isView(file)
    ? new Uint8Array(file.buffer, file.byteOffset, file.byteLength)
    : new Uint8Array(file);
}

interface Disk {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
}

interface Process {
  getBuiltinModule?(name: "node:fs"): Disk | undefined;
}

// No import of `node:fs`: a bundler for browsers would fail on it.
async function fromDisk(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { process } = globalThis as { process?: Process };
  const disk = process?.getBuiltinModule?.("node:fs");
  if (disk !== undefined) return disk.readFileSync(url);
  return new Uint8Array(await (await fetch(url)).arrayBuffer());
}
