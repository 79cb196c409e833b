import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentsModule } from '@app/agents';
import { OpenGateModule } from '@app/executions/testing';
import { newId } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { JobFiringService } from './job-firing.service.js';
import { JobInstantService } from './job-instant.service.js';
import { JobService } from '../jobs/job.service.js';
import { JobsModule } from '../jobs.module.js';

const MINUTE = 60_000;
const START = new Date('2026-01-01T00:00:30.000Z');
const modules = [OpenGateModule, AgentsModule, TeamsModule, JobsModule];

describe('due instants of several organizations', () => {
  let clock: ManualClock;
  let context: TestContext;
  /** A second process. */
  let other: TestContext;

  beforeAll(async () => {
    clock = new ManualClock(START);
    context = await createTestContext(modules, { clock });
    other = await createTestContext(modules, { clock, shareWith: context });
  });
  afterAll(async () => {
    await other.close();
    await context.close();
  });
  beforeEach(async () => {
    await context.database.sql('DELETE FROM jobs');
    await context.database.sql('DELETE FROM executions');
  });

  /** Creates a job for each organization in the list, and records an instant of each job. */
  async function makeDue(organizations: readonly string[]): Promise<void> {
    const fields = { name: 'n', trigger_type: 'cron', prompt_template: 'Go', entity_id: 'nobody' } as const;
    for (const organizationId of organizations) {
      await context.get(JobService).create(testCaller({ organizationId }), { ...fields, cron_schedule: '* * * * *' });
    }
    clock.advance(MINUTE);
    expect(await context.get(JobInstantService).recordDue(1000)).toBe(organizations.length);
  }
  const startDue = (limit: number, by = context): Promise<number> => by.get(JobFiringService).startDue(limit);

  /** The number of starts of each organization. */
  async function starts(): Promise<Record<string, number>> {
    const sql = 'SELECT organization_id, count(*)::integer AS runs FROM executions GROUP BY 1';
    const rows = await context.database.sql<{ organization_id: string; runs: number }>(sql);
    return Object.fromEntries(rows.map(({ organization_id, runs }) => [organization_id, runs]));
  }
  const newIds = (count: number): string[] => Array.from({ length: count }, () => newId());
  const times = (count: number, id: string): string[] => Array.from({ length: count }, () => id);

  it('are started in turn, even if there are more organizations than instants in a batch', async () => {
    const organizations = newIds(7);
    await makeDue([...organizations, ...organizations, ...organizations]);
    await startDue(4);
    expect(Object.values(await starts())).toEqual([1, 1, 1, 1]);
    await startDue(4);
    expect(Object.values(await starts()).sort((one, next) => one - next)).toEqual([1, 1, 1, 1, 1, 1, 2]);
    for (let batches = 2; batches < 6; batches += 1) await startDue(4);
    expect(await starts()).toEqual(Object.fromEntries(organizations.map((id) => [id, 3])));
  });

  it('fill a batch with one of each organization, then with those of the largest one', async () => {
    const [large = '', ...small] = newIds(4);
    await makeDue([...times(20, large), ...small]);
    expect(await startDue(10)).toBe(10);
    expect(await starts()).toEqual({ [large]: 7, ...Object.fromEntries(small.map((id) => [id, 1])) });
    expect([await startDue(10), await startDue(10), await startDue(10)]).toEqual([10, 3, 0]);
  });

  it('are taken once by processes that start them at the same time', async () => {
    const organizations = newIds(5);
    await makeDue(organizations.flatMap((id) => times(6, id)));
    const all = async (by: TestContext): Promise<number> => {
      let started = 0;
      for (let last = -1; last !== 0; started += last) last = await startDue(4, by);
      return started;
    };
    const [one, two] = await Promise.all([all(context), all(other)]);
    expect(one + two).toBe(30);
    expect(await starts()).toEqual(Object.fromEntries(organizations.map((id) => [id, 6])));
  });
});
