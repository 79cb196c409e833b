import { describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { RunControl, RunTimeout } from './run-control.js';

describe('RunControl', () => {
  it('ends the work but not the writes when the time is up', async () => {
    const control = new RunControl(5);
    await once(control.workSignal, 'abort');
    expect(control.workSignal.reason).toBeInstanceOf(RunTimeout);
    expect(control.writeSignal.aborted).toBe(false);
    expect(control.abandoned).toBeNull();
  });

  it('ends work and writes when abandoned, and says why', () => {
    const control = new RunControl(60_000);
    control.abandon('cancelled');
    expect(control.workSignal.aborted && control.writeSignal.aborted).toBe(true);
    expect(control.abandoned).toBe('cancelled');
  });

  it('keeps the first reason', () => {
    const control = new RunControl(60_000);
    control.abandon('lease lost');
    control.abandon('shutdown');
    expect(control.abandoned).toBe('lease lost');
  });

  it('holds while paused, until resumed', async () => {
    const control = new RunControl(60_000);
    control.pause();
    let held = true;
    const passed = control.whilePaused().then(() => (held = false));
    await Promise.resolve();
    expect(held).toBe(true);
    control.resume();
    await passed;
    control.end();
  });

  it('lets go of who waits in a pause when the run is abandoned', async () => {
    const control = new RunControl(60_000);
    control.pause();
    const waiting = control.whilePaused();
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
