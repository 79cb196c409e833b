import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentProvisioner, EnvironmentService, WorkerQueueService } from '@app/environments';
import { ExecutionService, JobRunsService, type Execution, type JobCounts } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { getRequired, type Caller } from '@app/kernel';
import { TeamMemberService, TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobTriggerService } from './job-trigger.service.js';
import { JobService } from '../jobs/job.service.js';
import type { CreateJob, TriggerJob } from '../jobs/job.types.js';
import { JobsModule } from '../jobs.module.js';

describe('JobTriggerService', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let jobs: JobService;
  let triggers: JobTriggerService;
  let executions: ExecutionService;
  let queues: WorkerQueueService;
  let environments: EnvironmentService;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, AgentsModule, TeamsModule, JobsModule], { clock });
    jobs = context.get(JobService);
    triggers = context.get(JobTriggerService);
    executions = context.get(ExecutionService);
    queues = context.get(WorkerQueueService);
    environments = context.get(EnvironmentService);
  });

  afterAll(() => context.close());

  async function newOrganization(): Promise<{ caller: Caller; agentId: string }> {
    const caller = testCaller({ userEmail: 'ada@acme.test' });
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    const agent = await context.get(AgentService).create(caller, { name: 'writer' });
    return { caller, agentId: agent.id };
  }

  /** Creates a job, triggers it once and returns the stored execution. */
  async function fire(caller: Caller, fields: Partial<CreateJob>, request: TriggerJob = {}): Promise<Execution> {
    const job = await jobs.create(caller, { name: 'j', trigger_type: 'manual', prompt_template: 'Go', ...fields });
    const { execution, job_id } = await triggers.trigger(caller, job.id, request);
    expect(job_id).toBe(job.id);
    return executions.read(caller, execution.id);
  }

  const queueNamed = async (caller: Caller, environment: string, name: string): Promise<string> => {
    const { items } = await queues.listIn(caller, environment, { skip: 0, limit: 10 });
    return items.find((queue) => queue.name === name)?.id ?? '';
  };

  const columns = async (id: string): Promise<{ config: unknown; execution_environment: unknown }> => {
    const sql = 'SELECT config, execution_environment FROM executions WHERE id = $1';
    const [row] = await context.database.sql<{ config: unknown; execution_environment: unknown }>(sql, [id]);
    if (row === undefined) throw new Error(`no execution ${id}`);
    return row;
  };

  const countsOf = async (caller: Caller, jobId: string): Promise<JobCounts> =>
    getRequired(await context.get(JobRunsService).countsOf(caller, [jobId]), jobId);

  it('starts an execution of the agent with the rendered prompt for the user of the caller', async () => {
    const { caller, agentId } = await newOrganization();
    const fields = { entity_id: agentId, prompt_template: 'Greet {{ who.name }}', system_prompt: 'Be kind' };
    const execution = await fire(caller, fields, { parameters: { who: { name: '{{ who }}' } } });
    expect(execution).toMatchObject({
      status: 'pending',
      execution_type: 'agent',
      entity_id: agentId,
      entity_name: 'writer',
      prompt: 'Greet {{ who }}',
      system_prompt: 'Be kind',
      trigger_type: 'manual',
      user_id: caller.userId,
      user_email: 'ada@acme.test',
      worker_queue_id: await queueNamed(caller, 'default', 'default'),
      execution_metadata: { job_name: 'j', parameters: { who: { name: '{{ who }}' } } },
    });
    expect((await context.get(AgentService).read(caller, agentId)).last_active_at).toEqual(clock.now());
  });

  it('sets `last_active_at` of the agent at most once per second', async () => {
    const { caller, agentId } = await newOrganization();
    const lastActive = async (): Promise<Date | null> =>
      (await context.get(AgentService).read(caller, agentId)).last_active_at;
    await fire(caller, { entity_id: agentId });
    const first = clock.now();
    clock.advance(999);
    await fire(caller, { entity_id: agentId });
    expect(await lastActive()).toEqual(first);
    clock.advance(1);
    await fire(caller, { entity_id: agentId });
    expect(await lastActive()).toEqual(clock.now());
  });

  it('overrides top-level keys of the configuration for this execution only', async () => {
    const { caller, agentId } = await newOrganization();
    const config = { a: { x: 1 }, b: 1 };
    const environment = { env_vars: { A: '1' } };
    const fields = { entity_id: agentId, config, execution_environment: environment };
    const execution = await fire(caller, fields, { config_override: { a: { y: 2 }, c: 3 } });
    const stored = await columns(execution.id);
    expect(stored).toEqual({ config: { a: { y: 2 }, b: 1, c: 3 }, execution_environment: environment });
    expect((await jobs.read(caller, execution.job_id ?? '')).config).toEqual(config);
  });

  it('uses the queue or environment of the executor type, by id or name', async () => {
    const { caller, agentId } = await newOrganization();
    const gpu = await queues.create(caller, 'default', { name: 'gpu' });
    const lab = await environments.create(caller, { name: 'lab' });
    const bench = await queues.create(caller, 'lab', { name: 'bench' });
    const queueIdOf = async (fields: Partial<CreateJob>): Promise<string | null> =>
      (await fire(caller, { entity_id: agentId, ...fields })).worker_queue_id;
    for (const worker_queue_name of ['gpu', gpu.id]) {
      expect(await queueIdOf({ executor_type: 'specific_queue', worker_queue_name })).toBe(gpu.id);
    }
    for (const environment_name of ['lab', lab.id]) {
      expect(await queueIdOf({ executor_type: 'environment', environment_name })).toBe(bench.id);
    }
  });

  it('prefers the environments of the agent', async () => {
    const { caller, agentId } = await newOrganization();
    const lab = await environments.create(caller, { name: 'lab' });
    const bench = await queues.create(caller, 'lab', { name: 'bench' });
    await context.get(AgentService).update(caller, agentId, { environment_ids: [lab.id] });
    expect((await fire(caller, { entity_id: agentId })).worker_queue_id).toBe(bench.id);
  });

  it('starts an execution of a team in the environments of its members', async () => {
    const { caller, agentId } = await newOrganization();
    const lab = await environments.create(caller, { name: 'lab' });
    const bench = await queues.create(caller, 'lab', { name: 'bench' });
    await context.get(AgentService).update(caller, agentId, { environment_ids: [lab.id] });
    const team = await context.get(TeamService).create(caller, { name: 'crew' });
    await context.get(TeamMemberService).add(caller, team.id, agentId);
    const execution = await fire(caller, { entity_id: team.id, planning_mode: 'predefined_team' });
    expect(execution).toMatchObject({
      status: 'pending',
      execution_type: 'team',
      entity_id: team.id,
      entity_name: 'crew',
      worker_queue_id: bench.id,
    });
  });

  it('creates and counts a failed execution that lists everything that is missing', async () => {
    const { caller, agentId } = await newOrganization();
    const specific = { executor_type: 'specific_queue', worker_queue_name: 'unknown' } as const;
    const reasons: [Partial<CreateJob>, string[]][] = [
      [{ entity_id: 'nobody' }, ['There is no agent nobody']],
      [{ entity_id: agentId, ...specific }, ['worker queue unknown']],
      [{ entity_id: 'nobody', ...specific }, ['There is no agent nobody', 'worker queue unknown']],
      [{ entity_id: agentId, executor_type: 'environment', environment_name: 'mars' }, ['environment mars']],
      [{ entity_id: 't1', planning_mode: 'predefined_team' }, ['There is no team t1']],
      [{ entity_id: 'w1', planning_mode: 'predefined_workflow' }, ['There is no workflow w1']],
    ];
    for (const [fields, texts] of reasons) {
      const { status, error_message, job_id, worker_queue_id } = await fire(caller, fields);
      expect([status, worker_queue_id]).toEqual(['failed', null]);
      for (const text of texts) expect(error_message).toContain(text);
      expect(await countsOf(caller, job_id ?? '')).toMatchObject({ total: 1, successful: 0, failed: 1 });
    }
  });

  it('runs without an entity in the planning mode on_the_fly', async () => {
    const { caller } = await newOrganization();
    const execution = await fire(caller, { planning_mode: 'on_the_fly' });
    expect(execution).toMatchObject({ status: 'pending', execution_type: 'agent', entity_id: null, entity_name: null });
  });

  it('rejects triggering a disabled job and creates no execution', async () => {
    const { caller, agentId } = await newOrganization();
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', entity_id: agentId } as const;
    const job = await jobs.create(caller, { ...fields, enabled: false });
    await expect(triggers.trigger(caller, job.id, {})).rejects.toMatchObject({ kind: 'conflict' });
    expect((await countsOf(caller, job.id)).total).toBe(0);
  });

  it('rejects parameters that make the prompt too long', async () => {
    const { caller, agentId } = await newOrganization();
    const fields = { name: 'j', trigger_type: 'manual', entity_id: agentId } as const;
    const job = await jobs.create(caller, { ...fields, prompt_template: '{{ a }}'.repeat(100) });
    const parameters = { a: 'x'.repeat(100_000) };
    await expect(triggers.trigger(caller, job.id, { parameters })).rejects.toMatchObject({
      faults: [{ path: ['parameters'], type: 'string_too_long', msg: expect.stringMatching(/prompt_template/) }],
    });
    await expect(triggers.trigger(caller, job.id, { parameters: { a: 'x'.repeat(11_000) } })).rejects.toThrow(
      '1048576',
    );
  });

  it('updates the counters and the history of the job, and keeps the history after the job is deleted', async () => {
    const { caller, agentId } = await newOrganization();
    const fields = { name: 'j', trigger_type: 'manual', prompt_template: 'Go', entity_id: agentId } as const;
    const { id } = await jobs.create(caller, fields);
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      clock.advance(1);
      ids.unshift((await triggers.trigger(caller, id, {})).execution.id);
    }
    await executions.patch(caller, ids[0] ?? '', { status: 'completed' }, null);
    await executions.patch(caller, ids[1] ?? '', { status: 'failed', error_message: 'Oh' }, null);
    const runs = context.get(JobRunsService);
    const counts = await countsOf(caller, id);
    expect(counts).toMatchObject({ total: 12, successful: 1, failed: 1, lastExecutionId: ids[0] });
    expect(counts.lastExecutionAt).toEqual(clock.now());
    const history = getRequired(await runs.newestByJobIds(caller, [id]), id);
    expect(history.map(({ execution_id }) => execution_id)).toEqual(ids.slice(0, 10));
    expect(history[1]).toMatchObject({ status: 'failed', error_message: 'Oh', trigger_type: 'manual' });
    const page = await runs.list(caller, id, { skip: 10, limit: 50 });
    expect([page.total, page.items.map(({ execution_id }) => execution_id)]).toEqual([12, ids.slice(10)]);
    await jobs.delete(caller, id);
    expect(await runs.list(caller, id, { skip: 0, limit: 1 })).toMatchObject({ total: 12 });
    expect((await executions.read(caller, ids[5] ?? '')).job_id).toBe(id);
  });
});
