/** The few requests of the demo. */
export interface DemoControlPlane {
  createAgent(agent: Record<string, unknown>): Promise<{ id: string }>;
  createJob(job: Record<string, unknown>): Promise<{ id: string }>;
  triggerJob(id: string, parameters: Record<string, unknown>): Promise<{ execution_id: string }>;
  execution(id: string): Promise<DemoExecution>;
  /** The events of an execution from the first on, until `done`. */
  stream(id: string, signal: AbortSignal): AsyncIterable<StreamedEvent>;
}

export interface DemoExecution {
  readonly status: string;
  readonly response: string | null;
  readonly error_message: string | null;
  readonly usage: Record<string, unknown>;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export function demoControlPlane(address: string, apiKey: string): DemoControlPlane {
  const api = `${address}/api/v1`;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(api + path, { method, headers, ...content, signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  return {
    createAgent: (agent) => send('POST', '/agents', agent),
    createJob: (job) => send('POST', '/jobs', job),
    triggerJob: (id, parameters) => send('POST', `/jobs/${id}/trigger`, { parameters }),
    execution: (id) => send('GET', `/executions/${id}`),
    async *stream(id, signal) {
      const response = await fetch(`${api}/executions/${id}/stream`, { headers, signal });
      if (!response.ok || response.body === null) throw new Error(`The stream was answered ${response.status}`);
      for await (const frame of frames(response.body)) {
        yield frame;
        if (frame.event === 'done') return;
      }
    },
  };
}

/** Server-sent events as this service writes them: id, event and one line of JSON each. */
async function* frames(body: ReadableStream<Uint8Array>): AsyncIterable<StreamedEvent> {
  let received = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    received += chunk;
    for (let end = received.indexOf('\n\n'); end >= 0; end = received.indexOf('\n\n')) {
      const lines = received.slice(0, end).split('\n');
      received = received.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) yield { id: field('id') ?? '', event: field('event') ?? '', data: JSON.parse(data) };
    }
  }
}
