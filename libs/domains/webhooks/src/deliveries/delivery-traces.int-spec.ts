import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExecutionService } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { Clock } from '@app/kernel';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { PlatformSpansService, TracesModule } from '@app/traces';
import { WebhooksModule } from '../webhooks.module.js';
import { DeliveryTraces } from './delivery-traces.js';
import type { ClaimedDelivery } from './webhook-delivery.types.js';

describe('the traces of deliveries', () => {
  let context: TestContext;
  let traces: DeliveryTraces;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, TracesModule, WebhooksModule]);
    traces = new DeliveryTraces(context.get(ExecutionService), context.get(PlatformSpansService), context.get(Clock));
  });

  afterAll(() => context.close());

  it('fail no delivery if they cannot be read', async () => {
    const caller = testCaller();
    const delivery: ClaimedDelivery = {
      id: '0198c5a0-0000-7000-8000-000000000001',
      organization_id: caller.organizationId,
      webhook_id: '0198c5a0-0000-7000-8000-000000000002',
      event_id: 'e',
      event_type: 'done',
      // The database refuses NUL.
      execution_id: 'no\0id',
      attempts: 1,
      body: '{}',
    };
    expect(await traces.open(caller, [delivery])).toMatchObject([{ delivery, execution: undefined }]);
  });
});
