import {
  createControlPlaneClient,
  streamEvents,
  unwrap,
  type ControlPlaneComponents,
  type StreamedEvent,
} from '@app/api-client';

export interface DemoExecution {
  readonly status: string;
  readonly response: string | null;
  readonly error_message: string | null;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

/** The spans of a trace, without their attributes. */
type DemoTrace = ControlPlaneComponents['schemas']['TraceOutlineResponse'];

/**
 * A step that sends a prompt to a model. A type alias, because an interface is not assignable to an object with further
 * keys.
 */
type WorkflowStep = { readonly name: string; readonly type: 'prompt'; readonly prompt: string };

/** The requests that the demo sends to the control plane. */
export class DemoControlPlane {
  private readonly client;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {
    this.client = createControlPlaneClient({ baseUrl, apiKey });
  }

  async createAgent(name: string, systemPrompt: string, teamId?: string): Promise<string> {
    const body = { name, system_prompt: systemPrompt, ...(teamId === undefined ? {} : { team_id: teamId }) };
    return (await unwrap(this.client.POST('/api/v1/agents', { body }))).id;
  }

  async createTeam(name: string, instructions: string): Promise<string> {
    const body = { name, configuration: { instructions } };
    return (await unwrap(this.client.POST('/api/v1/teams', { body }))).id;
  }

  async createWorkflow(name: string, steps: readonly WorkflowStep[]): Promise<string> {
    return (await unwrap(this.client.POST('/api/v1/workflows', { body: { name, steps: [...steps] } }))).id;
  }

  /** Returns the id of the new execution. */
  async executeTeam(teamId: string, prompt: string): Promise<string> {
    const params = { path: { team_id: teamId } };
    const started = await unwrap(this.client.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } }));
    return started.execution_id;
  }

  /** Returns the id of the new execution. */
  async executeWorkflow(workflowId: string, parameters: Record<string, unknown>): Promise<string> {
    const request = { params: { path: { workflow_id: workflowId } }, body: { params: parameters } };
    return (await unwrap(this.client.POST('/api/v1/workflows/{workflow_id}/execute', request))).execution_id;
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

  /** Returns the outline of the trace of an execution; undefined until its first spans have arrived. */
  async trace(id: string): Promise<DemoTrace | undefined> {
    const { trace_id } = await unwrap(
      this.client.GET('/api/v1/executions/{execution_id}', { params: { path: { execution_id: id } } }),
    );
    if (trace_id === null) return undefined;
    const params = { path: { trace_id } };
    const { data } = await this.client.GET('/api/v1/traces/{trace_id}/outline', { params });
    return data;
  }

  /** Yields every event of an execution until it has ended. */
  stream(id: string, signal: AbortSignal): AsyncIterable<StreamedEvent> {
    return streamEvents(id, { baseUrl: this.baseUrl, authorization: `Bearer ${this.apiKey}`, signal });
  }
}
