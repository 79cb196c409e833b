import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@app/observability';
import { FakeControlPlane } from '../testing/fake-control-plane.js';
import { LeaseCalls } from './lease-calls.js';
import type { Lease, LeaseRef } from '../control-plane/lease.js';
import { RunControl } from './run-control.js';

describe('LeaseCalls', () => {
  it('publishes events and saves tool calls under the lease of the plan', async () => {
    const controlPlane = new FakeControlPlane();
    const leases: LeaseRef[] = [];
    controlPlane.publishEvent = async (lease): Promise<void> => void leases.push(lease);
    controlPlane.saveToolCall = async (lease): Promise<void> => void leases.push(lease);
    const polled = { executionId: 'exec-1', attempt: 1, isMonitored: true } as Lease;
    const control = new RunControl(3_600_000);
    const calls = new LeaseCalls(polled, controlPlane, control, createLogger('test'));
    const planned = { ...polled, isMonitored: false };
    calls.continueUnder(planned);
    const data = { tool_execution_id: 'c1', tool_name: 'search' };
    await calls.publish({ event_type: 'tool_completed', data, timestamp: '2026-01-01T00:00:00.000Z' });
    expect(leases).toEqual([planned, planned]);
    control.dispose();
  });
});
