import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Platform } from '../support/platform.js';

describe('a control plane with an error that nobody handled', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await Platform.start({ controlPlanes: 0 });
  });
  afterAll(() => platform.stop());

  it.each([
    ['thrown', 'throw new Error("planned")', 'uncaughtException'],
    ['rejected', 'Promise.reject(new Error("planned"))', 'unhandledRejection'],
  ])('that was %s ends, and its log says why in a line of its own', async (_how, statement, origin) => {
    // What a defect would do, at a moment the test chooses.
    const defect = encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} })`);
    const { process } = await platform.startControlPlane({ NODE_OPTIONS: `--import=data:text/javascript,${defect}` });
    process.signal('SIGUSR2');
    expect(await process.ended()).toBe(1);
    const lines = process
      .log()
      .split('\n')
      .filter((line) => line.includes('nobody handled'));
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 'fatal', origin, err: expect.objectContaining({ message: 'planned' }) }),
    ]);
  });
});
