// PROPERTY_SEED fixes the cases of every property test, so that a run can be repeated; without it, every run has cases of its
// own. A failing property prints its seed in either case.
const seed = process.env.PROPERTY_SEED;
if (seed) {
  const fastCheck = require('fast-check');
  fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(seed) });
}
