import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';

type Schemas = ControlPlaneComponents['schemas'];
export type Agent = Schemas['AgentResponse'];
/** What the form of an agent has fields for. */
export type AgentFields = Pick<Agent, 'name' | 'description' | 'system_prompt' | 'model_id'>;

const ALL_AGENTS = ['agents'] as const;
/** Models that a form offers at most. */
const MAX_MODELS = 500;

/** The agents of the organization, newest first. */
export function agentsQuery({ controlPlane }: Session) {
  return keysetQuery<Agent>([...ALL_AGENTS, 'list'], (query, signal) =>
    controlPlane.GET('/api/v1/agents', { params: { query }, signal }),
  );
}

export function agentQuery({ controlPlane }: Session, id: string) {
  return queryOptions({
    queryKey: [...ALL_AGENTS, 'one', id],
    queryFn: ({ signal }) =>
      unwrap(controlPlane.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: id } }, signal })),
  });
}

export function modelsQuery({ controlPlane }: Session) {
  return queryOptions({
    queryKey: ['models', 'enabled'],
    queryFn: ({ signal }) => {
      const query = { enabled: true, limit: MAX_MODELS, total: false };
      return unwrap(controlPlane.GET('/api/v1/models', { params: { query }, signal }));
    },
  });
}

/** Creates an agent, or changes the given one. */
export function useSaveAgent(agent: Agent | undefined): UseMutationResult<Agent, Error, AgentFields> {
  const { controlPlane } = useSession();
  return useAgentChange((fields: AgentFields) => {
    if (agent === undefined) return unwrap(controlPlane.POST('/api/v1/agents', { body: fields }));
    const params = { path: { agent_id: agent.id } };
    return unwrap(controlPlane.PATCH('/api/v1/agents/{agent_id}', { params, body: changesOf(agent, fields) }));
  });
}

/** Returns the fields that a person has changed: somebody else may be changing the others. Fields are trimmed. */
function changesOf(agent: Agent, fields: AgentFields): Partial<AgentFields> {
  const names = ['name', 'description', 'system_prompt', 'model_id'] as const;
  const changed = names.filter((name) => (fields[name] ?? '') !== (agent[name] ?? '').trim());
  return Object.fromEntries(changed.map((name) => [name, fields[name]]));
}

export function useDeleteAgent(): UseMutationResult<unknown, Error, string> {
  const { controlPlane } = useSession();
  return useAgentChange((id: string) =>
    unwrap(controlPlane.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: id } } })),
  );
}

/** Resolves to the id of the execution. */
export function useRunAgent(id: string): UseMutationResult<string, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: async (prompt: string) => {
      const params = { path: { agent_id: id } };
      const started = await unwrap(
        controlPlane.POST('/api/v1/agents/{agent_id}/execute', { params, body: { prompt } }),
      );
      return started.execution_id;
    },
  });
}

function useAgentChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: ALL_AGENTS }),
  });
}
