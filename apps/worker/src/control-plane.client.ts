import { hostname } from 'node:os';
import { traceIdFrom, traceparentOf, type Logger } from '@app/observability';
import { isJsonObject, isUuid, type Clock, type JsonObject } from '@app/kernel';
import { ControlPlaneError, failureKind } from './control-plane.errors.js';
import type {
  ControlPlanePort,
  Disconnection,
  ExecutionEvent,
  ExecutionUpdate,
  JobStatusReport,
  StartedWorker,
  TaskRecord,
  WorkerCommand,
} from './control-plane.port.js';
import { withDeadline } from './deadline.js';
import { readLease, type Lease, type LeaseRef } from './lease.js';
import { readRetryAfter } from './retry.js';
import type { WorkerConfig } from './worker.config.js';

const REQUEST_TIMEOUT_MS = 15_000;
const DEFAULT_HEARTBEAT_SECONDS = 60;

interface Call {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
  readonly signal: AbortSignal;
  readonly lease?: LeaseRef;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

/** The worker protocol over HTTP: one request per method, no retries. */
export class ControlPlaneClient implements ControlPlanePort {
  constructor(
    private readonly config: WorkerConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async start(signal: AbortSignal): Promise<StartedWorker> {
    const { queue, environment } = this.config;
    const metadata = {
      hostname: hostname(),
      worker_metadata: { pid: process.pid, concurrency: this.config.concurrency },
    };
    const answer = isUuid(queue)
      ? await this.send({ method: 'POST', path: `/worker-queues/${queue}/start`, body: metadata, signal })
      : await this.send({
          method: 'POST',
          path: '/workers/register',
          body: { ...metadata, environment_name: environment, worker_queue_name: queue },
          signal,
        });
    const started = readStarted(answer);
    if (!isUuid(queue) && started.queueName !== queue) {
      throw new ControlPlaneError(
        'refused',
        `The environment ${environment} offers the queue ${started.queueName}, not ${queue}.`,
      );
    }
    return started;
  }

  async poll(workerId: string, max: number, signal: AbortSignal): Promise<readonly Lease[]> {
    const wait = this.config.pollWaitSeconds;
    const answer = await this.send({
      method: 'POST',
      path: `/workers/${workerId}/poll`,
      body: { max, wait_seconds: wait },
      signal,
      timeoutMs: wait * 1000 + REQUEST_TIMEOUT_MS,
    });
    const now = this.clock.millis();
    return (Array.isArray(answer) ? answer : []).flatMap((value: unknown) => readLease(value, now, traceIdFrom) ?? []);
  }

  async heartbeat(
    workerId: string,
    running: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly WorkerCommand[]> {
    const body = { status: running.length > 0 ? 'busy' : 'idle', active_executions: running };
    const answer = await this.send({ method: 'POST', path: `/workers/${workerId}/heartbeat`, body, signal });
    const commands: unknown = isJsonObject(answer) ? answer['commands'] : undefined;
    return (Array.isArray(commands) ? commands : []).filter(isJsonObject).map((command) => ({
      command: typeof command['command'] === 'string' ? command['command'] : '',
      executionId: typeof command['execution_id'] === 'string' ? command['execution_id'] : null,
    }));
  }

  async patchExecution(lease: LeaseRef, update: ExecutionUpdate, signal: AbortSignal): Promise<void> {
    await this.send({ method: 'PATCH', path: executionPath(lease), body: update, signal, lease });
  }

  async publishEvent(lease: LeaseRef, event: ExecutionEvent, signal: AbortSignal): Promise<void> {
    await this.send({ method: 'POST', path: `${executionPath(lease)}/events`, body: event, signal, lease });
  }

  async reportJobStatus(lease: LeaseRef, jobId: string, report: JobStatusReport, signal: AbortSignal): Promise<void> {
    const path = `${executionPath(lease)}/job/${encodeURIComponent(jobId)}/status`;
    await this.send({ method: 'POST', path, body: report, signal, lease });
  }

  async createTask(lease: LeaseRef, task: TaskRecord, signal: AbortSignal): Promise<void> {
    const body = { execution_id: lease.executionId, ...task };
    await this.send({ method: 'POST', path: '/analytics/tasks', body, signal, lease, idempotencyKey: task.task_id });
  }

  async disconnect(workerId: string, disconnection: Disconnection, signal: AbortSignal): Promise<void> {
    await this.send({ method: 'POST', path: `/workers/${workerId}/disconnect`, body: disconnection, signal });
  }

  private async send(call: Call): Promise<unknown> {
    const { status, headers, text } = await this.exchange(call);
    const requestId = headers.get('x-request-id');
    this.logger.debug({ method: call.method, path: call.path, status, request_id: requestId }, 'request');
    const body = parsed(text);
    if (status < 300) return body;
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), this.clock.millis());
    const message = `${call.method} ${call.path} was answered ${status}: ${detailOf(body)}`;
    throw new ControlPlaneError(failureKind(status), message, retryAfterMs, requestId);
  }

  private async exchange(call: Call): Promise<{ status: number; headers: Headers; text: string }> {
    try {
      return await withDeadline(call.signal, call.timeoutMs ?? REQUEST_TIMEOUT_MS, async (signal) => {
        const response = await fetch(`${this.config.controlPlaneUrl}/api/v1${call.path}`, {
          method: call.method,
          headers: this.headers(call),
          body: JSON.stringify(call.body),
          signal,
        });
        return { status: response.status, headers: response.headers, text: await response.text() };
      });
    } catch (error) {
      call.signal.throwIfAborted();
      throw new ControlPlaneError('unavailable', `${call.method} ${call.path} got no answer: ${networkReason(error)}`);
    }
  }

  private headers(call: Call): Record<string, string> {
    return {
      authorization: `UserKey ${this.config.apiKey}`,
      'content-type': 'application/json',
      ...(call.lease ? { 'x-lease-token': call.lease.token, traceparent: traceparentOf(call.lease.traceId) } : {}),
      ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
    };
  }
}

function executionPath(lease: LeaseRef): string {
  return `/executions/${encodeURIComponent(lease.executionId)}`;
}

function readStarted(answer: unknown): StartedWorker {
  const wire: JsonObject = isJsonObject(answer) ? answer : {};
  const text = (name: string) => (typeof wire[name] === 'string' && wire[name] !== '' ? wire[name] : null);
  const workerId = text('worker_id');
  if (workerId === null)
    throw new ControlPlaneError('refused', 'The control plane answered the start without a worker_id.');
  const interval = wire['heartbeat_interval'];
  return {
    workerId,
    queueName: text('queue_name') ?? text('task_queue_name') ?? 'unknown',
    heartbeatInterval: typeof interval === 'number' && interval > 0 ? interval : DEFAULT_HEARTBEAT_SECONDS,
    gateway: { url: text('llm_gateway_url'), apiKey: text('llm_gateway_api_key') },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function detailOf(body: unknown): string {
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  if (typeof detail === 'string') return detail;
  return detail === undefined ? 'no reason given' : JSON.stringify(detail);
}

/** fetch hides the cause of a network failure behind "fetch failed". */
function networkReason(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}
