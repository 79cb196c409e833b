import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLease, type Lease } from './lease.js';
import { systemPrompt } from '../runtimes/default/agent-settings.js';
import { wireLease } from '../testing/wire-lease.js';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const read = (value: unknown) => readLease(value, now);

function readValid(value: unknown): Lease {
  const lease = read(value);
  if (lease === null) throw new Error('invalid lease');
  return lease;
}

describe('readLease', () => {
  it('reads all fields that a run needs', () => {
    const lease = readValid(
      wireLease({
        attempt: 2,
        expires_at: '2026-01-01T00:01:30.000Z',
        execution: { id: 'e', prompt: 'do it', job_id: 'job_1' },
        agent: { runtime: 'default', system_prompt: 'be kind' },
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        tracestate: 'vendor=1',
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
      trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: 'vendor=1' },
      timeoutMs: 3_600_000,
    });
  });

  it('adds the instructions of skills to the system prompt of the execution or the agent', () => {
    const skills = [
      { name: 'a', type: 'custom', configuration: { instructions: 'Be brief.' } },
      { name: 'b', type: 'mcp', configuration: { instructions: 'not these' } },
      { name: 'c', type: 'custom', configuration: { instructions: 7 } },
      { name: 'd', type: 'custom', configuration: { instructions: 'Cite.' } },
      'nonsense',
    ];
    const agent = { system_prompt: 'Be kind.' };
    const execution = { system_prompt: 'Be fast.' };
    expect(systemPrompt(readValid(wireLease({ skills, agent })))).toBe('Be kind.\n\nBe brief.\n\nCite.');
    expect(systemPrompt(readValid(wireLease({ skills, agent, execution })))).toBe('Be fast.\n\nBe brief.\n\nCite.');
    expect(systemPrompt(readValid(wireLease({ skills })))).toBe('Be brief.\n\nCite.');
    expect(systemPrompt(readValid(wireLease({ skills: null })))).toBeUndefined();
  });

  it('prefers the resolved model to that of the agent', () => {
    expect(readValid(wireLease({ model: { value: 'resolved' }, agent: { model_id: 'a' } })).model).toBe('resolved');
    expect(readValid(wireLease({ model: null, agent: { model_id: 'of-agent' } })).model).toBe('of-agent');
    expect(readValid(wireLease({ model: null })).model).toBeNull();
  });

  it('takes MCP servers, variables and secrets as the control plane has merged them', () => {
    const lease = readValid(
      wireLease({
        agent: { execution_environment: { mcp_servers: { a: { url: 'agent' } }, env_vars: { A: '1', GONE: '1' } } },
        execution: { execution_environment: { mcp_servers: { refused: { url: 'execution' } }, secrets: ['C'] } },
        environment: { A: '2' },
        mcp_servers: { a: { url: 'agent' }, e: { url: 'environment' } },
        secrets: ['A'],
        withheld_variables: { a: ['A', 7], e: 'nonsense' },
      }),
    );
    expect(lease.mcpServers).toEqual({ a: { url: 'agent' }, e: { url: 'environment' } });
    expect(lease.environment).toEqual({ A: '2' });
    expect(lease.secretNames).toEqual(['A']);
    expect(lease.withheldVariables).toEqual({ a: ['A'], e: [] });
  });

  it('runs for the time that the control plane resolved, an hour without a valid one', () => {
    expect(readValid(wireLease({ timeout_seconds: 7 })).timeoutMs).toBe(7_000);
    for (const timeout_seconds of [0, -1, null, '7']) {
      expect(readValid(wireLease({ timeout_seconds })).timeoutMs).toBe(3_600_000);
    }
  });

  it('distinguishes leases for a team, for a workflow and without an agent', () => {
    expect(readValid(wireLease({ team: {} })).kind).toBe('team');
    expect(readValid({ lease_token: 't', execution: { id: 'e' }, workflow: {} }).kind).toBe('workflow');
    expect(readValid({ lease_token: 't', execution: { id: 'e' } }).kind).toBe('none');
  });

  it('never throws, and returns a lease for any content of the optional fields', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom('agent', 'model', 'environment', 'attempt'), fc.jsonValue()),
        (value, parts) => {
          expect(() => read(value)).not.toThrow();
          expect(read({ lease_token: 't', execution: { id: 'e' }, ...parts })).not.toBeNull();
        },
      ),
    );
  });
});
