// Sends a file and reports the progress, which `fetch` cannot do.

import { ServerError, refusal } from "./api.js";

/** The `data` of the response. `onProgress` gets a part from 0 to 1. */
export function upload(api, path, file, type, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    const { authorization } = api;
    request.setRequestHeader("Authorization", authorization);
    request.setRequestHeader("Content-Type", type);
    request.setRequestHeader("Accept-Language", document.documentElement.lang);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 1));
    request.addEventListener("load", async () => {
      if (request.status < 300) return resolve(request.response.data);
      if (request.status === 401 && (await api.renewed(authorization))) return resolve(upload(api, path, file, type, { onProgress, signal }));
      return reject(refusal(request.status, request.response ?? {}));
    });
    request.addEventListener("error", () => reject(new ServerError(0, "no response")));
    request.addEventListener("abort", () => reject(new DOMException("left", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
