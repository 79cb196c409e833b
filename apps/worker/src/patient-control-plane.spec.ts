import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@app/observability';
import { ControlPlaneError } from './control-plane.errors.js';
import { PatientControlPlane, retryDelay } from './patient-control-plane.js';
import { FakeControlPlane } from './testing/fake-control-plane.js';

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

describe('an event whose answer was lost', () => {
  it('is sent again under the same key, and the next one under another', async () => {
    const inner = new FakeControlPlane();
    const keys: (string | undefined)[] = [];
    inner.publishEvent = async (_lease, { key }): Promise<void> => {
      keys.push(key);
      if (keys.length === 1) throw new ControlPlaneError('unavailable', '');
    };
    const patient = new PatientControlPlane(inner, createLogger('test'));
    const event = { event_type: 'x', data: {}, timestamp: '2026-01-01T00:00:00Z' };
    const lease = { executionId: 'e', token: 't', traceId: 'a'.repeat(32) };
    for (let n = 0; n < 2; n += 1) await patient.publishEvent(lease, event, new AbortController().signal);
    expect(keys).toEqual([expect.any(String), keys[0], expect.any(String)]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});
