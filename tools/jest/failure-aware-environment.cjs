const { TestEnvironment } = require('jest-environment-node');

/** Says `testHasFailed` to what runs in a test file once something of it failed, so that processes can tell their story. */
module.exports = class FailureAwareEnvironment extends TestEnvironment {
  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.global.testHasFailed = true;
  }
};
