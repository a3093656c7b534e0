// What a phone does to its answer before it sends it, with the browser's cryptographic randomness.
// The server tells the probabilities; tests hold the frequencies against the core's laws.

// A number in [0, 1) of 53 random bits.
export function uniform() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

// The answer, true with probability `truth`, otherwise turned round: randomised response.
export function randomised(bit, truth) {
  return uniform() < truth ? bit : 1 - bit;
}

// A negative binomial number of messages, law Γ(k + share)/(k! Γ(share)) more^k (1 − more)^share.
export function noiseMessages(share, more) {
  let left = uniform();
  let mass = (1 - more) ** share;
  let k = 0;
  while (left >= mass && k < 1e5) {
    left -= mass;
    mass *= (more * (k + share)) / (k + 1);
    k += 1;
  }
  return k;
}
