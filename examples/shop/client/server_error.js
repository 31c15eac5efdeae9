/** @import { Problem } from "../error.js" */
/** @import { ServerErrorInfo } from "../client_types.js" */

/** A request that failed: the server refused it, or there is no response. */
export class ServerError extends Error {
  /** @override @readonly */
  name = "ServerError";
  /**
   * The HTTP status; 0 when there was no response.
   * @readonly @type {number}
   */
  status;
  /**
   * A stable word for programs, for example `invalid`; `network` without a whole response, `http` for one of a proxy.
   * @readonly @type {string}
   */
  code;
  /**
   * Details of the response.
   * @readonly @type {ServerErrorInfo}
   */
  info;

  /**
   * Used by the client; other programs rarely need it.
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {ServerErrorInfo} info
   * @param {ErrorOptions} [options]
   */
  constructor(status, code, message, info = {}, options) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.info = info;
  }

  /**
   * Everything that is wrong with the body; empty unless `code` is `invalid`.
   * @returns {readonly Problem[]}
   */
  get problems() {
    return this.info.problems ?? [];
  }
}

/**
 * The JSON of a response; one of a proxy may be anything.
 * @template T
 * @param {Response} response
 * @returns {Promise<T>}
 */
export async function jsonOf(response) {
  return response.json().catch((cause) => {
    throw new ServerError(response.status, "http", "the response is no JSON", {}, { cause });
  });
}

/**
 * The error of a response; a proxy's page has no body of the interface.
 * @param {Response} response
 */
export async function serverError(response) {
  /** @type {{ readonly error?: string, readonly error_description?: string, readonly info?: ServerErrorInfo }} */
  const body = await response.json().catch(() => ({}));
  const message = body.error_description ?? `the server returned ${response.status}`;
  return new ServerError(response.status, body.error ?? "http", message, body.info ?? {});
}
