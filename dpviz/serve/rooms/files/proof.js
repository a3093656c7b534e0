// A little work before a room is opened where many are taken. By hand: browsers have no crypto.subtle
// on plain addresses of a network.

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((p) => n % p)) PRIMES.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const ROUNDS = Int32Array.from(PRIMES, (p) => fraction(Math.cbrt(p)));
const words = new Int32Array(64);
const turn = (x, by) => (x >>> by) | (x << (32 - by));

// SHA-256 of a text of ASCII characters, as eight numbers of 32 bits.
export function sha256(text) {
  const bytes = new Uint8Array(((text.length + 72) >> 6) << 6);
  for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
  bytes[text.length] = 128;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 4, text.length * 8);
  const hash = Int32Array.from(START);
  for (let block = 0; block < bytes.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [words[i - 15], words[i - 2]];
      const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      words[i] = words[i - 16] + s0 + words[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((part, place) => (hash[place] += part));
  }
  return Array.from(hash, (part) => part >>> 0);
}

const SLICE = 2000; // numbers tried between two breaths of the page

// The task with the first number behind it whose hash begins with as many zero bits as it says.
export async function done(task) {
  const bits = Number(task.split(".")[1]);
  for (let number = 0; ; number++) {
    if (number % SLICE === SLICE - 1) await new Promise((go) => setTimeout(go));
    if (sha256(`${task}.${number}`)[0] >>> (32 - bits) === 0) return `${task}.${number}`;
  }
}
