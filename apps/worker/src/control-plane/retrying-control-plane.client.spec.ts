import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@app/observability';
import { ControlPlaneError } from './control-plane.errors.js';
import { RetryingControlPlaneClient, retryDelay } from './retrying-control-plane.client.js';
import { FakeControlPlane } from '../testing/fake-control-plane.js';

describe('retryDelay', () => {
  it('retries an unavailable control plane without limit', () => {
    expect(retryDelay(new ControlPlaneError('unavailable', ''), 1_000)).toBeGreaterThan(0);
  });

  it('never waits less than Retry-After', () => {
    expect(retryDelay(new ControlPlaneError('unavailable', '', 7_000), 1)).toBeGreaterThanOrEqual(7_000);
  });

  it('gives up on an internal error after five attempts', () => {
    const broken = new ControlPlaneError('broken', '');
    expect(retryDelay(broken, 4)).toBeGreaterThan(0);
    expect(retryDelay(broken, 5)).toBeNull();
  });

  it.each(['gone', 'forbidden', 'refused'] as const)('does not retry an error of kind %s', (kind) => {
    expect(retryDelay(new ControlPlaneError(kind, ''), 1)).toBeNull();
  });

  it('does not retry other errors', () => {
    expect(retryDelay(new Error('ended'), 1)).toBeNull();
  });
});

describe('an event whose response is lost', () => {
  it('is sent again under the same key, and the next event under another key', async () => {
    const inner = new FakeControlPlane();
    const keys: (string | undefined)[] = [];
    inner.publishEvent = async (_lease, { key }): Promise<void> => {
      keys.push(key);
      if (keys.length === 1) throw new ControlPlaneError('unavailable', '');
    };
    const client = new RetryingControlPlaneClient(inner, createLogger('test'));
    const event = { event_type: 'x', data: {}, timestamp: '2026-01-01T00:00:00Z' };
    const lease = {
      executionId: 'e',
      token: 't',
      trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: null },
      isMonitored: true,
    };
    for (let n = 0; n < 2; n += 1) await client.publishEvent(lease, event, new AbortController().signal);
    expect(keys).toEqual([expect.any(String), keys[0], expect.any(String)]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});
