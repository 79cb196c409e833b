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
  function supervise(...labels: string[]): { supervisor: Supervisor; parts: FakePart[]; told: string[] } {
    const told: string[] = [];
    const supervisor = new Supervisor({ onStep: (step) => told.push(step), pauseMs: 0 });
    const parts = labels.map((label) => new FakePart(label, told));
    for (const part of parts) supervisor.add(part);
    return { supervisor, parts, told };
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
    expect(told).toEqual(['The app ended unexpectedly, by SIGKILL: starting it again', 'app lives again']);
    await supervisor.stopAll();
  });

  it('gives up on a part that ends a sixth time within a minute', async () => {
    const { supervisor, parts } = supervise('app');
    supervisor.allUp();
    for (let life = 1; life <= 6; life += 1) {
      await until(() => parts[0]?.lives === life);
      parts[0]?.end(killed);
    }
    await expect(supervisor.failed).rejects.toMatchObject({ message: 'The app ended unexpectedly, by SIGKILL.' });
    expect(parts[0]?.lives).toBe(6);
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
