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

/** The platform API with the key of one caller. Every error is a CallFault with a text for the caller. */
export class PlatformForCaller {
  private readonly client: PlatformApiClient;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {
    const silent = { onIgnoredFields: null, onNotice: null };
    this.client = createPlatformApiClient({ baseUrl, apiKey, retries: RETRIES, parseJson: parseExactJson, ...silent });
  }

  /** Returns the id of the key. */
  async keyId(): Promise<string> {
    return (await this.call(this.client.GET('/api/v1/auth/me'))).key_id;
  }

  async listWorkflows(limit: number, cursor?: string): Promise<WorkflowPage> {
    const query = { limit, total: false, ...(cursor === undefined ? {} : { cursor }) };
    const answer = this.client.GET('/api/v1/workflows', { params: { query } });
    const workflows = await this.call(answer);
    return { workflows, nextCursor: (await answer).response.headers.get('x-next-cursor') };
  }

  /** Returns the newest 1,000 workflows, with one request of the limits of the key. */
  async newestWorkflows(): Promise<readonly Workflow[]> {
    return (await this.listWorkflows(MAX_LISTED)).workflows;
  }

  readWorkflow(name: string): Promise<Workflow> {
    return this.call(this.client.GET('/api/v1/workflows/{id}', { params: { path: { id: name } } }));
  }

  createWorkflow(body: NewWorkflow): Promise<Workflow> {
    return this.call(this.client.POST('/api/v1/workflows', { body }));
  }

  async deleteWorkflow(name: string): Promise<void> {
    await this.call(this.client.DELETE('/api/v1/workflows/{id}', { params: { path: { id: name } } }));
  }

  executeWorkflow(name: string, params: Record<string, unknown>): Promise<StartedRun> {
    const path = { id: name };
    return this.call(this.client.POST('/api/v1/workflows/{id}/execute', { params: { path }, body: { params } }));
  }

  readExecution(id: string): Promise<Execution> {
    return this.call(this.client.GET('/api/v1/executions/{id}', { params: { path: { id } } }));
  }

  cancelExecution(id: string): Promise<Execution> {
    return this.call(this.client.POST('/api/v1/executions/{id}/cancel', { params: { path: { id } } }));
  }

  /** Yields the events of an execution from the first one until it has ended. Rejects when the signal is aborted. */
  events(executionId: string, signal: AbortSignal): AsyncGenerator<StreamedEvent, void> {
    return streamEvents(executionId, { baseUrl: this.baseUrl, authorization: `UserKey ${this.apiKey}`, signal });
  }

  private async call<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
    try {
      return await unwrap(answer);
    } catch (error) {
      throw new CallFault(error instanceof ApiError ? describe(error) : UNREACHABLE, { cause: error });
    }
  }
}

/** Returns whether the platform has no such resource for the caller. */
export function isNotFound({ cause }: Error): boolean {
  return cause instanceof ApiError && cause.status === 404;
}

const UNREACHABLE = 'The platform cannot be reached. Try again in a moment.';

function describe({ status, body, retryAfterSeconds }: ApiError): string {
  const { details = '', errorCode } = (body ?? {}) as { details?: string; errorCode?: string };
  switch (errorCode) {
    case 'AUTH_REQUIRED':
    case 'INVALID_API_KEY':
      return `Invalid token: the platform rejects the API key. ${details}`;
    case 'INSUFFICIENT_SCOPE':
      return `Insufficient permissions: ${details}`;
    case 'RATE_LIMITED':
      return `Too many requests with this API key. Try again in ${retryAfterSeconds ?? 1} s.`;
    case undefined:
      return status >= 500 ? UNREACHABLE : `The platform rejects the request with status ${status}.`;
    default: {
      const later = retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`;
      return `${details}${later}`;
    }
  }
}
