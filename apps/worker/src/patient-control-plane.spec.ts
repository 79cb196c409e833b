import { describe, expect, it } from '@jest/globals';
import { ControlPlaneError } from './control-plane.errors.js';
import { retryDelay } from './patient-control-plane.js';

describe('retryDelay', () => {
  it('waits for what is unavailable, however often it failed', () => {
    expect(retryDelay(new ControlPlaneError('unavailable', ''), 1_000)).toBeGreaterThan(0);
  });

  it('never waits less than it was asked to', () => {
    expect(retryDelay(new ControlPlaneError('unavailable', '', 7_000), 1)).toBeGreaterThanOrEqual(7_000);
  });

  it('gives up on an error of the control plane after five tries', () => {
    const broken = new ControlPlaneError('broken', '');
    expect(retryDelay(broken, 4)).toBeGreaterThan(0);
    expect(retryDelay(broken, 5)).toBeNull();
  });

  it.each(['gone', 'forbidden', 'refused'] as const)('does not repeat what is %s', (kind) => {
    expect(retryDelay(new ControlPlaneError(kind, ''), 1)).toBeNull();
  });

  it('does not repeat what it does not know', () => {
    expect(retryDelay(new Error('ended'), 1)).toBeNull();
  });
});
