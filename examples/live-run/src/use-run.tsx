import { createControlPlaneClient, streamEvents, unwrap } from 'agent-orchestration-client';
import { useCallback, useEffect, useRef, useState } from 'react';

export interface RunRequest {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly agent: string;
  readonly prompt: string;
}

export interface Run {
  readonly status: string;
  /** The newest message of the agent, as far as it has arrived. */
  readonly text: string;
  readonly messageId: string | null;
  /** The types of the events, in order. */
  readonly events: readonly string[];
  readonly error: string | null;
}

const NOT_STARTED: Run = { status: 'not started', text: '', messageId: null, events: [], error: null };

/**
 * Starts a run of the agent with this name, which is created if it does not exist, and follows the run until it ends.
 */
export function useRun(): readonly [Run, (request: RunRequest) => void] {
  const [run, setRun] = useState(NOT_STARTED);
  const following = useRef<AbortController>(null);
  const change = useCallback((changes: (before: Run) => Partial<Run>) => {
    setRun((before) => ({ ...before, ...changes(before) }));
  }, []);
  // Closes the stream when the component is unmounted.
  useEffect(() => () => following.current?.abort(), []);

  const start = useCallback(
    (request: RunRequest) => {
      following.current?.abort();
      const { signal } = (following.current = new AbortController());
      setRun({ ...NOT_STARTED, status: 'starting' });
      follow(request, signal, change).catch((error: unknown) => {
        if (!signal.aborted) change(() => ({ status: 'not followed', error: String(error) }));
      });
    },
    [change],
  );
  return [run, start];
}

async function follow(
  { baseUrl, apiKey, agent, prompt }: RunRequest,
  signal: AbortSignal,
  change: (changes: (before: Run) => Partial<Run>) => void,
): Promise<void> {
  const client = createControlPlaneClient({ baseUrl, apiKey });
  const agents = await unwrap(client.GET('/api/v1/agents', { signal }));
  const { id } =
    agents.find(({ name }) => name === agent) ??
    (await unwrap(client.POST('/api/v1/agents', { body: { name: agent }, signal })));
  const started = await unwrap(
    client.POST('/api/v1/agents/{agent_id}/execute', { params: { path: { agent_id: id } }, body: { prompt }, signal }),
  );
  const { execution_id } = started;
  change(() => ({ status: started.status }));
  const { ticket } = await unwrap(
    client.POST('/api/v1/executions/{execution_id}/stream-ticket', { params: { path: { execution_id } }, signal }),
  );
  for await (const { event, data } of streamEvents(execution_id, { baseUrl, ticket, signal })) {
    change(({ events, text, messageId, status }) => ({
      events: [...events, event],
      // A message that begins anew, after the loss of its worker, has another id.
      ...(event === 'message_chunk' && {
        text: data.data.message_id === messageId ? text + data.data.content : data.data.content,
        messageId: data.data.message_id,
      }),
      status: event === 'connected' || event === 'status' || event === 'done' ? data.status : status,
    }));
  }
}
