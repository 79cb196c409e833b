import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call, type HttpResponse, type CallOptions } from '../support/http.js';
import { Platform } from '../support/platform.js';

type Json = Record<string, unknown>;

describe('jobs over HTTP', () => {
  let platform: Platform;
  let agentId: string;
  let readerKey: string;

  beforeAll(async () => {
    platform = await Platform.shared();
    agentId = String(((await send('POST', '/agents', { name: 'writer' })).body as Json)['id']);
    readerKey = (await new PlatformApi(platform).withScopes('tasks:read')).key;
  });

  afterAll(() => platform.stop());

  const send = (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<HttpResponse> =>
    call(method, `${platform.url}/api/v1${path}`, { key: platform.adminKey, body, ...options });

  const create = async (body: Json = {}): Promise<Json & { id: string }> => {
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go {{ x }}', entity_id: agentId };
    return (await send('POST', '/jobs', { ...fields, ...body })).body as Json & { id: string };
  };

  const faults = ({ body }: HttpResponse): string[] =>
    (body as { detail: { loc: string[]; type: string }[] }).detail.map(({ loc, type }) => `${loc.join('.')}: ${type}`);

  it('are returned with every field, the given ones exactly as sent', async () => {
    const fields = {
      name: ' Nightly ',
      trigger_type: 'manual',
      prompt_template: 'Hi {{ name }}\n',
      description: 'd',
      enabled: false,
      cron_schedule: '0  9 * * MON',
      cron_timezone: 'europe/BERLIN',
      planning_mode: 'predefined_agent',
      entity_type: 'agent',
      entity_id: agentId,
      system_prompt: 's',
      executor_type: 'environment',
      worker_queue_name: 'gpu',
      environment_name: 'prod',
      config: { z: 1, a: null },
      execution_environment: { env_vars: { A: '1' } },
    };
    const created = await send('POST', '/jobs', { ...fields, id: 'mine', total_executions: 7, status: 'active' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...fields,
      id: expect.stringMatching(/^job_[0-9a-f-]{36}$/),
      organization_id: expect.any(String),
      status: 'paused',
      engine_schedule_id: null,
      entity_name: 'writer',
      last_execution_id: null,
      last_execution_at: null,
      next_execution_at: null,
      total_executions: 0,
      successful_executions: 0,
      failed_executions: 0,
      execution_history: [],
      created_by: expect.any(String),
      updated_by: (created.body as Json)['created_by'],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      last_triggered_at: null,
      ...{ webhook_url: null, webhook_secret: null, webhook_signature: 'standard' },
      created_by_email: null,
      updated_by_email: null,
    });
    const read = await send('GET', `/jobs/${(created.body as Json)['id']}`);
    expect(JSON.stringify(read.body)).toBe(JSON.stringify(created.body));
  });

  it('have the documented defaults and null for omitted fields and for "" or null', async () => {
    const empty = { description: '', cron_schedule: '', cron_timezone: '', planning_mode: '', executor_type: null };
    for (const body of [{}, { ...empty, enabled: null, config: null, worker_queue_name: '' }]) {
      expect(await create(body)).toMatchObject({
        description: null,
        enabled: true,
        status: 'active',
        cron_schedule: null,
        cron_timezone: 'UTC',
        planning_mode: 'predefined_agent',
        entity_type: null,
        system_prompt: null,
        executor_type: 'auto',
        worker_queue_name: null,
        environment_name: null,
        config: {},
        execution_environment: {},
      });
    }
  });

  it('return every fault of a creation at once, including contradictions between fields', async () => {
    const body = { trigger_type: 'cron', cron_timezone: 'Mars/Olympus', executor_type: 'specific_queue', config: [] };
    const response = await send('POST', '/jobs', body);
    expect(response.status).toBe(422);
    expect(faults(response).sort()).toEqual([
      'body.config: dict_type',
      'body.cron_schedule: missing',
      'body.cron_timezone: value_error',
      'body.entity_id: missing',
      'body.name: missing',
      'body.prompt_template: missing',
      'body.worker_queue_name: missing',
    ]);
    const wrong = { name: 'j', prompt_template: 'p', planning_mode: 'x', trigger_type: 'x', executor_type: 'x' };
    expect(faults(await send('POST', '/jobs', wrong)).sort()).toEqual([
      'body.executor_type: enum',
      'body.planning_mode: enum',
      'body.trigger_type: enum',
    ]);
  });

  it('contain the next run of a cron job', async () => {
    const job = await create({ trigger_type: 'cron', cron_schedule: '0 9 * * *', cron_timezone: 'Asia/Kolkata' });
    expect(job['next_execution_at']).toMatch(/T03:30:00\.000Z$/);
    expect(job['engine_schedule_id']).toBe(job.id);
    const { body: disabled } = await send('POST', `/jobs/${job.id}/disable`);
    expect(disabled).toMatchObject({ engine_schedule_id: null, next_execution_at: null, status: 'paused' });
  });

  it('can be previewed across daylight saving time changes', async () => {
    const body = { cron_schedule: '30 2 * * *', cron_timezone: 'Europe/Berlin' };
    const preview = async (fields: Json): Promise<HttpResponse> =>
      send('POST', '/jobs/preview-schedule', { ...body, ...fields });
    expect((await preview({ count: 2, after: '2026-10-24T12:00:00Z' })).body).toEqual({
      instants: [
        {
          at: '2026-10-25T00:30:00.000Z',
          local: '2026-10-25T02:30:00',
          offset_minutes: 120,
          note: 'once_in_overlap',
        },
        { at: '2026-10-26T01:30:00.000Z', local: '2026-10-26T02:30:00', offset_minutes: 60, note: null },
      ],
    });
    const { instants } = (await preview({})).body as { instants: Json[] };
    expect(instants).toHaveLength(10);
    const job = await create({ trigger_type: 'cron', ...body });
    expect(instants[0]?.['at']).toBe(job['next_execution_at']);
    const refused = await preview({ cron_schedule: '61 * * * *', cron_timezone: 'Mars', count: 51 });
    expect(refused.status).toBe(422);
    expect(faults(refused).sort()).toEqual([
      'body.count: less_than_equal',
      'body.cron_schedule: value_error',
      'body.cron_timezone: value_error',
    ]);
    for (const after of ['0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z']) {
      expect(faults(await preview({ after }))).toEqual(['body.after: value_error']);
    }
  });

  it('reject settings of a schedule that have no effect', async () => {
    const config = { overlap: 'sometimes', catchup_window_seconds: -1 };
    const cron = {
      name: 'j',
      prompt_template: 'p',
      entity_id: agentId,
      trigger_type: 'cron',
      cron_schedule: '* * * * *',
    };
    const expected = ['body.config.catchup_window_seconds: value_error', 'body.config.overlap: enum'];
    expect(faults(await send('POST', '/jobs', { ...cron, config })).sort()).toEqual(expected);
    const { id } = await create({ config: { overlap: null } });
    expect(faults(await send('PATCH', `/jobs/${id}`, { config })).sort()).toEqual(expected);
  });

  it('have a next execution time that advances after it has passed', async () => {
    const created = await create({ trigger_type: 'cron', cron_schedule: '* * * * * *' });
    await eventually(async () => {
      const listed = (await send('GET', '/jobs')).body as Record<string, unknown>[];
      const next = listed.find(({ id }) => id === created.id)?.['next_execution_at'];
      expect(Date.parse(String(next))).toBeGreaterThan(Date.parse(String(created['next_execution_at'])));
    });
  });

  it('are updated partially, paused and resumed without a body, and deleted', async () => {
    const { id } = await create({ description: 'd' });
    const changed = await send('PATCH', `/jobs/${id}`, { name: 'k', description: '' });
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'k', description: null, enabled: true }]);
    const rejected = await send('PATCH', `/jobs/${id}`, { trigger_type: 'cron', entity_id: null });
    expect([rejected.status, faults(rejected)]).toEqual([
      422,
      ['body.cron_schedule: missing', 'body.entity_id: missing'],
    ]);
    expect((await send('POST', `/jobs/${id}/disable`)).body).toMatchObject({ enabled: false, status: 'paused' });
    expect((await send('POST', `/jobs/${id}/trigger`)).status).toBe(409);
    expect((await send('POST', `/jobs/${id}/enable`)).body).toMatchObject({ enabled: true, status: 'active' });
    const deleted = await send('DELETE', `/jobs/${id}`);
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/trigger'],
      ['POST', '/enable'],
      ['GET', '/executions'],
      ['POST', '/webhook/rotate'],
    ] as const) {
      const response = await send(method, `/jobs/${id}${path}`);
      expect([path, response.status, response.body]).toEqual([path, 404, { detail: 'Job not found' }]);
    }
  });

  it('are listed by filters, newest first, with the total in a header', async () => {
    const { id: older } = await create({ entity_id: 'listed', enabled: false });
    const { id: newer } = await create({ entity_id: 'listed', trigger_type: 'webhook' });
    const listed = async (query: string): Promise<[unknown[], string | null]> => {
      const { body, headers } = await send('GET', `/jobs?entity_id=listed&${query}`);
      return [(body as Json[]).map(({ id }) => id), headers.get('x-total-count')];
    };
    expect(await listed('')).toEqual([[newer, older], '2']);
    expect(await listed('limit=1&skip=1')).toEqual([[older], '2']);
    expect(await listed('enabled=FALSE')).toEqual([[older], '1']);
    expect(await listed('status=active')).toEqual([[newer], '1']);
    expect(await listed('trigger_type=webhook')).toEqual([[newer], '1']);
    expect((await send('GET', '/jobs?status=asleep&limit=0')).status).toBe(422);
  });

  it('start an execution when triggered, with or without a body, and list it in their history', async () => {
    const { id } = await create();
    const bare = await send('POST', `/jobs/${id}/trigger`);
    expect([bare.status, bare.body]).toEqual([
      200,
      {
        job_id: id,
        execution_id: expect.any(String),
        workflow_id: expect.any(String),
        status: 'started',
        message: expect.stringMatching(/^Execution started; it waits, because .* default\. These placeholders .*: x$/),
      },
    ]);
    const second = (await send('POST', `/jobs/${id}/trigger`, { variables: { x: 'on' } })).body as Json;
    const execution = (await send('GET', `/executions/${second['execution_id']}`)).body as Json;
    expect([execution['status'], execution['prompt']]).toEqual(['pending', 'Go on']);
    const run = {
      execution_id: second['execution_id'],
      trigger_type: 'manual',
      status: 'pending',
      started_at: null,
      completed_at: null,
      duration_ms: null,
      error_message: null,
      trigger_metadata: {},
    };
    const job = (await send('GET', `/jobs/${id}`)).body as Json;
    expect(job).toMatchObject({ total_executions: 2, last_execution_id: second['execution_id'] });
    expect(job['last_triggered_at']).toBe(execution['created_at']);
    expect((job['execution_history'] as Json[])[0]).toEqual(run);
    const history = await send('GET', `/jobs/${id}/executions?limit=1`);
    expect(history.body).toEqual({
      job_id: id,
      total: 2,
      total_count: 2,
      next_cursor: expect.any(String),
      executions: [run],
    });
    expect(history.headers.get('x-total-count')).toBe('2');
    const report = { status: 'completed', duration_ms: 1234 };
    await send('POST', `/executions/${second['execution_id']}/job/${id}/status`, report);
    const after = (await send('GET', `/jobs/${id}`)).body as Json;
    expect(after).toMatchObject({ total_executions: 2, successful_executions: 1, failed_executions: 0 });
    expect((after['execution_history'] as Json[])[0]).toMatchObject({ status: 'completed', duration_ms: 1234 });
  });

  it('start a failed execution with the reason if something is missing', async () => {
    const { id } = await create({ entity_id: 'nobody' });
    const { body } = await send('POST', `/jobs/${id}/trigger`);
    expect(body).toMatchObject({ status: 'failed', message: 'Execution failed: There is no agent nobody' });
    const execution = await send('GET', `/executions/${(body as Json)['execution_id']}`);
    expect(execution.body).toMatchObject({ status: 'failed', error_message: 'There is no agent nobody' });
  });

  it('start one execution for the same idempotency key', async () => {
    const { id } = await create();
    const options = { headers: { 'Idempotency-Key': `trigger ${id}` } };
    const first = await send('POST', `/jobs/${id}/trigger`, { parameters: { x: 1 } }, options);
    const again = await send('POST', `/jobs/${id}/trigger`, { parameters: { x: 1 } }, options);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await send('GET', `/jobs/${id}`)).body).toMatchObject({ total_executions: 1 });
  });

  it('require tasks:read for reading and tasks:execute otherwise, and show the secret only with the latter', async () => {
    const { id, webhook_url, webhook_secret } = await create({ trigger_type: 'webhook' });
    expect(webhook_url).toMatch(new RegExp(`^${platform.url}/api/v1/jobs/webhook/[0-9A-Za-z]{32,}$`));
    expect(webhook_secret).toMatch(/^whsec_/);
    const read = await send('GET', `/jobs/${id}`, undefined, { key: readerKey });
    expect([read.status, read.body]).toMatchObject([200, { webhook_url, webhook_secret: null }]);
    for (const path of ['', `/${id}/trigger`, `/${id}/enable`, `/${id}/disable`, `/${id}/webhook/rotate`]) {
      const rejected = await send('POST', `/jobs${path}`, {}, { key: readerKey });
      expect([rejected.status, rejected.body]).toEqual([403, { detail: expect.stringContaining('tasks:execute') }]);
    }
  });

  it('are triggered through their webhook by a signature over the raw body, without a key', async () => {
    const job = await create({ trigger_type: 'webhook' });
    const raw = '{ "x":  "\\u00e4" }\n';
    const hook = (secret: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> => {
      const digest = createHmac('sha256', String(secret)).update(raw).digest('hex');
      return call('POST', String(job['webhook_url']), { raw, headers: { 'X-Webhook-Signature': digest, ...headers } });
    };
    const started = await hook(job['webhook_secret']);
    expect([started.status, started.body]).toMatchObject([200, { job_id: job.id, status: 'started' }]);
    const execution = await send('GET', `/executions/${(started.body as Json)['execution_id']}`);
    expect(execution.body).toMatchObject({ prompt: 'Go ä', user_id: job['created_by'] });
    expect((await hook('whsec_other')).status).toBe(401);
    expect((await call('POST', String(job['webhook_url']), { body: {} })).status).toBe(401);
    expect((await hook(job['webhook_secret'], { 'webhook-id': 'm' })).status).toBe(401);
    const unknown = await call('POST', `${platform.url}/api/v1/jobs/webhook/${'x'.repeat(40)}`, { body: {} });
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Webhook not found' }]);
    const rotated = (await send('POST', `/jobs/${job.id}/webhook/rotate`)).body as Json;
    expect(rotated['webhook_url']).toBe(job['webhook_url']);
    expect((await hook(job['webhook_secret'])).status).toBe(401);
    expect((await hook(rotated['webhook_secret'])).status).toBe(200);
    await send('POST', `/jobs/${job.id}/disable`);
    expect((await hook(rotated['webhook_secret'])).status).toBe(409);
  });

  it('keep their webhook if composing the response to its rotation or removal fails', async () => {
    const { id, webhook_secret } = await create({ trigger_type: 'webhook' });
    await send('POST', `/jobs/${id}/trigger`, {});
    const copy = `SELECT (json_populate_record(c, '{"slot":99}')).* FROM execution_counts c WHERE job_id = $1`;
    await platform.sql(`UPDATE execution_counts SET total = 2147483647 WHERE job_id = $1`, [id]);
    await platform.sql(`INSERT INTO execution_counts ${copy}`, [id]);
    // The sum of the counters is now too large for its type, so composing a response fails.
    expect((await send('POST', `/jobs/${id}/webhook/rotate`, undefined, { unchecked: true })).status).toBe(500);
    expect((await send('PATCH', `/jobs/${id}`, { trigger_type: 'manual' }, { unchecked: true })).status).toBe(500);
    await platform.sql(`DELETE FROM execution_counts WHERE job_id = $1`, [id]);
    expect((await send('GET', `/jobs/${id}`)).body).toMatchObject({ trigger_type: 'webhook', webhook_secret });
  });

  it('are triggered once by webhook calls with the same Idempotency-Key', async () => {
    const { webhook_url, webhook_secret } = await create({ trigger_type: 'webhook' });
    const hook = (raw: string, secret = webhook_secret): Promise<HttpResponse> => {
      const digest = createHmac('sha256', String(secret)).update(raw).digest('hex');
      const headers = { 'X-Webhook-Signature': digest, 'Idempotency-Key': 'of-the-sender' };
      return call('POST', String(webhook_url), { raw, headers });
    };
    const [first, again] = [await hook('{}'), await hook('{}')];
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await hook('{"x":1}')).status).toBe(422);
    expect((await hook('{}', 'whsec_other')).status).toBe(401);
    // Idempotency keys of webhook callers are separate from those of the organization.
    const headers = { 'Idempotency-Key': 'of-the-sender' };
    const made = await call('POST', `${platform.url}/api/v1/agents`, {
      key: platform.adminKey,
      body: { name: 'a' },
      headers,
    });
    expect(made.status).toBe(201);
  });

  it('validate the body of a webhook call only if the signature is valid', async () => {
    const { webhook_url, webhook_secret } = await create({ trigger_type: 'webhook' });
    const raw = '{"x": ';
    const digest = createHmac('sha256', String(webhook_secret)).update(raw).digest('hex');
    const hook = async (url: unknown, signature?: string, type = 'application/json'): Promise<number> => {
      const headers = {
        'Content-Type': type,
        ...(signature === undefined ? {} : { 'X-Webhook-Signature': signature }),
      };
      return (await call('POST', String(url), { raw, headers })).status;
    };
    for (const type of ['application/json', 'text/plain']) {
      expect(await hook(`${platform.url}/api/v1/jobs/webhook/${'x'.repeat(40)}`, digest, type)).toBe(404);
      expect(await hook(webhook_url, undefined, type)).toBe(401);
      expect(await hook(webhook_url, 'f'.repeat(64), type)).toBe(401);
    }
    expect(await hook(webhook_url, digest)).toBe(422);
    expect(await hook(webhook_url, digest, 'text/plain')).toBe(415);
    expect(await hook(webhook_url, digest, 'application/json; charset=iso-8859-1')).toBe(415);
  });

  it('never log a token or a secret', async () => {
    const job = await create({ trigger_type: 'webhook' });
    await call('POST', String(job['webhook_url']), { body: {} });
    await send('POST', `/jobs/${job.id}/webhook/rotate`);
    const log = await eventually(() => {
      const printed = platform.controlPlanes[0]?.process.log() ?? '';
      expect(printed).toContain('/webhook/');
      return printed;
    });
    expect(log).not.toContain(String(job['webhook_url']).split('/').at(-1));
    expect(log).not.toContain(job['webhook_secret']);
  });
});
