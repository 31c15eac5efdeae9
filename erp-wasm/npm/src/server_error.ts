import type { Problem } from "./error.js";

/** Details of an error response besides its message; they depend on its code. */
export interface ServerErrorInfo {
  /** Everything that is wrong with the body. */
  readonly problems?: readonly Problem[];
  /** `unknown`: it is not known whether the change was made. */
  readonly outcome?: string;
  readonly [name: string]: unknown;
}

/** A request that failed: the server refused it, or there is no response. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** A stable word for programs, for example `invalid`; `network` without a whole response, `http` for one of a proxy. */
  readonly code: string;
  /** Details of the response. */
  readonly info: ServerErrorInfo;

  /** Used by the client; other programs rarely need it. */
  constructor(status: number, code: string, message: string, info: ServerErrorInfo = {}, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.info = info;
  }

  /** Everything that is wrong with the body; empty unless `code` is `invalid`. */
  get problems(): readonly Problem[] {
    return this.info.problems ?? [];
  }
}

interface Body {
  readonly error?: string;
  readonly error_description?: string;
  readonly info?: ServerErrorInfo;
}

/** The JSON of a response; one of a proxy may be anything. */
export async function jsonOf<T>(response: Response): Promise<T> {
  return response.json().catch((cause) => {
    throw new ServerError(response.status, "http", "the response is no JSON", {}, { cause });
  });
}

/** The error of a response; a proxy's page has no body of the interface. */
export async function serverError(response: Response): Promise<ServerError> {
  const body = (await response.json().catch(() => ({}))) as Body;
  const message = body.error_description ?? `the server returned ${response.status}`;
  return new ServerError(response.status, body.error ?? "http", message, body.info ?? {});
}
