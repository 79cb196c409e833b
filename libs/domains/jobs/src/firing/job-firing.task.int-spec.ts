import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { OpenGateModule } from '@app/executions/testing';
import { TeamsModule } from '@app/teams';
import { createTestContext, statementsOf, type TestContext } from '@app/testing';
import { JobsModule } from '../jobs.module.js';
import { JobFiringService } from './job-firing.service.js';
import { JobFiringTask } from './job-firing.task.js';
import { JobInstantService } from './job-instant.service.js';

describe('the task that starts due instants', () => {
  let context: TestContext;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsModule]);
  });
  afterAll(() => context.close());

  it('looks for due instants when it starts and after each batch of recorded ones, not all the time in between', async () => {
    const task = new JobFiringTask(context.get(JobInstantService), context.get(JobFiringService));
    const { signal } = new AbortController();
    // Opens the connections.
    await task.run(signal);
    const startedAt = performance.now();
    const statements = await statementsOf(() => task.run(signal));
    // It also looks once a second, however long the stores take.
    const pauses = Math.floor((performance.now() - startedAt) / 1000);
    expect(statements.filter((name) => name === 'jobs.lock_due')).toHaveLength(1);
    const looks = statements.filter((name) => name === 'job_instants.take').length;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(2 + pauses);
  });
});
