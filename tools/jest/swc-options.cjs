// The options of .swcrc for code that runs as CommonJS in tests. The paths of `@app/*` are left out: the module resolution
// of Jest and of the policy thread maps them.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const { jsc } = JSON.parse(readFileSync(path.join(__dirname, '..', '..', '.swcrc'), 'utf8'));
const { target, parser, transform, keepClassNames } = jsc;

module.exports = { swcrc: false, jsc: { target, parser, transform, keepClassNames }, module: { type: 'commonjs' } };
