const { TestEnvironment } = require('jest-environment-node');

/** Sets the global `testHasFailed` when a test or hook fails, so that test support prints the logs of its processes. */
module.exports = class FailureAwareEnvironment extends TestEnvironment {
  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.global.testHasFailed = true;
  }
};
