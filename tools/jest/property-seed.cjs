// PROPERTY_SEED fixes the cases of every property test, so that a run can be repeated; without it, the cases are
// random. A failing property prints its seed in both cases.
const seed = process.env.PROPERTY_SEED;
if (seed) {
  const fastCheck = require('fast-check');
  fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(seed) });
}
