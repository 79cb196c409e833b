import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner } from '@app/environments';
import { OpenGateModule } from '@app/executions/testing';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobService } from '../jobs/job.service.js';
import { JobsHandlersModule } from '../jobs.handlers.module.js';
import { JobWebhookMessagePruneTask } from './job-webhook-message-prune.task.js';
import { JobWebhookMessageRepository } from './job-webhook-message.repository.js';

describe('JobWebhookMessagePruneTask', () => {
  const clock = new ManualClock();
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsHandlersModule], { clock });
  });

  afterAll(() => context.close());

  it('deletes expired ids of a job that is no longer called, and keeps ids that have not expired', async () => {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { id: entity_id } = await context.get(AgentService).create(caller, { name: 'writer' });
    const fields = { name: 'j', trigger_type: 'webhook', prompt_template: 'Hi', entity_id } as const;
    const job = await context.get(JobService).create(caller, fields);
    const messages = context.get(JobWebhookMessageRepository);
    const task = context.get(JobWebhookMessagePruneTask);
    const signal = new AbortController().signal;
    const count = async (): Promise<number> =>
      (await context.database.sql('SELECT 1 AS one FROM job_webhook_messages')).length;
    expect(await messages.recordIfNew({ job_id: job.id, message_id: 'first', received_at: clock.now() })).toBe(true);
    await task.run(signal);
    expect(await count()).toBe(1);
    clock.advance(3_600_000);
    await task.run(signal);
    expect(await count()).toBe(0);
  });
});
