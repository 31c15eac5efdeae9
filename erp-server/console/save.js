// Files of the person's: saved, and read.

export function save(file, name) {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The file name in a response. */
export const nameOf = (answer, usual) =>
  /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? usual;

/** A file in Base64. */
export const base64 = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** The body of a response; `onProgress` gets the bytes so far. */
export async function received(answer, onProgress) {
  const pieces = [];
  let bytes = 0;
  const reader = answer.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    bytes += piece.value.length;
    onProgress(bytes);
  }
  return new Blob(pieces, { type: answer.headers.get("Content-Type") ?? "" });
}
