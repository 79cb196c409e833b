import { describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { RunControl, RunTimeout } from './run-control.js';

describe('RunControl', () => {
  it('aborts the work but not the writes on time-out', async () => {
    const control = new RunControl(5);
    await once(control.workSignal, 'abort');
    expect(control.workSignal.reason).toBeInstanceOf(RunTimeout);
    expect(control.writeSignal.aborted).toBe(false);
    expect(control.abandonReason).toBeNull();
  });

  it('aborts work and writes with the reason when abandoned', () => {
    const control = new RunControl(60_000);
    control.abandon('cancelled');
    expect(control.workSignal.aborted && control.writeSignal.aborted).toBe(true);
    expect(control.abandonReason).toBe('cancelled');
  });

  it('keeps the first reason of several abandonments', () => {
    const control = new RunControl(60_000);
    control.abandon('lease lost');
    control.abandon('shutdown');
    expect(control.abandonReason).toBe('lease lost');
  });

  it('waits while paused, until resumed', async () => {
    const control = new RunControl(60_000);
    control.pause();
    let isWaiting = true;
    const resumed = control.waitWhilePaused().then(() => (isWaiting = false));
    await Promise.resolve();
    expect(isWaiting).toBe(true);
    control.resume();
    await resumed;
    control.dispose();
  });

  it('ends the wait of a paused run when it is abandoned', async () => {
    const control = new RunControl(60_000);
    control.pause();
    const waiting = control.waitWhilePaused();
    control.abandon('cancelled');
    await waiting;
  });

  it('does not count the time spent paused', () => {
    jest.useFakeTimers();
    try {
      const control = new RunControl(10);
      jest.advanceTimersByTime(6);
      control.pause();
      jest.advanceTimersByTime(1000);
      control.resume();
      jest.advanceTimersByTime(3);
      expect(control.workSignal.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect(control.workSignal.aborted).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });
});
