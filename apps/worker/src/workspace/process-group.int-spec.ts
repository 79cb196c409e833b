import { ChildProcess } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ProcessGroup } from './process-group.js';

describe('ProcessGroup', () => {
  it('leaves no listener after writes that waited for the process', async () => {
    const controller = new AbortController();
    const command = { command: 'cat', args: [], cwd: process.cwd(), env: { PATH: process.env['PATH'] ?? '' } };
    const output = { onStdout: () => undefined, onStderr: () => undefined };
    const group = new ProcessGroup({ ...command, input: null }, output, controller.signal);
    const { stdin } = Reflect.get(group, 'child') as ChildProcess;
    const before = stdin?.listenerCount('close');
    for (let count = 0; count < 12; count += 1) await group.write('x'.repeat(1_048_576));
    expect(stdin?.listenerCount('close')).toBe(before);
    expect(stdin?.listenerCount('drain')).toBe(0);
    controller.abort();
    await group.ended;
  });
});
