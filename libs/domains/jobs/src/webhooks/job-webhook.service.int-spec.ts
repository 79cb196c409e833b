import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner } from '@app/environments';
import { ExecutionService, JobRunsService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { UserService } from '@app/identity';
import { getRequired, newId, type Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobWebhookService } from './job-webhook.service.js';
import { JobService } from '../jobs/job.service.js';
import type { Job, JobWebhookCall } from '../jobs/job.types.js';
import { JobsModule } from '../jobs.module.js';

describe('JobWebhookService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let jobs: JobService;
  let runs: JobRunsService;
  let webhooks: JobWebhookService;
  let caller: Caller;
  let job: Job;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsModule], { clock });
    jobs = context.get(JobService);
    runs = context.get(JobRunsService);
    webhooks = context.get(JobWebhookService);
  });

  beforeEach(async () => {
    caller = await callerOf('ada@acme.test', newId());
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { id: entity_id } = await context.get(AgentService).create(caller, { name: 'writer' });
    const fields = { name: 'j', trigger_type: 'webhook', prompt_template: 'Saw {{ event }}', entity_id } as const;
    job = await jobs.create(caller, fields);
  });

  afterAll(() => context.close());

  const callWith = (payload: unknown, more: Partial<JobWebhookCall> = {}): JobWebhookCall => ({
    rawBody: Buffer.from(payload === undefined ? '' : JSON.stringify(payload)),
    payload: () => payload,
    headers: {},
    urlSecret: null,
    ...more,
  });

  const signed = (payload: unknown, secret = job.webhook_secret): JobWebhookCall => {
    const call = callWith(payload);
    const digest = createHmac('sha256', secret ?? '').update(call.rawBody);
    const signature = `sha256=${digest.digest('hex')}`;
    return { ...call, headers: { 'x-webhook-signature': signature, 'x-hub-signature-256': signature } };
  };

  const standard = (payload: unknown, webhookId: string): JobWebhookCall => {
    const call = callWith(payload);
    const webhookTimestamp = String(Math.floor(clock.millis() / 1000));
    const key = Buffer.from((job.webhook_secret ?? '').replace('whsec_', ''), 'base64');
    const digest = createHmac('sha256', key).update(`${webhookId}.${webhookTimestamp}.`).update(call.rawBody);
    const signature = `v1,${digest.digest('base64')}`;
    return {
      ...call,
      headers: { 'webhook-id': webhookId, 'webhook-timestamp': webhookTimestamp, 'webhook-signature': signature },
    };
  };

  /** Creates a user and returns it as a caller. */
  async function callerOf(userEmail: string, organizationId: string): Promise<Caller> {
    const { id: userId } = await context.get(UserService).create({ organizationId }, { name: 'Ada', email: userEmail });
    return testCaller({ organizationId, userId, userName: 'Ada', userEmail });
  }

  const receive = async (call: JobWebhookCall, token = job.webhook_token ?? '') =>
    webhooks.receive(await webhooks.verify(token, call, () => 'sender'));
  const total = async (): Promise<number> => getRequired(await runs.countsOf(caller, [job.id]), job.id).total;

  it('acts for the user who last changed what runs, not for a user who changed other fields', async () => {
    const colleague = (userEmail: string): Promise<Caller> => callerOf(userEmail, caller.organizationId);
    const author = await colleague('author@acme.test');
    const userOfRun = async (): Promise<string | null> => (await receive(signed({ event: 'push' }))).execution.user_id;
    await jobs.update(author, job.id, { prompt_template: 'Do mine' });
    await jobs.update(await colleague('renamer@acme.test'), job.id, { name: 'renamed', prompt_template: 'Do mine' });
    await jobs.rotateWebhookSecret(await colleague('rotator@acme.test'), job.id);
    job = await jobs.read(caller, job.id);
    expect(job).toMatchObject({ created_by: caller.userId, runs_as: author.userId, runs_as_email: author.userEmail });
    expect(await userOfRun()).toBe(author.userId);
    const changes = [
      ...[{ system_prompt: 's' }, { entity_id: 'other' }, { config: { a: 1 } }, { environment_name: 'default' }],
      ...[{ execution_environment: { env_vars: { A: '1' } } }, { worker_queue_name: 'default' }],
      ...[{ webhook_secret: 'a secret of my own' }, { webhook_signature: 'github' as const }],
    ];
    for (const [index, change] of changes.entries()) {
      const editor = await colleague(`editor-${index}@acme.test`);
      await jobs.update(editor, job.id, change);
      job = await jobs.read(caller, job.id);
      expect([change, await userOfRun()]).toEqual([change, editor.userId]);
    }
  });

  it('starts an execution for the creator of the job, with the body as parameters', async () => {
    const { execution, job_id } = await receive(signed({ event: 'push' }));
    expect(job_id).toBe(job.id);
    expect(await context.get(ExecutionService).read(caller, execution.id)).toMatchObject({
      status: 'pending',
      prompt: 'Saw push',
      trigger_type: 'webhook',
      user_id: caller.userId,
      user_email: 'ada@acme.test',
    });
  });

  it('shows the data of the user at the start of the run', async () => {
    const changes = { name: 'Ada Lovelace', email: 'lovelace@acme.test', avatar_url: 'https://acme.test/ada.png' };
    await context.get(UserService).update(caller, caller.userId, changes);
    const { execution } = await receive(signed({ event: 'push' }));
    expect(await context.get(ExecutionService).read(caller, execution.id)).toMatchObject({
      user_name: 'Ada Lovelace',
      user_email: 'lovelace@acme.test',
      user_avatar: 'https://acme.test/ada.png',
    });
  });

  it('creates a failed run if its user is suspended or does not exist', async () => {
    const users = context.get(UserService);
    const failureOf = async (): Promise<unknown> => {
      const { execution } = await receive(signed({ event: 'push' }));
      const { status, error_message, user_id } = await context.get(ExecutionService).read(caller, execution.id);
      return { status, error_message, user_id };
    };
    await users.setStatus(caller, caller.userId, 'suspended');
    const suspended = 'The user for whom the job runs is suspended: Ada';
    expect(await failureOf()).toEqual({ status: 'failed', error_message: suspended, user_id: caller.userId });
    await users.setStatus(caller, caller.userId, 'active');
    expect(await failureOf()).toMatchObject({ status: 'pending', error_message: null });
    await context.database.sql('DELETE FROM users WHERE id = $1', [caller.userId]);
    const missing = 'The user for whom the job runs does not exist';
    expect(await failureOf()).toEqual({ status: 'failed', error_message: missing, user_id: caller.userId });
  });

  it('stores the metadata of the call in the history', async () => {
    await receive(signed({ parameters: { event: 'tag' }, metadata: { delivery: 7 } }));
    const [run] = (await runs.list(caller, job.id, { skip: 0, limit: 1 })).items;
    expect(run).toMatchObject({ trigger_type: 'webhook', trigger_metadata: { delivery: 7 } });
  });

  it('rejects an unknown token, and the token of a job that was deleted or has another trigger', async () => {
    const unknown = { kind: 'not_found', message: 'Webhook not found' };
    await expect(receive(signed({}), 'x'.repeat(40))).rejects.toMatchObject(unknown);
    await jobs.update(caller, job.id, { trigger_type: 'manual' });
    await expect(receive(signed({}))).rejects.toMatchObject(unknown);
    await jobs.delete(caller, job.id);
    await expect(receive(signed({}))).rejects.toMatchObject(unknown);
  });

  it('rejects a missing or invalid signature and starts no execution', async () => {
    for (const call of [callWith({}), signed({}, 'whsec_other'), { ...signed({ a: 1 }), rawBody: Buffer.from('{}') }]) {
      await expect(receive(call)).rejects.toMatchObject({ kind: 'unauthenticated' });
    }
    expect(await total()).toBe(0);
  });

  it('accepts a message id once, even in concurrent calls', async () => {
    const call = standard({ event: 'push' }, 'msg_1');
    const outcomes = await Promise.allSettled([receive(call), receive(call), receive(call)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(receive(call)).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(receive(standard({}, 'msg_2'))).resolves.toBeDefined();
    expect(await total()).toBe(2);
  });

  it('accepts a call with a signed timestamp once', async () => {
    job = await jobs.update(caller, job.id, { webhook_signature: 'slack' });
    const call = callWith({ event: 'push' });
    const timestamp = String(Math.floor(clock.millis() / 1000));
    const digest = createHmac('sha256', job.webhook_secret ?? '')
      .update(`v0:${timestamp}:`)
      .update(call.rawBody);
    const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest.digest('hex')}` };
    await expect(receive({ ...call, headers })).resolves.toBeDefined();
    await expect(receive({ ...call, headers })).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(await total()).toBe(1);
  });

  it('takes the secret of the sender, and keeps it until there is another', async () => {
    const [own, other] = ['a secret of my own', 'another secret of mine'];
    const fields = { name: 'j', trigger_type: 'webhook', prompt_template: 'p', entity_id: 'a' } as const;
    const made = await jobs.create(caller, { ...fields, webhook_secret: own });
    expect(made.webhook_secret).toBe(own);
    expect((await jobs.update(caller, made.id, { name: 'k' })).webhook_secret).toBe(own);
    expect(await jobs.update(caller, made.id, { webhook_secret: other })).toMatchObject({
      webhook_secret: other,
      webhook_token: made.webhook_token,
    });
    const unused = { faults: [expect.objectContaining({ path: ['webhook_secret'] })] };
    const change = { trigger_type: 'manual', webhook_secret: own } as const;
    await expect(jobs.update(caller, made.id, change)).rejects.toMatchObject(unused);
    await expect(jobs.create(caller, { ...fields, ...change })).rejects.toMatchObject(unused);
    const manual = await jobs.update(caller, made.id, { trigger_type: 'manual' });
    expect([manual.webhook_token, manual.webhook_secret]).toEqual([null, null]);
    const again = await jobs.update(caller, made.id, { trigger_type: 'webhook', webhook_secret: own });
    expect(again.webhook_secret).toBe(own);
    expect(again.webhook_token).not.toBe(made.webhook_token);
  });

  it('accepts the message id of a rejected call again', async () => {
    await jobs.update(caller, job.id, { enabled: false });
    await expect(receive(standard({}, 'msg_1'))).rejects.toMatchObject({ code: 'job_disabled' });
    await jobs.update(caller, job.id, { enabled: true });
    await expect(receive(standard({}, 'msg_1'))).resolves.toBeDefined();
  });

  it('deletes message ids after their timestamps have expired', async () => {
    await receive(standard({}, 'msg_1'));
    clock.advance(600_001);
    await receive(standard({}, 'msg_2'));
    const rows = await context.database.sql<{ message_id: string }>(
      'SELECT message_id FROM job_webhook_messages WHERE job_id = $1',
      [job.id],
    );
    expect(rows).toEqual([{ message_id: 'msg_2' }]);
  });

  it('accepts only the new secret after a rotation and keeps the token', async () => {
    const rotated = await jobs.rotateWebhookSecret(caller, job.id);
    expect(rotated.webhook_token).toBe(job.webhook_token);
    await expect(receive(signed({}))).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(receive(signed({}, rotated.webhook_secret))).resolves.toBeDefined();
    const plain = await jobs.update(caller, job.id, { trigger_type: 'manual' });
    await expect(jobs.rotateWebhookSecret(caller, plain.id)).rejects.toMatchObject({ kind: 'conflict' });
  });

  describe('of one address', () => {
    const MORE_THAN_ADMITTED = 600;
    const arrive = (address: string, token = job.webhook_token ?? ''): Promise<unknown> =>
      webhooks.senderOf(token, () => address);

    it('limits the calls that are not verified, for this job only, until time has passed', async () => {
      const flood = async (): Promise<void> => {
        for (let sent = 0; sent < MORE_THAN_ADMITTED; sent += 1) await arrive('flooding');
      };
      await expect(flood()).rejects.toMatchObject({ code: 'unknown_credentials_too_many' });
      await expect(arrive('other')).resolves.toBeDefined();
      const { id: entity_id } = await context.get(AgentService).create(caller, { name: 'other' });
      const fields = { name: 'other', trigger_type: 'webhook', prompt_template: 'Go', entity_id } as const;
      const other = await jobs.create(caller, fields);
      await expect(arrive('flooding', other.webhook_token ?? '')).resolves.toBeDefined();
      clock.advance(1_000);
      await expect(arrive('flooding')).resolves.toBeDefined();
    });

    it('does not limit those with a valid signature', async () => {
      const call = signed({ event: 'push' });
      for (let sent = 0; sent < MORE_THAN_ADMITTED; sent += 1) {
        await arrive('busy');
        await webhooks.verify(job.webhook_token ?? '', call, () => 'busy');
      }
      await expect(arrive('busy')).resolves.toBeDefined();
    });
  });
});
