// Loaded by the tests in place of fast-check. PROPERTY_SEED fixes the cases of every property test, so that a run can be
// repeated; without it, every run has cases of its own. A failing property prints its seed in either case.
const fastCheck = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

const seed = process.env.PROPERTY_SEED;
if (seed) fastCheck.configureGlobal({ ...fastCheck.readConfigureGlobal(), seed: Number(seed) });

module.exports = fastCheck;
