import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { Platform } from '../support/platform.js';

describe('a control plane with an unhandled error', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await Platform.start({ controlPlanes: 0 });
  });
  afterAll(() => platform.stop());

  it.each([
    ['thrown', 'throw new Error("planned")', 'uncaughtException'],
    ['rejected', 'Promise.reject(new Error("planned"))', 'unhandledRejection'],
  ])('that was %s exits and logs the reason in one line', async (_how, statement, origin) => {
    // Simulates a defect at a time that the test chooses.
    const defect = encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} })`);
    const { process } = await platform.startControlPlane({ NODE_OPTIONS: `--import=data:text/javascript,${defect}` });
    process.signal('SIGUSR2');
    expect(await process.waitForExit()).toBe(1);
    // The output of a process can arrive after its exit.
    await eventually(() => {
      const lines = process
        .log()
        .split('\n')
        .filter((line) => line.includes('unhandled error'));
      expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
        expect.objectContaining({ level: 'fatal', origin, err: expect.objectContaining({ message: 'planned' }) }),
      ]);
    });
  });
});
