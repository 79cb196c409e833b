import {
  streamEvents,
  unwrap,
  type ControlPlaneClient,
  type ControlPlaneComponents,
  type AnyEvent,
} from '@app/api-client';
import { eventually } from '@app/testing';
import { checkEvents } from './event-contract.js';
import type { Platform } from './platform.js';

type Schemas = ControlPlaneComponents['schemas'];
export type Execution = Schemas['ExecutionResponse'];
export type Job = Schemas['JobResponse'];

const FINAL = new Set(['completed', 'failed', 'cancelled', 'terminated']);

/** The actions of a user, through the typed client. */
export class Scenario {
  readonly client: ControlPlaneClient;
  private readonly key: string;
  private readonly url: string;

  constructor(
    private readonly platform: Platform,
    options: { readonly key?: string; readonly url?: string } = {},
  ) {
    this.key = options.key ?? platform.adminKey;
    this.url = options.url ?? platform.url;
    this.client = platform.client(this.key, this.url);
  }

  async newAgent(fields: Partial<Schemas['CreateAgentRequest']> = {}): Promise<string> {
    return (await unwrap(this.client.POST('/api/v1/agents', { body: { name: 'agent', ...fields } }))).id;
  }

  /** Creates a worker queue with the shortest heartbeat interval, so that dead workers are detected within seconds. */
  async newQueue(name: string, fields: Partial<Schemas['CreateWorkerQueueRequest']> = {}): Promise<string> {
    const params = { path: { environment_id: 'default' } };
    const body = { name, heartbeat_interval: 10, ...fields };
    return (await unwrap(this.client.POST('/api/v1/environments/{environment_id}/worker-queues', { params, body }))).id;
  }

  async newJob(agentId: string, fields: Partial<Schemas['CreateJobRequest']> = {}): Promise<string> {
    const body = {
      name: 'job',
      trigger_type: 'manual',
      prompt_template: '{{ prompt }}',
      entity_type: 'agent',
      entity_id: agentId,
      ...fields,
    } as Schemas['CreateJobRequest'];
    return (await unwrap(this.client.POST('/api/v1/jobs', { body }))).id;
  }

  async trigger(jobId: string, parameters: Record<string, unknown> = {}): Promise<Schemas['JobTriggerResponse']> {
    const params = { path: { job_id: jobId } };
    return unwrap(this.client.POST('/api/v1/jobs/{job_id}/trigger', { params, body: { parameters } }));
  }

  async execute(agentId: string, prompt: string, queueId?: string): Promise<string> {
    const params = { path: { agent_id: agentId } };
    const body = { prompt, ...(queueId === undefined ? {} : { worker_queue_id: queueId }) };
    return (await unwrap(this.client.POST('/api/v1/agents/{agent_id}/execute', { params, body }))).execution_id;
  }

  async cancel(executionId: string): Promise<Execution> {
    const params = { path: { execution_id: executionId } };
    return unwrap(this.client.POST('/api/v1/executions/{execution_id}/cancel', { params }));
  }

  async execution(id: string): Promise<Execution> {
    return unwrap(this.client.GET('/api/v1/executions/{execution_id}', { params: { path: { execution_id: id } } }));
  }

  async tasks(id: string): Promise<Schemas['TaskRecordResponse'][]> {
    const params = { path: { execution_id: id } };
    return unwrap(this.client.GET('/api/v1/executions/{execution_id}/tasks', { params }));
  }

  async job(id: string): Promise<Job> {
    return unwrap(this.client.GET('/api/v1/jobs/{job_id}', { params: { path: { job_id: id } } }));
  }

  /** Waits until the execution has a final status, and returns it. */
  async waitUntilEnded(id: string, timeoutMs?: number): Promise<Execution> {
    return eventually(async () => {
      const execution = await this.execution(id);
      if (!FINAL.has(execution.status)) throw new Error(`The execution is ${execution.status}`);
      return execution;
    }, timeoutMs);
  }

  /** Reads all events up to `done` as they arrive. Reconnects if the connection is lost. */
  follow(
    executionId: string,
    options: { readonly timeoutMs?: number; readonly lastEventId?: string } = {},
  ): EventReader {
    const { timeoutMs = 120_000, lastEventId } = options;
    return new EventReader(
      streamEvents(executionId, {
        baseUrl: this.url,
        authorization: `Bearer ${this.key}`,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.platform.stopped]),
        ...(lastEventId === undefined ? {} : { lastEventId }),
      }),
    );
  }

  /** Returns all events of an execution that has ended. */
  async readEvents(executionId: string): Promise<readonly AnyEvent[]> {
    return this.follow(executionId).done;
  }
}

/** Reads an event stream in the background. */
export class EventReader {
  readonly events: AnyEvent[] = [];
  /** Resolves with all events after the last one. */
  readonly done: Promise<readonly AnyEvent[]>;
  /** Called after each event. */
  onEvent: (() => void) | undefined;

  constructor(stream: AsyncIterable<AnyEvent>) {
    this.done = this.read(stream);
    // Prevents an unhandled rejection in tests that do not await `done`.
    this.done.catch(() => undefined);
  }

  /** Waits for an event of this type. */
  async waitFor(type: string): Promise<AnyEvent> {
    return eventually(() => {
      const found = this.events.find(({ event }) => event === type);
      if (found === undefined) throw new Error(`No ${type} among ${this.events.map(({ event }) => event).join(', ')}`);
      return found;
    });
  }

  private async read(stream: AsyncIterable<AnyEvent>): Promise<readonly AnyEvent[]> {
    for await (const event of stream) {
      this.events.push(event);
      this.onEvent?.();
    }
    checkEvents(this.events);
    return this.events;
  }
}

/** Returns the published data of an event, without the envelope of the stream. */
export function dataOf({ data }: AnyEvent): Record<string, unknown> {
  const inner = data['data'];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : data;
}

export function ofType(events: readonly AnyEvent[], type: string): AnyEvent[] {
  return events.filter(({ event }) => event === type);
}

/** Returns the counters in the ids of stored events. */
export function countersOf(events: readonly AnyEvent[]): number[] {
  return events.flatMap(({ id }) => (id === undefined ? [] : [Number(/_(\d+)_\d+$/.exec(id)?.[1])]));
}

/** Splits the events of a stream at each `gap_detected`, after which all kept events are sent again. */
export function betweenGaps(events: readonly AnyEvent[]): AnyEvent[][] {
  const parts: AnyEvent[][] = [[]];
  for (const event of events) {
    if (event.event === 'gap_detected') parts.push([]);
    else parts.at(-1)?.push(event);
  }
  return parts;
}

/** Returns the events that are duplicated, out of order, or missing without a `gap_detected`. */
export function findOrderViolations(events: readonly AnyEvent[]): string[] {
  let expected: number | undefined;
  return events.flatMap((event) => {
    if (event.event === 'gap_detected') expected = undefined;
    const [counter] = countersOf([event]);
    if (counter === undefined) return [];
    const isExpected = expected === undefined || counter === expected;
    const violation = isExpected ? [] : [`${event.event} ${event.id} instead of ${expected}`];
    expected = counter + 1;
    return violation;
  });
}
