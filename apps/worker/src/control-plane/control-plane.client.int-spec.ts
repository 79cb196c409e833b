import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { RestControlPlaneClient } from './control-plane.client.js';
import type { TaskRecord } from './control-plane.port.js';
import { RetryingControlPlaneClient } from './retrying-control-plane.client.js';
import type { WorkerConfig } from '../worker.config.js';
import { wireLease } from '../testing/wire-lease.js';

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
interface CannedResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const lease = {
  executionId: 'exec/1',
  token: 'the-token',
  trace: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: null },
  isMonitored: true,
};
const signal = new AbortController().signal;
const logger = createLogger('test');

describe('RestControlPlaneClient', () => {
  let server: Server;
  let port = 0;
  let received: ReceivedRequest[];
  let responses: CannedResponse[];

  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));

  beforeEach(async () => {
    received = [];
    responses = [];
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      const canned = responses.shift() ?? { status: 200, body: {} };
      response
        .writeHead(canned.status, { 'x-request-id': 'req-1', ...canned.headers })
        .end(JSON.stringify(canned.body ?? {}));
    });
    await listen(0);
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function client(overrides: Partial<WorkerConfig> = {}): RestControlPlaneClient {
    const config: WorkerConfig = {
      controlPlaneUrl: `http://127.0.0.1:${port}`,
      apiKey: 'worker-key',
      queue: 'default',
      environment: 'production',
      runner: null,
      concurrency: 4,
      pollWaitSeconds: 1,
      shutdownGraceMs: 0,
      modelRetries: 0,
      modelRetryMaxDelayMs: 1,
      ...overrides,
    };
    return new RestControlPlaneClient(config, new SystemClock(), logger, { runtimes: ['default'], skills: ['shell'] });
  }
  const retryingClient = () => new RetryingControlPlaneClient(client(), logger);

  it('sends the API key with each request, and the lease token and trace with writes', async () => {
    await client().patchExecution(lease, { status: 'running' }, signal);
    expect(received[0]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/executions/exec%2F1',
      body: { status: 'running' },
    });
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer worker-key', 'x-lease-token': 'the-token' });
    expect(received[0]?.headers['traceparent']).toMatch(/^00-a{32}-[0-9a-f]{16}-01$/);
  });

  it('does not ask to record the spans of a run that is not monitored', async () => {
    await client().patchExecution({ ...lease, isMonitored: false }, { status: 'running' }, signal);
    expect(received[0]?.headers['traceparent']).toMatch(/^00-a{32}-[0-9a-f]{16}-00$/);
    const team = { id: 't', configuration: { monitoring: false } };
    responses = [{ status: 200, body: [wireLease({ team }), wireLease()] }];
    const leases = await client().poll('w', 3, signal);
    expect(leases.map(({ isMonitored }) => isMonitored)).toEqual([false, true]);
  });

  it('declares its runtimes and skills when it starts', async () => {
    await client().start(signal);
    await client({ queue: '01900000-0000-7000-8000-000000000000' }).start(signal);
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v1/workers/register',
      '/api/v1/worker-queues/01900000-0000-7000-8000-000000000000/start',
    ]);
    for (const { body } of received) expect(body).toMatchObject({ runtimes: ['default'], skills: ['shell'] });
  });

  it('reads leases from a poll and ignores invalid ones', async () => {
    responses = [{ status: 200, body: [wireLease(), { nonsense: true }] }];
    const leases = await client().poll('w', 3, signal);
    expect(leases.map(({ executionId }) => executionId)).toEqual(['exec-1']);
    expect(received[0]?.body).toEqual({ max: 3, wait_seconds: 1 });
  });

  it('reads commands from a heartbeat', async () => {
    responses = [
      { status: 200, body: { heartbeat_interval: 7, commands: [{ command: 'cancel', execution_id: 'e' }] } },
    ];
    expect(await client().heartbeat('w', ['e', 'f'], signal)).toEqual({
      intervalSeconds: 7,
      commands: [{ command: 'cancel', executionId: 'e' }],
    });
    expect(received[0]?.body).toEqual({ status: 'busy', execution_ids: ['e', 'f'] });
  });

  it.each([
    [409, 'gone'],
    [404, 'gone'],
    [401, 'forbidden'],
    [422, 'refused'],
    [500, 'broken'],
    [503, 'unavailable'],
  ])('maps the status %i to the kind %s', async (status, kind) => {
    responses = [{ status, body: { detail: 'because' } }];
    const call = client().publishEvent(lease, { event_type: 'x', data: {}, timestamp: '' }, signal);
    await expect(call).rejects.toMatchObject({ kind, requestId: 'req-1', message: expect.stringContaining('because') });
  });

  it('asks in the error whether the address is correct if the routes of the control plane do not exist there', async () => {
    responses = [{ status: 404, body: { detail: 'Cannot POST /api/v1/workers/register' } }];
    await expect(client().start(signal)).rejects.toThrow(/Cannot POST .* \(is http\S+ the control plane\?\)/);
  });

  const task: TaskRecord = {
    task_id: 'exec/1:1',
    task_description: '',
    task_type: 'agent_run',
    status: 'completed',
    started_at: '',
    completed_at: '',
    duration_ms: 1,
    metadata: {},
  };

  it('retries a write under the same key while the first attempt is still running', async () => {
    responses = [{ status: 409, headers: { 'x-error-code': 'idempotent_request_running' } }, { status: 201 }];
    await retryingClient().createTask(lease, task, signal);
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['exec/1:1', 'exec/1:1']);
  });

  it('retries a start under the same key, so that one worker is started, and the next start under another key', async () => {
    for (const queue of ['default', '01900000-0000-7000-8000-000000000000']) {
      received = [];
      responses = [{ status: 503 }];
      const retrying = new RetryingControlPlaneClient(client({ queue }), logger);
      await retrying.start(signal);
      await retrying.start(signal);
      const [first, retried, next] = received.map(({ headers }) => headers['idempotency-key']);
      expect([first, next]).toEqual([expect.any(String), expect.any(String)]);
      expect(retried).toBe(first);
      expect(next).not.toBe(first);
    }
  });

  it('treats a conflict without a code as a lost lease, whatever its text', async () => {
    const detail = 'A request with this Idempotency-Key is still running';
    responses = [{ status: 409, body: { detail } }];
    await expect(retryingClient().createTask(lease, task, signal)).rejects.toMatchObject({ kind: 'gone' });
  });

  it('retries after 429 and 503', async () => {
    responses = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 503 }];
    await retryingClient().patchExecution(lease, { status: 'running' }, signal);
    expect(received).toHaveLength(3);
  });

  it('returns the delay of Retry-After', async () => {
    responses = [{ status: 429, headers: { 'retry-after': '7' } }];
    await expect(client().poll('w', 1, signal)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 7_000 });
  });

  it('retries until the control plane has restarted', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const write = retryingClient().patchExecution(lease, { status: 'completed' }, signal);
    await listen(port);
    await write;
    expect(received).toHaveLength(1);
  });

  it('gives up on an internal error after five attempts, on a conflict at once', async () => {
    responses = Array.from({ length: 9 }, () => ({ status: 500 }));
    await expect(retryingClient().patchExecution(lease, {}, signal)).rejects.toMatchObject({ kind: 'broken' });
    expect(received).toHaveLength(5);
    responses = [{ status: 409 }];
    await expect(retryingClient().patchExecution(lease, {}, signal)).rejects.toMatchObject({ kind: 'gone' });
    expect(received).toHaveLength(6);
  });

  it('aborts a waiting poll with its signal', async () => {
    const controller = new AbortController();
    server.removeAllListeners('request').on('request', () => controller.abort(new Error('stopping')));
    await expect(retryingClient().poll('w', 1, controller.signal)).rejects.toThrow('stopping');
  });
});
