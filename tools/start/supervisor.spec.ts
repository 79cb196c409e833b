import { describe, expect, it } from '@jest/globals';
import type { ExitStatus } from '../provision/server-process.js';
import { Supervisor, type Part } from './supervisor.js';

const killed: ExitStatus = { code: null, signal: 'SIGKILL' };

/** A part that exits when the test calls `end`. */
class FakePart implements Part {
  readonly name: string;
  processCount = 1;
  exited: Promise<ExitStatus>;
  end: (status: ExitStatus) => void = () => undefined;

  constructor(
    readonly label: string,
    private readonly messages: string[],
  ) {
    this.name = `The ${label}`;
    this.exited = this.live();
  }

  async restart(): Promise<void> {
    this.processCount += 1;
    this.exited = this.live();
    this.messages.push(`${this.label} was restarted`);
  }

  async stop(): Promise<void> {
    this.messages.push(`${this.label} stops`);
    this.end({ code: 0, signal: null });
  }

  lastLines(): readonly string[] {
    return ['the last log line'];
  }

  private live(): Promise<ExitStatus> {
    return new Promise((resolve) => (this.end = resolve));
  }
}

describe('Supervisor', () => {
  /** A supervisor that pauses for one event-loop turn only, with a clock controlled by the test. */
  function supervise(...labels: string[]): {
    supervisor: Supervisor;
    parts: FakePart[];
    messages: string[];
    clock: { now: number };
  } {
    const messages: string[] = [];
    const clock = { now: 0 };
    const supervisor = new Supervisor({
      onStep: (step) => messages.push(step),
      now: () => clock.now,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const parts = labels.map((label) => new FakePart(label, messages));
    for (const part of parts) supervisor.add(part);
    return { supervisor, parts, messages, clock };
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }

  it('fails if a part exits before all parts are up', async () => {
    const { supervisor, parts } = supervise('server', 'app');
    parts[1]?.end({ code: 3, signal: null });
    await expect(supervisor.failed).rejects.toMatchObject({
      message: 'The app exited unexpectedly (exit code 3).',
      remedy: expect.stringContaining('the last log line'),
    });
    await supervisor.stopAll();
  });

  it('restarts a part that exits after all parts were up and reports it', async () => {
    const { supervisor, parts, messages } = supervise('app');
    supervisor.allUp();
    parts[0]?.end(killed);
    await until(() => parts[0]?.processCount === 2);
    expect(messages).toEqual([
      'The app exited unexpectedly (SIGKILL): restarting it in 1 s (last log line: the last log line)',
      'app was restarted',
    ]);
    await supervisor.stopAll();
  });

  it('restarts a part without limit, with a growing pause that is reset after a minute without exit', async () => {
    const { supervisor, parts, messages, clock } = supervise('app');
    supervisor.allUp();
    const failed = supervisor.failed.catch(() => 'failed');
    for (let life = 1; life <= 9; life += 1) {
      await until(() => parts[0]?.processCount === life);
      await new Promise((resolve) => setImmediate(resolve));
      if (life === 8) clock.now += 60_000;
      parts[0]?.end(killed);
    }
    await until(() => parts[0]?.processCount === 10);
    expect(messages.flatMap((line) => / in (\d+) s/.exec(line)?.[1] ?? [])).toEqual([
      '1',
      '2',
      '4',
      '8',
      '16',
      '30',
      '30',
      '1',
      '2',
    ]);
    expect(await Promise.race([failed, Promise.resolve('running')])).toBe('running');
    await supervisor.stopAll();
  });

  it('retries if a part cannot be started and reports why', async () => {
    const { supervisor, parts, messages } = supervise('server');
    const [server] = parts;
    if (server === undefined) throw new Error('No part');
    const restart = server.restart.bind(server);
    let failures = 2;
    server.restart = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('The disk is full.\n and more');
      await restart();
    };
    supervisor.allUp();
    server.end(killed);
    await until(() => server.processCount === 2);
    expect(messages.slice(1)).toEqual([
      'The server could not be started: restarting it in 2 s (The disk is full.)',
      'The server could not be started: restarting it in 4 s (The disk is full.)',
      'server was restarted',
    ]);
    await supervisor.stopAll();
  });

  it('stops the parts in reverse order and restarts none of them', async () => {
    const { supervisor, parts, messages } = supervise('server', 'app');
    supervisor.allUp();
    await supervisor.stopAll();
    expect(messages).toEqual(['app stops', 'server stops']);
    expect(parts.map(({ processCount }) => processCount)).toEqual([1, 1]);
  });

  it('waits until a restart has finished before it stops the part', async () => {
    const { supervisor, parts, messages } = supervise('server');
    const [server] = parts;
    let finish = (): void => undefined;
    const restart = new Promise<void>((resolve) => (finish = resolve));
    if (server !== undefined) server.restart = () => (messages.push('begins'), restart);
    supervisor.allUp();
    server?.end(killed);
    await until(() => messages.includes('begins'));
    const stopped = supervisor.stopAll();
    messages.push('stopAll called');
    finish();
    await stopped;
    expect(messages.slice(1)).toEqual(['begins', 'stopAll called', 'server stops']);
  });
});
