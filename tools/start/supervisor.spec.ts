import { describe, expect, it } from '@jest/globals';
import type { ExitStatus } from '../provision/server-process.js';
import { Supervisor, type Part } from './supervisor.js';

const killed: ExitStatus = { code: null, signal: 'SIGKILL' };

/** A part whose ends the test decides. */
class FakePart implements Part {
  readonly name: string;
  lives = 1;
  exited: Promise<ExitStatus>;
  end: (status: ExitStatus) => void = () => undefined;

  constructor(
    readonly label: string,
    private readonly told: string[],
  ) {
    this.name = `The ${label}`;
    this.exited = this.live();
  }

  async restart(): Promise<void> {
    this.lives += 1;
    this.exited = this.live();
    this.told.push(`${this.label} lives again`);
  }

  async stop(): Promise<void> {
    this.told.push(`${this.label} stops`);
    this.end({ code: 0, signal: null });
  }

  lastLines(): readonly string[] {
    return ['the last thing it said'];
  }

  private live(): Promise<ExitStatus> {
    return new Promise((resolve) => (this.end = resolve));
  }
}

describe('the supervisor', () => {
  /** A supervisor that pauses no longer than a turn of the loop, on a clock that the test moves. */
  function supervise(...labels: string[]): {
    supervisor: Supervisor;
    parts: FakePart[];
    told: string[];
    clock: { now: number };
  } {
    const told: string[] = [];
    const clock = { now: 0 };
    const supervisor = new Supervisor({
      onStep: (step) => told.push(step),
      now: () => clock.now,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const parts = labels.map((label) => new FakePart(label, told));
    for (const part of parts) supervisor.add(part);
    return { supervisor, parts, told, clock };
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  it('fails with the end of a part that comes before all are up', async () => {
    const { supervisor, parts } = supervise('server', 'app');
    parts[1]?.end({ code: 3, signal: null });
    await expect(supervisor.failed).rejects.toMatchObject({
      message: 'The app ended unexpectedly, with exit code 3.',
      remedy: expect.stringContaining('the last thing it said'),
    });
    await supervisor.stopAll();
  });

  it('starts a part again that ends after all were up, and says so', async () => {
    const { supervisor, parts, told } = supervise('app');
    supervisor.allUp();
    parts[0]?.end(killed);
    await until(() => parts[0]?.lives === 2);
    expect(told).toEqual([
      'The app ended unexpectedly, by SIGKILL: starting it again in 1 s (the end of its log: the last thing it said)',
      'app lives again',
    ]);
    await supervisor.stopAll();
  });

  it('starts a part for ever, with a pause that grows, and shrinks again after a quiet minute', async () => {
    const { supervisor, parts, told, clock } = supervise('app');
    supervisor.allUp();
    const failed = supervisor.failed.catch(() => 'failed');
    for (let life = 1; life <= 9; life += 1) {
      await until(() => parts[0]?.lives === life);
      await new Promise((resolve) => setImmediate(resolve));
      if (life === 8) clock.now += 60_000;
      parts[0]?.end(killed);
    }
    await until(() => parts[0]?.lives === 10);
    expect(told.flatMap((line) => / in (\d+) s/.exec(line)?.[1] ?? [])).toEqual([
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
    expect(await Promise.race([failed, Promise.resolve('lives')])).toBe('lives');
    await supervisor.stopAll();
  });

  it('tries again where a part could not even be started, and says why', async () => {
    const { supervisor, parts, told } = supervise('server');
    const [server] = parts;
    if (server === undefined) throw new Error('No part');
    const restart = server.restart.bind(server);
    let refusals = 2;
    server.restart = async () => {
      refusals -= 1;
      if (refusals >= 0) throw new Error('The disk is full.\n and more');
      await restart();
    };
    supervisor.allUp();
    server.end(killed);
    await until(() => server.lives === 2);
    expect(told.slice(1)).toEqual([
      'The server could not be started: starting it again in 2 s (The disk is full.)',
      'The server could not be started: starting it again in 4 s (The disk is full.)',
      'server lives again',
    ]);
    await supervisor.stopAll();
  });

  it('stops the parts last to first, and starts none of them again', async () => {
    const { supervisor, parts, told } = supervise('server', 'app');
    supervisor.allUp();
    await supervisor.stopAll();
    expect(told).toEqual(['app stops', 'server stops']);
    expect(parts.map(({ lives }) => lives)).toEqual([1, 1]);
  });

  it('lets a part that is starting again finish its start before it stops it', async () => {
    const { supervisor, parts, told } = supervise('server');
    const [server] = parts;
    let finish = (): void => undefined;
    const restart = new Promise<void>((resolve) => (finish = resolve));
    if (server !== undefined) server.restart = () => (told.push('begins'), restart);
    supervisor.allUp();
    server?.end(killed);
    await until(() => told.includes('begins'));
    const stopped = supervisor.stopAll();
    told.push('asked to stop');
    finish();
    await stopped;
    expect(told.slice(1)).toEqual(['begins', 'asked to stop', 'server stops']);
  });
});
