import type { JsonObject } from '@app/kernel';

/** Returns a lease in its wire format, with the given fields overridden. */
export function wireLease(
  overrides: { readonly execution?: JsonObject; readonly agent?: JsonObject } & Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { execution, agent, ...rest } = overrides;
  return {
    lease_token: 'lease-token-1',
    attempt: 1,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    execution: {
      id: 'exec-1',
      prompt: 'hello',
      system_prompt: null,
      execution_metadata: {},
      job_id: null,
      ...execution,
    },
    agent: { id: 'agent-1', name: 'Helper', runtime: 'default', configuration: {}, llm_config: {}, ...agent },
    skills: [],
    context: {},
    environment: {},
    model: { value: 'development-model' },
    ...rest,
  };
}
