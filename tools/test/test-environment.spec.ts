import { describe, expect, it } from '@jest/globals';
import { settingNames } from '../start/check-settings.js';
import { testEnvironment } from './test-environment.js';

describe('the environment of the tests', () => {
  it('contains no setting of the caller, except the log level', () => {
    const settings = Object.fromEntries(settingNames().map((name) => [name, 'of the caller']));
    expect(testEnvironment(settings)).toEqual({ NODE_ENV: 'test', TZ: 'UTC', LOG_LEVEL: 'of the caller' });
  });

  it('contains the other variables of the caller', () => {
    const others = { PATH: '/bin', CHROMIUM_PATH: '/bin/chromium', FUZZ_RUNS: '50' };
    expect(testEnvironment(others)).toEqual({ ...others, NODE_ENV: 'test', TZ: 'UTC', LOG_LEVEL: 'error' });
  });
});
