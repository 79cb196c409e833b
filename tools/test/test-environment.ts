import { settingNames } from '../start/check-settings.js';

/** Returns the environment of the tests: that of the caller without settings of the platform, except the log level. */
export function testEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = new Set(settingNames());
  const inherited = Object.entries(env).filter(([name]) => !settings.has(name));
  return {
    ...Object.fromEntries(inherited),
    NODE_ENV: 'test',
    TZ: 'UTC',
    LOG_LEVEL: env['LOG_LEVEL'] || 'error',
  };
}
