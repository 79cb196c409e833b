// Takes the place of libs/policies/src/threads/thread-file.ts under Jest: threads run outside Jest, and there is no build.
const { join } = require('node:path');

module.exports = { THREAD_FILE: join(__dirname, 'policy-thread.cjs') };
