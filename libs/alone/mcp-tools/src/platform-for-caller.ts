import {
  ApiError,
  createPlatformApiClient,
  streamEvents,
  unwrap,
  type PlatformApiClient,
  type PlatformApiComponents,
  type StreamedEvent,
} from '@app/api-client';
import { parseExactJson } from '@app/kernel';
import { CallFault } from './call-fault.js';

type Schemas = PlatformApiComponents['schemas'];
export type Workflow = Schemas['WorkflowResponse'];
export type Execution = Schemas['ExecutionResponse'];
export type NewWorkflow = Schemas['CreateWorkflowRequest'];
type StartedRun = Schemas['StartedWorkflowResponse'];

/** Short, because a person waits. A longer `Retry-After` is reported to the caller. */
const RETRIES = { retries: 3, baseDelayMs: 200, maxDelayMs: 2000, maxRetryAfterMs: 2000 };
/** The most workflows that a list of resources, prompts or tools contains. */
const MAX_LISTED = 1000;

export interface WorkflowPage {
  readonly workflows: readonly Workflow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Where the platform API is, and how long it may take. */
export interface PlatformEndpoint {
  /** Without a trailing slash. */
  readonly url: string;
  /** The longest duration of a request with its retries, in milliseconds. Event streams have the duration of their wait. */
  readonly timeoutMs: number;
}

/** The platform API with the key of one caller. Every error is a CallFault with a text for the caller. */
export class PlatformForCaller {
  private readonly client: PlatformApiClient;

  constructor(
    private readonly endpoint: PlatformEndpoint,
    private readonly apiKey: string,
  ) {
    const { url: baseUrl } = endpoint;
    const silent = { onIgnoredFields: null, onNotice: null };
    this.client = createPlatformApiClient({ baseUrl, apiKey, retries: RETRIES, parseJson: parseExactJson, ...silent });
  }

  /** Returns the id of the key. */
  async keyId(): Promise<string> {
    return (await this.call((signal) => this.client.GET('/api/v1/auth/me', { signal }))).data.key_id;
  }

  async listWorkflows(limit: number, cursor?: string): Promise<WorkflowPage> {
    const query = { limit, total: false, ...(cursor === undefined ? {} : { cursor }) };
    const { data, response } = await this.call((signal) =>
      this.client.GET('/api/v1/workflows', { params: { query }, signal }),
    );
    return { workflows: data, nextCursor: response.headers.get('x-next-cursor') };
  }

  /** Returns the newest 1,000 workflows, with one request of the limits of the key. */
  async newestWorkflows(): Promise<readonly Workflow[]> {
    return (await this.listWorkflows(MAX_LISTED)).workflows;
  }

  async readWorkflow(name: string): Promise<Workflow> {
    const params = { path: { id: name } };
    return (await this.call((signal) => this.client.GET('/api/v1/workflows/{id}', { params, signal }))).data;
  }

  async createWorkflow(body: NewWorkflow): Promise<Workflow> {
    const advice = 'The workflow may have been created: call get_workflow with its name before you create it again.';
    return (await this.call((signal) => this.client.POST('/api/v1/workflows', { body, signal }), advice)).data;
  }

  async deleteWorkflow(name: string): Promise<void> {
    const params = { path: { id: name } };
    const advice = 'The workflow may have been deleted: call get_workflow with its name to see whether it has.';
    await this.call((signal) => this.client.DELETE('/api/v1/workflows/{id}', { params, signal }), advice);
  }

  /**
   * Starts a run. If the platform does not respond in time, repeats the start once: with the same idempotency key, it
   * returns the first run instead of a second one.
   */
  async executeWorkflow(name: string, values: Record<string, unknown>, idempotencyKey: string): Promise<StartedRun> {
    const params = { path: { id: name } };
    const headers = { 'Idempotency-Key': idempotencyKey };
    const advice =
      'A run may have started. To get it, and start none twice, call execute_workflow with the name ' +
      `${JSON.stringify(name)}, the same params and idempotency_key "${idempotencyKey}".`;
    const start = (): Promise<{ readonly data: StartedRun }> =>
      this.call(
        (signal) =>
          this.client.POST('/api/v1/workflows/{id}/execute', { params, headers, body: { params: values }, signal }),
        advice,
      );
    const started = await start().catch((error: Error) => {
      if (!isTimeout(error)) throw error;
      return start();
    });
    return started.data;
  }

  async readExecution(id: string): Promise<Execution> {
    const params = { path: { id } };
    return (await this.call((signal) => this.client.GET('/api/v1/executions/{id}', { params, signal }))).data;
  }

  async cancelExecution(id: string): Promise<Execution> {
    const params = { path: { id } };
    return (await this.call((signal) => this.client.POST('/api/v1/executions/{id}/cancel', { params, signal }))).data;
  }

  /** Yields the events of an execution from the first one until it has ended. Rejects when the signal is aborted. */
  events(executionId: string, signal: AbortSignal): AsyncGenerator<StreamedEvent, void> {
    return streamEvents(executionId, { baseUrl: this.endpoint.url, authorization: `UserKey ${this.apiKey}`, signal });
  }

  /**
   * Sends a request, within the time limit.
   *
   * @param advice how the caller goes on if it is not known whether the platform has executed the request; null: repeat it
   */
  private async call<T>(
    send: (signal: AbortSignal) => Promise<{ data?: T; error?: unknown; response: Response }>,
    advice: string | null = null,
  ): Promise<{ readonly data: T; readonly response: Response }> {
    const signal = AbortSignal.timeout(this.endpoint.timeoutMs);
    try {
      const answer = send(signal);
      return { data: await unwrap(answer), response: (await answer).response };
    } catch (error) {
      if (error instanceof ApiError && !isUncertain(error)) {
        // The client repeats a request whose response was lost, and the repetition may exceed a limit of the key.
        const mayBeLost = advice !== null && error.status === 429;
        throw new CallFault(`${describe(error)}${mayBeLost ? ` ${advice}` : ''}`, { cause: error });
      }
      throw new CallFault(`${this.describeLoss(error)} ${advice ?? laterThan(error)}`, {
        cause: error,
        outcome: 'failed',
      });
    }
  }

  /** Describes why it is not known whether the platform has executed a request. */
  private describeLoss(error: unknown): string {
    if (isTimeoutError(error)) return `The platform has not responded within ${this.endpoint.timeoutMs / 1000} s.`;
    const details = error instanceof ApiError ? fieldsOf(error).details : undefined;
    return details === undefined ? 'The platform cannot be reached.' : details;
  }
}

/** Returns whether the platform has no such resource for the caller. */
export function isNotFound({ cause }: Error): boolean {
  return cause instanceof ApiError && cause.status === 404;
}

/** Returns whether the platform cannot be reached, does not respond in time, fails, or refuses for now. */
export function isOutage({ cause }: Error): boolean {
  return !(cause instanceof ApiError) || isUncertain(cause) || cause.status === 429;
}

/** Returns when a request can be repeated. */
function laterThan(error: unknown): string {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return seconds === null ? 'Try again in a moment.' : `Try again in ${seconds} s.`;
}

function isTimeout({ cause }: Error): boolean {
  return isTimeoutError(cause);
}

function isTimeoutError(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Returns whether the platform may have executed a request with this response. */
function isUncertain({ status, code }: ApiError): boolean {
  return status >= 500 || code === 'idempotent_request_running';
}

function fieldsOf({ body }: ApiError): { readonly details?: string; readonly errorCode?: string } {
  return body ?? {};
}

function describe(error: ApiError): string {
  const { status, retryAfterSeconds } = error;
  const { details = '', errorCode } = fieldsOf(error);
  switch (errorCode) {
    case 'AUTH_REQUIRED':
    case 'INVALID_API_KEY':
      return `Invalid token: the platform rejects the API key. ${details}`;
    case 'INSUFFICIENT_SCOPE':
      return `Insufficient permissions: ${details}`;
    case 'RATE_LIMITED':
      return `Too many requests with this API key. Try again in ${retryAfterSeconds ?? 1} s.`;
    case undefined:
      return `The platform rejects the request with status ${status}.`;
    default: {
      const later = retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`;
      return `${details}${later}`;
    }
  }
}
