// Replaces libs/domains/policies/src/evaluation-threads/thread-file.ts under Jest: threads run outside Jest, and the tests need no build.
const path = require('node:path');

module.exports = { THREAD_FILE: path.join(__dirname, 'policy-thread.cjs') };
