import { hostname } from 'node:os';
import { createControlPlaneClient, errorCodeOf, readRetryAfter, type ControlPlaneClient } from '@app/api-client';
import { isJsonObject, isUuid, parseExactJson, type Clock, type JsonObject } from '@app/kernel';
import { traceparentOf, type Logger } from '@app/observability';
import { ControlPlaneError, failureKind } from './control-plane.errors.js';
import type {
  ControlPlanePort,
  Disconnection,
  ExecutionEvent,
  ExecutionUpdate,
  HeartbeatResponse,
  JobStatusReport,
  KnowledgeText,
  KnowledgeTitle,
  MessageBatch,
  PlanAnswer,
  PlanChoice,
  StartedWorker,
  StepReport,
  TaskRecord,
  WorkerCommand,
  WorkerOffer,
} from './control-plane.port.js';
import type { History } from '../conversation/conversation.js';
import { CommandSocket } from './command-socket.js';
import { withDeadline } from '../deadline.js';
import type { OutputFile } from '../workspace/output-files.js';
import { readLease, type Lease, type LeaseRef } from './lease.js';
import { networkReason } from '../errors/network-reason.js';
import { SharedReports, type ReportOutcome, type WireReport } from './shared-reports.js';
import type { WorkerConfig } from '../worker.config.js';

const REQUEST_TIMEOUT_MS = 15_000;
/** For the upload of a file of 10 MiB over a slow connection. */
const UPLOAD_TIMEOUT_MS = 60_000;

/** Options of a request in addition to its path and body. */
interface CallOptions {
  readonly signal: AbortSignal;
  readonly lease?: LeaseRef;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

interface RequestInit {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
}

interface ClientResult<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The worker protocol over HTTP, through the generated client: one request per method, no retries. */
export class RestControlPlaneClient implements ControlPlanePort {
  private readonly client: ControlPlaneClient;
  private readonly reports = new SharedReports((reports) => this.report(reports));
  private workerId = '';

  constructor(
    private readonly config: WorkerConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly offer: WorkerOffer,
  ) {
    const { controlPlaneUrl: baseUrl, apiKey } = config;
    this.client = createControlPlaneClient({ baseUrl, apiKey, retries: null, parseJson: parseExactJson });
  }

  async start(signal: AbortSignal, idempotencyKey?: string): Promise<StartedWorker> {
    const { queue, environment, runner, concurrency } = this.config;
    const description = {
      hostname: hostname(),
      runner_name: runner,
      worker_metadata: { pid: process.pid, concurrency },
      runtimes: [...this.offer.runtimes],
      skills: [...this.offer.skills],
    };
    const target = { environment_name: environment, worker_queue_name: queue };
    const started = await this.call('start', { signal, ...keyed(idempotencyKey) }, (init) =>
      isUuid(queue)
        ? this.client.POST('/api/v1/worker-queues/{queue_id}/start', {
            params: { path: { queue_id: queue } },
            body: description,
            ...init,
          })
        : this.client.POST('/api/v1/workers/register', { body: { ...description, ...target }, ...init }),
    );
    this.workerId = started.worker_id;
    return {
      workerId: started.worker_id,
      queueName: started.queue_name,
      heartbeatInterval: started.heartbeat_interval,
      gateway: { url: started.llm_gateway_url, apiKey: started.llm_gateway_api_key },
      webSocketUrl: started.websocket_url,
    };
  }

  async poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]> {
    const wait = this.config.pollWaitSeconds;
    const params = { path: { worker_id: workerId } };
    const timeoutMs = wait * 1000 + REQUEST_TIMEOUT_MS;
    const leases = await this.call('poll', { signal, timeoutMs }, (init) =>
      this.client.POST('/api/v1/workers/{worker_id}/poll', { params, body: { max, wait_seconds: wait }, ...init }),
    );
    const now = this.clock.millis();
    return leases.flatMap((lease) => readLease(lease, now) ?? []);
  }

  async heartbeat(workerId: string, executionIds: readonly string[], signal: AbortSignal): Promise<HeartbeatResponse> {
    const params = { path: { worker_id: workerId } };
    const response = await this.call('heartbeat', { signal }, (init) =>
      this.client.POST('/api/v1/workers/{worker_id}/heartbeat', {
        params,
        body: { status: executionIds.length > 0 ? 'busy' : 'idle', execution_ids: [...executionIds] },
        ...init,
      }),
    );
    return {
      intervalSeconds: response.heartbeat_interval,
      commands: response.commands.map(({ command, execution_id }) => ({ command, executionId: execution_id })),
    };
  }

  async receiveCommands(
    webSocketUrl: string,
    onCommand: (command: WorkerCommand) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const socket = new CommandSocket(
      addressOf(webSocketUrl, this.config.controlPlaneUrl),
      this.config.apiKey,
      this.clock,
    );
    await socket.receive(onCommand, signal);
  }

  async patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<string> {
    const params = { path: { execution_id: lease.executionId } };
    const alone = async (): Promise<string> => {
      const { status } = await this.call('patch execution', { signal, lease }, (init) =>
        this.client.PATCH('/api/v1/executions/{execution_id}', { params, body: update, ...init }),
      );
      return status;
    };
    if (lease.token === null) return alone();
    const report = { execution_id: lease.executionId, lease_token: lease.token, update };
    const read = ({ execution_status }: ReportOutcome): string => execution_status ?? '';
    return this.reports.send({ what: 'patch execution', report, signal, alone, read });
  }

  async publishEvent(lease: LeaseRef, { key, ...body }: ExecutionEvent, signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId } };
    const alone = async (): Promise<void> => {
      await this.call('publish event', { signal, lease, ...keyed(key) }, (init) =>
        this.client.POST('/api/v1/executions/{execution_id}/events', { params, body, ...init }),
      );
    };
    if (lease.token === null || key === undefined) return alone();
    const event = { ...body, idempotency_key: key };
    const report = { execution_id: lease.executionId, lease_token: lease.token, event };
    return this.reports.send({ what: 'publish event', report, signal, alone, read: () => undefined });
  }

  async reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId, job_id: jobId } };
    await this.call('report job status', { signal, lease }, (init) =>
      this.client.POST('/api/v1/executions/{execution_id}/job/{job_id}/status', { params, body: report, ...init }),
    );
  }

  async createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void> {
    const body = { execution_id: lease.executionId, ...task };
    await this.call('create task', { signal, lease, idempotencyKey: task.task_id }, (init) =>
      this.client.POST('/api/v1/analytics/tasks', { body, ...init }),
    );
  }

  async saveToolCall(lease: LeaseRef, call: JsonObject, signal: AbortSignal): Promise<void> {
    const body = { execution_id: lease.executionId, tool_calls: [call] };
    await this.call('save tool call', { signal, lease }, (init) =>
      this.client.POST('/api/v1/analytics/batch', { body, ...init }),
    );
  }

  async reportSteps(lease: LeaseRef, steps: readonly StepReport[], signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId } };
    await this.call('report steps', { signal, lease }, (init) =>
      this.client.PATCH('/api/v1/executions/{execution_id}/steps', { params, body: { steps: [...steps] }, ...init }),
    );
  }

  async plan(lease: LeaseRef, choice: PlanChoice, signal: AbortSignal): Promise<PlanAnswer> {
    const params = { path: { execution_id: lease.executionId } };
    try {
      const answer = await this.call('plan', { signal, lease }, (init) =>
        this.client.POST('/api/v1/executions/{execution_id}/plan', { params, body: choice, ...init }),
      );
      const planned = readLease(answer, this.clock.millis());
      if (planned === null) throw new ControlPlaneError('broken', 'plan returned no lease');
      return { lease: planned };
    } catch (error) {
      if (!(error instanceof ControlPlaneError) || error.problem?.code !== 'plan_denied') throw error;
      return { denial: error.problem.detail };
    }
  }

  async readConversation(lease: LeaseRef, sessionId: string | null, signal: AbortSignal): Promise<History> {
    const query = sessionId === null ? {} : { session_id: sessionId };
    const params = { path: { execution_id: lease.executionId }, query };
    const { earlier_messages: earlier, messages } = await this.call('read conversation', { signal, lease }, (init) =>
      this.client.GET('/api/v1/executions/{execution_id}/conversation', { params, ...init }),
    );
    return { earlier, own: messages };
  }

  async appendMessages(lease: LeaseRef, batch: MessageBatch, signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId } };
    const body = { session_id: batch.session_id, messages: [...batch.messages] };
    const alone = async (): Promise<void> => {
      await this.call('append messages', { signal, lease }, (init) =>
        this.client.POST('/api/v1/executions/{execution_id}/messages', { params, body, ...init }),
      );
    };
    if (lease.token === null) return alone();
    const report = { execution_id: lease.executionId, lease_token: lease.token, messages: body };
    return this.reports.send({ what: 'append messages', report, signal, alone, read: () => undefined });
  }

  async waitForInput(lease: LeaseRef, usage: JsonObject, signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId } };
    await this.call('wait for input', { signal, lease }, (init) =>
      this.client.POST('/api/v1/executions/{execution_id}/wait', { params, body: { usage }, ...init }),
    );
  }

  async searchKnowledge(lease: LeaseRef, query: string, signal: AbortSignal): Promise<readonly KnowledgeTitle[]> {
    const params = { path: { execution_id: lease.executionId }, query: { q: query, limit: 50, total: false } };
    return this.call('search knowledge', { signal, lease }, (init) =>
      this.client.GET('/api/v1/executions/{execution_id}/knowledge', { params, ...init }),
    );
  }

  async readKnowledge(lease: LeaseRef, id: string, signal: AbortSignal): Promise<KnowledgeText> {
    const params = { path: { execution_id: lease.executionId, knowledge_id: id } };
    return this.call('read knowledge', { signal, lease }, (init) =>
      this.client.GET('/api/v1/executions/{execution_id}/knowledge/{knowledge_id}', { params, ...init }),
    );
  }

  async uploadFile(lease: LeaseRef, { name, content, contentType }: OutputFile, signal: AbortSignal): Promise<void> {
    const params = { path: { execution_id: lease.executionId, file_name: name } };
    await this.call('upload file', { signal, lease, timeoutMs: UPLOAD_TIMEOUT_MS }, ({ headers, ...init }) =>
      this.client.PUT('/api/v1/executions/{execution_id}/files/{file_name}', {
        params,
        body: content,
        bodySerializer: () => content,
        headers: { ...headers, 'content-type': contentType },
        ...init,
      }),
    );
  }

  async disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void> {
    const params = { path: { worker_id: workerId } };
    await this.call('disconnect', { signal }, (init) =>
      this.client.POST('/api/v1/workers/{worker_id}/disconnect', { params, body: disconnection, ...init }),
    );
  }

  private async report(reports: WireReport[]): Promise<readonly ReportOutcome[]> {
    const params = { path: { worker_id: this.workerId } };
    // The signals of the runs do not end a request that other runs share.
    const { signal } = new AbortController();
    const { outcomes } = await this.call('report', { signal }, (init) =>
      this.client.POST('/api/v1/workers/{worker_id}/reports', { params, body: { reports }, ...init }),
    );
    return outcomes;
  }

  private async call<T>(
    what: string,
    options: CallOptions,
    request: (init: RequestInit) => Promise<ClientResult<T>>,
  ): Promise<T> {
    const { data, error, response } = await this.send(what, options, request);
    const requestId = response.headers.get('x-request-id');
    this.logger.debug({ call: what, status: response.status, request_id: requestId }, 'request completed');
    if (response.ok) return data as T;
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), this.clock.millis());
    const code = errorCodeOf(response);
    const isOtherServer = response.status === 404 && (code === null || code === 'route_not_found');
    const hint = isOtherServer ? ` (is ${this.config.controlPlaneUrl} the control plane?)` : '';
    const detail = detailOf(error);
    const message = `${what} failed with ${response.status}: ${detail}${hint}`;
    const kind = failureKind(response.status, code);
    throw new ControlPlaneError(kind, message, retryAfterMs, requestId, { code, detail });
  }

  private async send<T>(
    what: string,
    { signal, timeoutMs = REQUEST_TIMEOUT_MS, lease, idempotencyKey }: CallOptions,
    request: (init: RequestInit) => Promise<ClientResult<T>>,
  ): Promise<ClientResult<T>> {
    const headers = {
      ...(lease === undefined ? {} : traceHeadersOf(lease)),
      ...(lease?.token == null ? {} : { 'x-lease-token': lease.token }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    try {
      return await withDeadline(signal, timeoutMs, (within) => request({ signal: within, headers }));
    } catch (error) {
      signal.throwIfAborted();
      throw new ControlPlaneError('unavailable', `${what} received no response: ${networkReason(error)}`);
    }
  }
}

function keyed(idempotencyKey: string | undefined): Pick<CallOptions, 'idempotencyKey'> {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

/**
 * Combines the path that the control plane returned with the origin that this worker is configured with: the worker can
 * reach that origin, and sends its key to no other.
 */
function addressOf(webSocketUrl: string, controlPlaneUrl: string): string {
  const { pathname } = new URL(webSocketUrl);
  return new URL(pathname, controlPlaneUrl.replace(/^http/, 'ws')).toString();
}

function detailOf(error: unknown): string {
  const detail = isJsonObject(error) ? error['detail'] : error;
  return typeof detail === 'string' && detail !== '' ? detail : (JSON.stringify(detail) ?? 'no error detail');
}

function traceHeadersOf({ trace, isMonitored }: LeaseRef): Record<string, string> {
  return {
    traceparent: traceparentOf(trace, { isSampled: isMonitored }),
    ...(trace.traceState === null ? {} : { tracestate: trace.traceState }),
  };
}
