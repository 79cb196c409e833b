// The environment of all tests. They run in the realm of the Jest worker itself (see runtime.cjs). At the end of a test
// file the globals and environment variables that it changed are restored.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { recordCosts } = require('./costs.cjs');
const { holdOutput } = require('./held-output.cjs');
require('./worker-exit.cjs');

// Keys of jest-circus, which is evaluated for each test file. Other symbols belong to packages, which stay loaded.
const CIRCUS_KEY = /^Symbol\((EVENT_HANDLERS|JEST_STATE_SYMBOL)\)$/;
// Globals of packages, which stay loaded: TypeORM keeps what the decorators of entities declare.
const PACKAGE_GLOBALS = new Set(['typeormMetadataArgsStorage']);

module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  restore = rememberGlobals();

  constructor({ projectConfig }, { testPath }) {
    // Unit and integration tests run last (see sequencer.cjs): the shared platform, which runs periodic tasks even if
    // nobody uses it, ends here.
    if (projectConfig.displayName?.name !== 'e2e') process.emit('no e2e test');
    this.costs = recordCosts(testPath);
    this.releaseOutput = holdOutput();
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.releaseOutput(globalThis.testHasFailed === true);
    this.restore();
    this.costs?.end();
  }

  getVmContext() {
    return globalThis;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /**
   * Sets the global `testHasFailed` when a test or hook fails, so that test support prints the logs of its processes.
   */
  handleTestEvent({ name, test }) {
    if (name === 'test_start') this.costs?.at(test.name);
    if (name === 'test_fn_failure' || name === 'hook_failure') globalThis.testHasFailed = true;
  }
};

function rememberGlobals() {
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const environment = { ...process.env };
  const exit = Object.getOwnPropertyDescriptor(process, 'exit');
  return () => {
    for (const key of Reflect.ownKeys(globalThis)) {
      const former = globals[key];
      if (former === undefined) {
        if (isOfTestFile(key)) Reflect.deleteProperty(globalThis, key);
      } else if ('value' in former && former.value !== globalThis[key]) {
        Object.defineProperty(globalThis, key, former);
      }
    }
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    Object.defineProperty(process, 'exit', exit);
  };
}

function isOfTestFile(key) {
  return typeof key === 'string' ? !PACKAGE_GLOBALS.has(key) : CIRCUS_KEY.test(String(key));
}
