import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { EnvironmentService } from '@app/environments';
import { ExecutionService, OpenGateModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobWebhookService } from './job-webhook.service.js';
import { JobService } from './job.service.js';
import type { Job, WebhookCall } from './job.types.js';
import { JobsModule } from './jobs.module.js';

describe("a job's webhook", () => {
  const clock = new ManualClock();
  let context: TestContext;
  let jobs: JobService;
  let webhooks: JobWebhookService;
  let caller: Caller;
  let job: Job;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, JobsModule], { clock });
    jobs = context.get(JobService);
    webhooks = context.get(JobWebhookService);
  });

  beforeEach(async () => {
    caller = testCaller({ userEmail: 'ada@acme.test' });
    await context.get(EnvironmentService).provisionDefaults(caller);
    const { id: entity_id } = await context.get(AgentService).create(caller, { name: 'writer' });
    const fields = { name: 'j', trigger_type: 'webhook', prompt_template: 'Saw {{ event }}', entity_id } as const;
    job = await jobs.create(caller, fields);
  });

  afterAll(() => context.close());

  const callWith = (payload: unknown, more: Partial<WebhookCall> = {}): WebhookCall => ({
    rawBody: Buffer.from(payload === undefined ? '' : JSON.stringify(payload)),
    payload: () => payload,
    signature: null,
    webhookId: null,
    webhookTimestamp: null,
    webhookSignature: null,
    ...more,
  });

  const signed = (payload: unknown, secret = job.webhook_secret): WebhookCall => {
    const call = callWith(payload);
    return {
      ...call,
      signature: createHmac('sha256', secret ?? '')
        .update(call.rawBody)
        .digest('hex'),
    };
  };

  const standard = (payload: unknown, webhookId: string): WebhookCall => {
    const call = callWith(payload);
    const webhookTimestamp = String(Math.floor(clock.millis() / 1000));
    const key = Buffer.from((job.webhook_secret ?? '').replace('whsec_', ''), 'base64');
    const digest = createHmac('sha256', key).update(`${webhookId}.${webhookTimestamp}.`).update(call.rawBody);
    return { ...call, webhookId, webhookTimestamp, webhookSignature: `v1,${digest.digest('base64')}` };
  };

  const receive = async (call: WebhookCall, token = job.webhook_token ?? '') =>
    webhooks.receive(await webhooks.verify(token, call));
  const total = async (): Promise<number> => (await jobs.read(caller, job.id)).counts.total;

  it('starts an execution for whoever made the job, with the body as parameters', async () => {
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

  it("keeps the call's metadata in the history", async () => {
    await receive(signed({ parameters: { event: 'tag' }, metadata: { delivery: 7 } }));
    const [run] = (await jobs.read(caller, job.id)).history;
    expect(run).toMatchObject({ trigger_type: 'webhook', trigger_metadata: { delivery: 7 } });
  });

  it('is unknown under any other token, and once the job is no webhook job any more or is gone', async () => {
    const unknown = { kind: 'not_found', message: 'Webhook not found' };
    await expect(receive(signed({}), 'x'.repeat(40))).rejects.toMatchObject(unknown);
    await jobs.update(caller, job.id, { trigger_type: 'manual' });
    await expect(receive(signed({}))).rejects.toMatchObject(unknown);
    await jobs.delete(caller, job.id);
    await expect(receive(signed({}))).rejects.toMatchObject(unknown);
  });

  it('refuses a call without a signature or with a wrong one, and starts nothing', async () => {
    for (const call of [callWith({}), signed({}, 'whsec_other'), { ...signed({ a: 1 }), rawBody: Buffer.from('{}') }]) {
      await expect(receive(call)).rejects.toMatchObject({ kind: 'unauthenticated' });
    }
    expect(await total()).toBe(0);
  });

  it('takes a message id once, also when it comes twice at the same moment', async () => {
    const call = standard({ event: 'push' }, 'msg_1');
    const outcomes = await Promise.allSettled([receive(call), receive(call), receive(call)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(receive(call)).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(receive(standard({}, 'msg_2'))).resolves.toBeDefined();
    expect(await total()).toBe(2);
  });

  it('does not use up the id of a call that was refused for another reason', async () => {
    await jobs.update(caller, job.id, { enabled: false });
    await expect(receive(standard({}, 'msg_1'))).rejects.toMatchObject({ code: 'job_disabled' });
    await jobs.update(caller, job.id, { enabled: true });
    await expect(receive(standard({}, 'msg_1'))).resolves.toBeDefined();
  });

  it('remembers ids for as long as their time stamps are good, and no longer', async () => {
    await receive(standard({}, 'msg_1'));
    clock.advance(600_001);
    await receive(standard({}, 'msg_2'));
    const rows = await context.database.sql<{ message_id: string }>(
      'SELECT message_id FROM job_webhook_messages WHERE job_id = $1',
      [job.id],
    );
    expect(rows).toEqual([{ message_id: 'msg_2' }]);
  });

  it('is signed with the new secret from the moment it is rotated, at the same address', async () => {
    const rotated = await jobs.rotateWebhookSecret(caller, job.id);
    expect(rotated.webhook_token).toBe(job.webhook_token);
    await expect(receive(signed({}))).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(receive(signed({}, rotated.webhook_secret))).resolves.toBeDefined();
    const plain = await jobs.update(caller, job.id, { trigger_type: 'manual' });
    await expect(jobs.rotateWebhookSecret(caller, plain.id)).rejects.toMatchObject({ kind: 'conflict' });
  });
});
