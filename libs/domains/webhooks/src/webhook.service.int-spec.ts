import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setEnvironment } from '@app/config';
import { UnreadLogs } from '@app/events';
import { OpenGateModule } from '@app/executions/testing';
import { createTestContext, eventually, ManualClock, testCaller, type TestContext } from '@app/testing';
import { WebhookService } from './webhook.service.js';
import { WebhooksModule } from './webhooks.module.js';

const url = 'http://127.0.0.1:9/hooks';

describe('WebhookService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let webhooks: WebhookService;

  beforeAll(async () => {
    setEnvironment({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    context = await createTestContext([OpenGateModule, WebhooksModule], { clock });
    webhooks = context.get(WebhookService);
  });

  afterAll(() => context.close());

  it('creates a webhook with a secret and the default of each omitted field', async () => {
    const caller = testCaller();
    const created = await webhooks.create(caller, { url });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      url,
      events: [],
      job_ids: [],
      agent_ids: [],
      description: null,
      status: 'active',
      disabled_reason: null,
      active_since: clock.now(),
      secret: expect.stringMatching(/^whsec_/),
      previous_secret: null,
      previous_secret_expires_at: null,
      created_by: caller.userId,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await webhooks.read(caller, created.id)).toEqual(created);
  });

  it('rejects a URL with a private address, on creation and on update', async () => {
    const caller = testCaller();
    const msg = 'The URL leads to a private address, which the operator has not allowed with WEBHOOK_ALLOWED_HOSTS';
    const fault = { kind: 'invalid', faults: [{ path: ['url'], msg }] };
    await expect(webhooks.create(caller, { url: 'http://169.254.169.254/latest' })).rejects.toMatchObject(fault);
    const { id } = await webhooks.create(caller, { url });
    await expect(webhooks.update(caller, id, { url: 'http://10.0.0.1/' })).rejects.toMatchObject(fault);
    expect(await webhooks.read(caller, id)).toMatchObject({ url });
  });

  it('changes the time since which a webhook is active only when its status becomes `active` again', async () => {
    const caller = testCaller();
    const { id, active_since } = await webhooks.create(caller, { url });
    clock.advance(1);
    expect(await webhooks.update(caller, id, { status: 'active' })).toMatchObject({ active_since });
    expect(await webhooks.update(caller, id, { status: 'disabled' })).toMatchObject({ active_since });
    clock.advance(1);
    const again = await webhooks.update(caller, id, { status: 'active' });
    expect(again).toMatchObject({ active_since: clock.now(), updated_at: clock.now() });
  });

  it('follows the events of an organization after the commit of its first active webhook', async () => {
    const caller = testCaller();
    const logs = context.get(UnreadLogs);
    const { id } = await webhooks.create(caller, { url, status: 'disabled' });
    const added = () => logs.add('http', [{ organizationId: caller.organizationId, executionId: id }]);
    await context.database.transaction(async () => {
      await webhooks.update(caller, id, { status: 'active' });
      expect(await added()).toBe(0);
    });
    await eventually(async () => expect(await added()).toBe(1));
  });

  it('keeps the previous secret for the overlap of a rotation', async () => {
    const caller = testCaller();
    const before = await webhooks.create(caller, { url });
    const rotated = await webhooks.rotateSecret(caller, before.id, 60);
    const expiry = new Date(clock.millis() + 60_000);
    expect(rotated).toMatchObject({ previous_secret: before.secret, previous_secret_expires_at: expiry });
    expect(rotated.secret).not.toBe(before.secret);
    const without = await webhooks.rotateSecret(caller, before.id, 0);
    expect(without).toMatchObject({ previous_secret: null, previous_secret_expires_at: null });
  });

  it('rejects every access to a webhook of another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const { id } = await webhooks.create(owner, { url });
    await expect(webhooks.read(stranger, id)).rejects.toThrow('Webhook not found');
    await expect(webhooks.update(stranger, id, { description: 'd' })).rejects.toThrow('Webhook not found');
    await expect(webhooks.rotateSecret(stranger, id, 0)).rejects.toThrow('Webhook not found');
    await expect(webhooks.delete(stranger, id)).rejects.toThrow('Webhook not found');
  });
});
