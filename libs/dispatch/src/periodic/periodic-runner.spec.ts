import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { PeriodicRunner } from './periodic-runner.js';
import { PeriodicTask } from './periodic-task.js';

@Injectable()
class CountingTask extends PeriodicTask {
  override readonly name = 'test.count';
  override readonly intervalMs = 1;
  runs = 0;
  running = 0;
  mostAtOnce = 0;
  private reached: () => void = () => undefined;
  readonly fiveRuns = new Promise<void>((resolve) => (this.reached = resolve));

  override async run(): Promise<void> {
    this.running += 1;
    this.runs += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    if (this.runs === 5) this.reached();
    if (this.runs === 2) throw new Error('once');
  }
}

async function start(): Promise<TestingModule> {
  const providers = [PeriodicRunner, CountingTask];
  const testing = await Test.createTestingModule({ imports: [DiscoveryModule], providers }).compile();
  return testing.init();
}

describe('periodic tasks', () => {
  it('run again and again, one run at a time, whatever becomes of one', async () => {
    const testing = await start();
    const task = testing.get(CountingTask);
    await task.fiveRuns;
    expect(task.mostAtOnce).toBe(1);
    await testing.close();
  });

  it('are over when the process has stopped', async () => {
    const testing = await start();
    const task = testing.get(CountingTask);
    await testing.close();
    expect(task.running).toBe(0);
    const { runs } = task;
    await new Promise((resolve) => setImmediate(resolve));
    expect(task.runs).toBe(runs);
  });
});
