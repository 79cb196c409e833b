// Starts the longest test files first, so that the workers finish at the same time. Jest knows only the durations of
// the last run, and none in a fresh checkout.
const Sequencer = require('@jest/test-sequencer').default;

const SLOWEST_FIRST = [
  /\/test\/chaos\//,
  /\/tools\/(start|admin)\//,
  /\/test\/(flows|laws)\//,
  /\.e2e-spec\./,
  /\.int-spec\./,
  /./,
];

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
};

function rank({ path }) {
  return SLOWEST_FIRST.findIndex((pattern) => pattern.test(path));
}
