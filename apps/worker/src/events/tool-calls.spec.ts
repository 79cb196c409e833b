import { describe, expect, it } from '@jest/globals';
import type { Lease } from '../control-plane/lease.js';
import { FakeControlPlane } from '../testing/fake-control-plane.js';
import { ToolCalls } from './tool-calls.js';

const lease = { executionId: 'exec-1', attempt: 2 } as Lease;
const { signal } = new AbortController();

describe('tool calls', () => {
  it('are saved after the event of their end, those of members with the name of the member', async () => {
    const controlPlane = new FakeControlPlane();
    const calls = new ToolCalls(controlPlane);
    const call = { tool_name: 'search', tool_execution_id: 'm1.c1', message_id: 'm1', tool_arguments: { q: 'x' } };
    const outcome = { status: 'failed', tool_output: null, tool_error: 'No network' };
    const at = (second: number): string => `2026-01-02T03:04:0${second}.000Z`;
    await calls.publish(lease, { event_type: 'tool_started', data: call, timestamp: at(1) }, signal);
    const member = { ...call, tool_execution_id: 'm2.c1', message_id: 'm2', member_name: 'Ada' };
    const done = { ...member, status: 'success', tool_output: 'x' };
    await calls.publish(lease, { event_type: 'member_tool_completed', data: done, timestamp: at(2) }, signal);
    await calls.publish(
      lease,
      { event_type: 'tool_completed', data: { ...call, ...outcome }, timestamp: at(3) },
      signal,
    );
    await calls.publish(lease, { event_type: 'tool_completed', data: {}, timestamp: at(4) }, signal);
    expect(controlPlane.writes).toEqual([
      'exec-1: event tool_started',
      'exec-1: event member_tool_completed',
      'exec-1: tool call 2.m2.c1',
      'exec-1: event tool_completed',
      'exec-1: tool call 2.m1.c1',
      'exec-1: event tool_completed',
    ]);
    expect(controlPlane.toolCalls).toEqual([
      {
        ...{ id: '2.m2.c1', tool_execution_id: 'm2.c1', tool_name: 'search', message_id: 'm2', member_name: 'Ada' },
        ...{ status: 'success', arguments: { q: 'x' }, output: 'x', error: undefined, attempt: 2 },
        ...{ started_at: null, completed_at: at(2) },
      },
      {
        ...{ id: '2.m1.c1', tool_execution_id: 'm1.c1', tool_name: 'search', message_id: 'm1', member_name: null },
        ...{ status: 'failed', arguments: { q: 'x' }, output: null, error: 'No network', attempt: 2 },
        ...{ started_at: at(1), completed_at: at(3) },
      },
    ]);
  });
});
