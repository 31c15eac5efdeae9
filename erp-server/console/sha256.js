// SHA-256 of a file, piece by piece. The browser's own function needs the whole file in memory and a secure origin.

/** The first 32 bits of the fractions of roots of the first primes. */
function fractions(count, root) {
  const primes = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return Int32Array.from(primes, (prime) => Math.floor((root(prime) % 1) * 2 ** 32) | 0);
}

const STEPS = fractions(64, Math.cbrt);
const BLOCK = 64;
const turned = (word, by) => (word >>> by) | (word << (32 - by));

class Hash {
  #state = fractions(8, Math.sqrt);
  #rest = new Uint8Array(BLOCK);
  #kept = 0;
  #length = 0;
  #words = new Int32Array(64);

  add(bytes) {
    this.#length += bytes.length;
    let at = 0;
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + BLOCK - this.#kept);
      this.#rest.set(piece, this.#kept);
      this.#kept += piece.length;
      at += piece.length;
      if (this.#kept === BLOCK) this.#block();
    }
  }

  #block() {
    const [words, view] = [this.#words, new DataView(this.#rest.buffer)];
    for (let at = 0; at < 16; at += 1) words[at] = view.getInt32(at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [near, far] = [words[at - 2], words[at - 15]];
      const low = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
      const high = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
      words[at] = (words[at - 16] + low + words[at - 7] + high) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.#state;
    for (let at = 0; at < 64; at += 1) {
      const chosen = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const first = (h + chosen + STEPS[at] + words[at]) | 0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (this.#state[at] += word));
    this.#kept = 0;
  }

  hex() {
    const bits = this.#length * 8;
    this.add(Uint8Array.of(0x80));
    while (this.#kept !== BLOCK - 8) this.add(Uint8Array.of(0));
    const end = new DataView(new ArrayBuffer(8));
    end.setUint32(0, Math.floor(bits / 2 ** 32));
    end.setUint32(4, bits % 2 ** 32);
    this.add(new Uint8Array(end.buffer));
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/** The hash of a file in hexadecimal; `onProgress` gets a part from 0 to 1. */
export async function sha256(file, onProgress = () => undefined) {
  const hash = new Hash();
  let read = 0;
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    hash.add(piece.value);
    read += piece.value.length;
    onProgress(read / file.size);
  }
  return hash.hex();
}
