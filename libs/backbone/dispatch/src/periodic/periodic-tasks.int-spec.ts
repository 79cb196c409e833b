import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DispatchConfig, provideConfig } from '@app/config';
import { eventually } from '@app/testing';
import { Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CronExpression, ScheduleModule } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { PeriodicTask } from './periodic-task.js';
import { PeriodicTasks } from './periodic-tasks.js';

const MAX_REST_MS = 100;

/** A task whose period is a setting and one with a fixed period, as a domain declares them. */
@Injectable()
class SampleTasks implements OnApplicationBootstrap {
  intervalRuns = 0;
  cronRuns = 0;
  cronSignal: AbortSignal | undefined;
  cronFails = false;
  running = 0;
  maxRunning = 0;
  failures = 0;
  signal: AbortSignal | undefined;
  /** Whether a run waits for the end of `block`. */
  isBlocked = false;
  private blocked: Promise<void> | undefined;

  constructor(private readonly tasks: PeriodicTasks) {}

  onApplicationBootstrap(): void {
    this.tasks.every('sample.interval', 1, (signal) => this.work(signal));
  }

  @PeriodicTask(CronExpression.EVERY_SECOND, 'sample.cron', MAX_REST_MS)
  async cron(signal: AbortSignal): Promise<void> {
    this.cronSignal = signal;
    this.cronRuns += 1;
    if (this.cronFails) throw new Error('refused');
  }

  /** Blocks further runs of the interval task; returns the function that lets them end. */
  block(): () => void {
    let release: () => void = () => undefined;
    this.blocked = new Promise((resolve) => (release = resolve));
    return () => {
      this.blocked = undefined;
      release();
    };
  }

  private async work(signal: AbortSignal): Promise<void> {
    this.signal = signal;
    this.running += 1;
    this.intervalRuns += 1;
    this.maxRunning = Math.max(this.maxRunning, this.running);
    this.isBlocked = this.blocked !== undefined;
    await (this.blocked ?? new Promise((resolve) => setImmediate(resolve)));
    this.running -= 1;
    if (this.failures === 0) return;
    this.failures -= 1;
    throw new Error('unreachable');
  }
}

@Injectable()
class SampleStore implements OnApplicationShutdown {
  isOpen = true;

  onApplicationShutdown(): void {
    this.isOpen = false;
  }
}

@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [provideConfig(DispatchConfig), PeriodicTasks, SampleTasks, SampleStore],
})
class SampleModule {}

describe('PeriodicTasks', () => {
  let testing: TestingModule;
  let sample: SampleTasks;

  const start = async (): Promise<void> => {
    testing = await Test.createTestingModule({ imports: [SampleModule] }).compile();
    await testing.init();
    sample = testing.get(SampleTasks);
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  afterEach(() => testing.close());

  it('runs tasks with a fixed period and tasks with an interval, the latter at once', async () => {
    await start();
    expect(sample.intervalRuns).toBeGreaterThanOrEqual(1);
    await eventually(() => expect(sample.cronRuns).toBeGreaterThan(1));
    await eventually(() => expect(sample.intervalRuns).toBeGreaterThan(1));
  });

  it('runs a task with a fixed period under its name, with its maximum rest and the signal of the shutdown', async () => {
    await start();
    const run = jest.spyOn(testing.get(PeriodicTasks), 'run');
    const error = jest.spyOn(testing.get(PeriodicTasks)['logger'], 'error').mockImplementation(() => undefined);
    sample.cronFails = true;
    await eventually(() => expect(error).toHaveBeenCalled());
    expect(error).toHaveBeenCalledWith({ err: new Error('refused'), task: 'sample.cron' }, expect.any(String));
    expect(run).toHaveBeenCalledWith('sample.cron', expect.any(Function), MAX_REST_MS);
    expect(sample.cronSignal?.aborted).toBe(false);
    await testing.close();
    expect(sample.cronSignal?.aborted).toBe(true);
  });

  it('never overlaps the runs of one task', async () => {
    await start();
    const release = sample.block();
    await eventually(() => expect(sample.isBlocked).toBe(true));
    const runsBefore = sample.intervalRuns;
    await eventually(() => expect(sample.cronRuns).toBeGreaterThan(0));
    expect(sample.intervalRuns).toBe(runsBefore);
    release();
    await eventually(() => expect(sample.intervalRuns).toBeGreaterThan(runsBefore));
    expect(sample.maxRunning).toBe(1);
  });

  it('continues after a failed run', async () => {
    await start();
    sample.failures = 1;
    await eventually(() => expect(sample.failures).toBe(0));
    const runsBefore = sample.intervalRuns;
    await eventually(() => expect(sample.intervalRuns).toBeGreaterThan(runsBefore));
  });

  it('logs an outage once, and its end', async () => {
    await start();
    const logger = testing.get(PeriodicTasks)['logger'];
    const error = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
    const info = jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    sample.failures = 3;
    await eventually(() => expect(info).toHaveBeenCalled());
    const task = 'sample.interval';
    expect(error.mock.calls).toEqual([[{ err: new Error('unreachable'), task }, expect.any(String)]]);
    expect(info.mock.calls).toEqual([[{ task }, expect.any(String)]]);
  });

  it('aborts the run in progress at shutdown and keeps the stores open until it has ended', async () => {
    await start();
    const release = sample.block();
    await eventually(() => expect(sample.isBlocked).toBe(true));
    expect(sample.signal?.aborted).toBe(false);
    const store = testing.get(SampleStore);
    const closing = testing.close();
    await eventually(() => expect(sample.signal?.aborted).toBe(true));
    for (let turns = 0; turns < 10; turns += 1) await nextTurn();
    expect(store.isOpen).toBe(true);
    release();
    await closing;
    expect(store.isOpen).toBe(false);
  });

  it('waits at shutdown for the run in progress and starts no other', async () => {
    await start();
    const release = sample.block();
    await eventually(() => expect(sample.isBlocked).toBe(true));
    let closed = false;
    const closing = testing.close().then(() => (closed = true));
    await nextTurn();
    expect(closed).toBe(false);
    release();
    await closing;
    const runs = sample.intervalRuns;
    await nextTurn();
    expect([sample.running, sample.intervalRuns]).toEqual([0, runs]);
  });
});
