import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLease, type Lease } from './lease.js';
import { wireLease } from './testing/wire-lease.js';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const read = (value: unknown) => readLease(value, now, (traceparent) => traceparent ?? 'new-trace');

function must(value: unknown): Lease {
  const lease = read(value);
  if (lease === null) throw new Error('not a lease');
  return lease;
}

describe('readLease', () => {
  it('reads what a run needs', () => {
    const lease = must(
      wireLease({
        attempt: 2,
        expires_at: '2026-01-01T00:01:30.000Z',
        execution: { id: 'e', prompt: 'do it', job_id: 'job_1' },
        agent: { runtime: 'default', system_prompt: 'be kind' },
        traceparent: 'tp',
      }),
    );
    expect(lease).toMatchObject({
      executionId: 'e',
      token: 'lease-token-1',
      attempt: 2,
      durationMs: 90_000,
      kind: 'agent',
      prompt: 'do it',
      jobId: 'job_1',
      model: 'development-model',
      traceId: 'tp',
      timeoutMs: 3_600_000,
    });
  });

  it('takes the model from the resolved one, then the agent', () => {
    expect(must(wireLease({ model: 'plain' })).model).toBe('plain');
    expect(must(wireLease({ model: null, agent: { model_id: 'of-agent' } })).model).toBe('of-agent');
    expect(must(wireLease({ model: null })).model).toBeNull();
  });

  it('lets the execution override the agent in its MCP servers and the resolved environment override both', () => {
    const lease = must(
      wireLease({
        agent: {
          execution_environment: {
            mcp_servers: { a: { url: 'agent' }, b: { url: 'agent' } },
            env_vars: { A: '1', B: '1', C: '1' },
          },
        },
        execution: {
          execution_environment: {
            mcp_servers: { b: { url: 'execution' } },
            env_vars: { B: 2, C: '2' },
            secrets: ['C'],
          },
        },
        environment: { C: '3' },
      }),
    );
    expect(lease.mcpServers).toEqual({ a: { url: 'agent' }, b: { url: 'execution' } });
    expect(lease.environment).toEqual({ A: '1', B: '2', C: '3' });
    expect(lease.secretNames).toEqual(['C']);
  });

  it('takes the time-out from the configuration nearest to the execution', () => {
    const agent = { configuration: { timeout_seconds: 9 } };
    expect(must(wireLease({ agent })).timeoutMs).toBe(9_000);
    expect(must(wireLease({ agent, config: { timeout_seconds: 5 } })).timeoutMs).toBe(5_000);
  });

  it('says whether it is for a team, a workflow or nothing', () => {
    expect(must(wireLease({ team: {} })).kind).toBe('team');
    expect(must({ lease_token: 't', execution: { id: 'e' }, workflow: {} }).kind).toBe('workflow');
    expect(must({ lease_token: 't', execution: { id: 'e' } }).kind).toBe('none');
  });

  it('answers null or a lease for any JSON, and never throws', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom('agent', 'model', 'environment', 'attempt'), fc.jsonValue()),
        (any, parts) => {
          expect(() => read(any)).not.toThrow();
          expect(read({ lease_token: 't', execution: { id: 'e' }, ...parts })).not.toBeNull();
        },
      ),
    );
  });
});
