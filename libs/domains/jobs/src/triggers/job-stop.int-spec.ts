import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner } from '@app/environments';
import { ExecutionGate, JobRunsService, type GateDecision } from '@app/executions';
import { getRequired, type Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, testCaller, type TestContext } from '@app/testing';
import { Global, Module } from '@nestjs/common';
import { JobTriggerService } from './job-trigger.service.js';
import { JobService } from '../jobs/job.service.js';
import type { TriggeredJob } from '../jobs/job.types.js';
import { JobsModule } from '../jobs.module.js';

/** Allows every execution, and calls a hook between the look-up of the job and the insert of its execution. */
class HookedGate extends ExecutionGate {
  beforeInsert: () => Promise<unknown> = () => Promise.resolve();

  override async decide(): Promise<GateDecision | undefined> {
    await this.beforeInsert();
    return undefined;
  }
}

@Global()
@Module({ providers: [HookedGate, { provide: ExecutionGate, useExisting: HookedGate }], exports: [ExecutionGate] })
class HookedGateModule {}

describe('a trigger of a job that is disabled or deleted while it is in flight', () => {
  let context: TestContext;
  let jobs: JobService;
  let caller: Caller;
  let jobId: string;

  beforeAll(async () => {
    context = await createTestContext([HookedGateModule, AgentsModule, TeamsModule, JobsModule]);
    jobs = context.get(JobService);
  });

  afterAll(() => context.close());

  beforeEach(async () => {
    caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const { id: entity_id } = await context.get(AgentService).create(caller, { name: 'writer' });
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', entity_id } as const;
    jobId = (await jobs.create(caller, fields)).id;
  });

  async function trigger(beforeInsert: () => Promise<unknown> = () => Promise.resolve()): Promise<TriggeredJob> {
    context.get(HookedGate).beforeInsert = beforeInsert;
    return context.get(JobTriggerService).trigger(caller, jobId, {});
  }

  async function countRuns(): Promise<number> {
    return getRequired(await context.get(JobRunsService).countsOf(caller, [jobId]), jobId).total;
  }

  /** Returns the stored messages about executions of the organization. */
  async function messages(): Promise<readonly unknown[]> {
    const text = `SELECT topic FROM outbox WHERE topic LIKE 'execution.%' AND payload ->> 'organizationId' = $1`;
    return context.database.sql(text, [caller.organizationId]);
  }

  it('throws `job_disabled` and stores nothing; the job starts again after it is enabled', async () => {
    const disabling = trigger(() => jobs.update(caller, jobId, { enabled: false }));
    await expect(disabling).rejects.toMatchObject({ code: 'job_disabled' });
    expect(await countRuns()).toBe(0);
    expect(await messages()).toEqual([]);
    await jobs.update(caller, jobId, { enabled: true });
    expect((await trigger()).execution.status).toBe('pending');
    expect(await countRuns()).toBe(1);
  });

  it('throws `job_not_found` for a deleted job', async () => {
    await expect(trigger(() => jobs.delete(caller, jobId))).rejects.toMatchObject({ code: 'job_not_found' });
  });
});
