import { expect, it } from '@jest/globals';
import { call } from './http.js';
import { Platform } from './platform.js';

it('Platform.start waits until the servers respond, at any log level', async () => {
  const platform = await Platform.start({ dispatchers: 1, platformApi: true, env: { LOG_LEVEL: 'error' } });
  try {
    const { status } = await call('GET', `${platform.url}/api/health/ready`);
    expect(status).toBe(200);
  } finally {
    await platform.stop();
  }
});
