// Preloaded with TEST_DELAYS into the processes of a test run (`node --require`): delays writes to sockets and timers at
// random, as on a busy machine or network, so that races show that a calm machine hides. Most are delayed by nothing, some
// by a few milliseconds, few by much more. The order of the writes of a socket stays. The seed fixes the sequence of the
// delays of a process, not the order in which processes run.
const { createHash } = require('node:crypto');
const { Socket } = require('node:net');

const MAX_MS = 40;

const { setTimeout: originalTimeout, setInterval: originalInterval } = globalThis;
const random = generator(`${process.env.TEST_DELAYS} ${process.argv[1] ?? ''} ${process.env.JEST_WORKER_ID ?? ''}`);

/** Returns a delay in milliseconds: mostly 0, seldom near the maximum. */
function delay() {
  const chance = random();
  return chance < 0.7 ? 0 : Math.floor(MAX_MS * ((chance - 0.7) / 0.3) ** 3);
}

for (const name of ['_write', '_writev']) {
  const original = Socket.prototype[name];
  Socket.prototype[name] = function delayed(...args) {
    const ms = delay();
    if (ms === 0) return original.apply(this, args);
    const done = args.at(-1);
    originalTimeout(() => (this.destroyed ? done(this.errored ?? undefined) : original.apply(this, args)), ms);
    return undefined;
  };
}

// Properties such as the symbol of `util.promisify` stay.
globalThis.setTimeout = Object.assign(function setTimeout(callback, ms, ...args) {
  return originalTimeout(callback, millisecondsOf(ms) + delay(), ...args);
}, originalTimeout);
Object.defineProperties(globalThis.setTimeout, Object.getOwnPropertyDescriptors(originalTimeout));
globalThis.setInterval = function setInterval(callback, ms, ...args) {
  return originalInterval(callback, millisecondsOf(ms) + delay(), ...args);
};

/** Reads the parameter of a timer as Node does: it may be missing, or a text. */
function millisecondsOf(ms) {
  return Number(ms ?? 0);
}

/** Returns a generator of numbers from 0 to below 1 (mulberry32). */
function generator(text) {
  let state = createHash('sha256').update(text).digest().readInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
