import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '@app/kernel';
import { createLogger } from '@app/observability';
import { RestControlPlane } from './control-plane.client.js';
import type { TaskRecord } from './control-plane.port.js';
import { PatientControlPlane } from './patient-control-plane.js';
import type { WorkerConfig } from './worker.config.js';
import { wireLease } from './testing/wire-lease.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const lease = { executionId: 'exec/1', token: 'the-token', traceId: 'a'.repeat(32) };
const signal = new AbortController().signal;
const logger = createLogger('test');

describe('the control plane client', () => {
  let server: Server;
  let port = 0;
  let seen: Seen[];
  let answers: Answer[];

  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));

  beforeEach(async () => {
    seen = [];
    answers = [];
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const body: unknown = JSON.parse(Buffer.concat(parts).toString());
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      const answer = answers.shift() ?? { status: 200, body: {} };
      response
        .writeHead(answer.status, { 'x-request-id': 'req-1', ...answer.headers })
        .end(JSON.stringify(answer.body ?? {}));
    });
    await listen(0);
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function client(more: Partial<WorkerConfig> = {}): RestControlPlane {
    const config: WorkerConfig = {
      controlPlaneUrl: `http://127.0.0.1:${port}`,
      apiKey: 'worker-key',
      queue: 'default',
      environment: 'production',
      concurrency: 4,
      pollWaitSeconds: 1,
      shutdownGraceMs: 0,
      ...more,
    };
    return new RestControlPlane(config, new SystemClock(), logger);
  }
  const patient = () => new PatientControlPlane(client(), logger);

  it('sends the key with each request, and with a write the lease token and the trace', async () => {
    await client().patchExecution(lease, { status: 'running' }, signal);
    expect(seen[0]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/executions/exec%2F1',
      body: { status: 'running' },
    });
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer worker-key', 'x-lease-token': 'the-token' });
    expect(seen[0]?.headers['traceparent']).toMatch(/^00-a{32}-[0-9a-f]{16}-01$/);
  });

  it('reads leases from a poll and leaves out what is none', async () => {
    answers = [{ status: 200, body: [wireLease(), { nonsense: true }] }];
    const leases = await client().poll('w', 3, signal);
    expect(leases.map((found) => found.executionId)).toEqual(['exec-1']);
    expect(seen[0]?.body).toEqual({ max: 3, wait_seconds: 1 });
  });

  it('reads commands from a heartbeat', async () => {
    answers = [{ status: 200, body: { heartbeat_interval: 7, commands: [{ command: 'cancel', execution_id: 'e' }] } }];
    expect(await client().heartbeat('w', true, signal)).toEqual({
      intervalSeconds: 7,
      commands: [{ command: 'cancel', executionId: 'e' }],
    });
    expect(seen[0]?.body).toEqual({ status: 'busy' });
  });

  it.each([
    [409, 'gone'],
    [404, 'gone'],
    [401, 'forbidden'],
    [422, 'refused'],
    [500, 'broken'],
    [503, 'unavailable'],
  ])('names the kind of an answer %i', async (status, kind) => {
    answers = [{ status, body: { detail: 'because' } }];
    const call = client().publishEvent(lease, { event_type: 'x', data: {}, timestamp: '' }, signal);
    await expect(call).rejects.toMatchObject({ kind, requestId: 'req-1', message: expect.stringContaining('because') });
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

  it('repeats a write whose first try still runs, under the same key', async () => {
    const detail = 'A request with this Idempotency-Key is still running';
    answers = [{ status: 409, body: { detail } }, { status: 201 }];
    await patient().createTask(lease, task, signal);
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['exec/1:1', 'exec/1:1']);
  });

  it('tries again after an overload', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 503 }];
    await patient().patchExecution(lease, { status: 'running' }, signal);
    expect(seen).toHaveLength(3);
  });

  it('says how long the control plane asked to wait', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '7' } }];
    await expect(client().poll('w', 1, signal)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 7_000 });
  });

  it('outlasts a restart of the control plane', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const written = patient().patchExecution(lease, { status: 'completed' }, signal);
    await listen(port);
    await written;
    expect(seen).toHaveLength(1);
  });

  it('gives up on an error of the control plane itself after a few tries, on a refusal at once', async () => {
    answers = Array.from({ length: 9 }, () => ({ status: 500 }));
    await expect(patient().patchExecution(lease, {}, signal)).rejects.toMatchObject({ kind: 'broken' });
    expect(seen).toHaveLength(5);
    answers = [{ status: 409 }];
    await expect(patient().patchExecution(lease, {}, signal)).rejects.toMatchObject({ kind: 'gone' });
    expect(seen).toHaveLength(6);
  });

  it('ends a waiting poll with its signal', async () => {
    const end = new AbortController();
    server.removeAllListeners('request').on('request', () => end.abort(new Error('stopping')));
    await expect(patient().poll('w', 1, end.signal)).rejects.toThrow('stopping');
  });
});
