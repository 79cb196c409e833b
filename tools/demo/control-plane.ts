import { createControlPlaneClient, streamEvents, unwrap, type StreamedEvent } from '@app/api-client';

export interface DemoExecution {
  readonly status: string;
  readonly response: string | null;
  readonly error_message: string | null;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

/** The requests that the demo sends to the control plane. */
export class DemoControlPlane {
  private readonly client;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {
    this.client = createControlPlaneClient({ baseUrl, apiKey });
  }

  async createAgent(name: string, systemPrompt: string): Promise<string> {
    const agent = await unwrap(this.client.POST('/api/v1/agents', { body: { name, system_prompt: systemPrompt } }));
    return agent.id;
  }

  async createManualJob(name: string, agentId: string, promptTemplate: string): Promise<string> {
    const job = await unwrap(
      this.client.POST('/api/v1/jobs', {
        body: {
          name,
          trigger_type: 'manual',
          entity_type: 'agent',
          entity_id: agentId,
          prompt_template: promptTemplate,
        },
      }),
    );
    return job.id;
  }

  /** Triggers a job and returns the id of the new execution. */
  async trigger(jobId: string, parameters: Record<string, unknown>): Promise<string> {
    const path = { job_id: jobId };
    const result = await unwrap(
      this.client.POST('/api/v1/jobs/{job_id}/trigger', { params: { path }, body: { parameters } }),
    );
    return result.execution_id;
  }

  execution(id: string): Promise<DemoExecution> {
    return unwrap(this.client.GET('/api/v1/executions/{execution_id}', { params: { path: { execution_id: id } } }));
  }

  /** Yields every event of an execution until it has ended. */
  stream(id: string, signal: AbortSignal): AsyncIterable<StreamedEvent> {
    return streamEvents(id, { baseUrl: this.baseUrl, authorization: `Bearer ${this.apiKey}`, signal });
  }
}
