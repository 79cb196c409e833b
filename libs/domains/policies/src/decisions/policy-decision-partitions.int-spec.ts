import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { DispatchConfig, loadConfig, PolicyConfig } from '@app/config';
import { Partitions, partitionOf, partitionsFrom } from '@app/database';
import { ExecutionsModule } from '@app/executions';
import type { Caller } from '@app/kernel';
import { TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PeriodicTasks } from '@app/dispatch';
import { SchedulerRegistry } from '@nestjs/schedule';
import { PoliciesModule } from '../policies.module.js';
import { DECISIONS, PolicyDecisionPartitionsTask } from './policy-decision-partitions.task.js';
import { PolicyDecisionService } from './policy-decision.service.js';

const DAY_MS = 86_400_000;
const firstPage = { skip: 0, limit: 1000 };

describe('the partitions of the decision log', () => {
  const { signal } = new AbortController();
  const contexts: TestContext[] = [];
  let clock: ManualClock;
  let context: TestContext;
  let decisions: PolicyDecisionService;
  let task: PolicyDecisionPartitionsTask;
  let caller: Caller;
  let agentId: string;

  beforeEach(async () => {
    clock = new ManualClock(new Date('2026-03-04T12:00:00.000Z'));
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], { clock });
    contexts.push(context);
    decisions = context.get(PolicyDecisionService);
    task = newTask(context);
    caller = testCaller();
    agentId = (await context.get(AgentService).create(caller, { name: 'a' })).id;
  });

  afterAll(async () => {
    for (const each of contexts.reverse()) await each.close();
  });

  /**
   * Creates a task that runs only when a test calls it. The task of PoliciesHandlersModule would run on its schedule.
   */
  const newTask = (stores: TestContext): PolicyDecisionPartitionsTask =>
    new PolicyDecisionPartitionsTask(
      stores.get(Partitions),
      stores.get(PolicyConfig),
      clock,
      new PeriodicTasks(new SchedulerRegistry(), loadConfig(DispatchConfig, {})),
    );

  const decide = async (): Promise<string> =>
    (await decisions.evaluate(caller, 'agent', agentId, { input: {}, policy_ids: [] })).id;

  /** Returns the table of each decision. */
  async function tablesById(): Promise<Map<string, string>> {
    const rows = await context.database.sql<{ id: string; table: string }>(
      'SELECT id, tableoid::regclass::text AS table FROM policy_decisions',
    );
    return new Map(rows.map(({ id, table }) => [id, table]));
  }

  async function tables(): Promise<string[]> {
    const rows = await context.database.sql<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'policy_decisions'::regclass ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  }

  it('store a decision in the default partition until its week has a partition', async () => {
    const early = await decide();
    expect((await tablesById()).get(early)).toBe('policy_decisions_default');
    await task.run(signal);
    const { name: table } = partitionOf(DECISIONS, clock.now());
    expect((await tablesById()).get(early)).toBe(table);
    const next = await decide();
    expect((await tablesById()).get(next)).toBe(table);
    expect((await decisions.list(caller, {}, firstPage)).items.map(({ id }) => id).sort()).toEqual(
      [early, next].sort(),
    );
    expect((await decisions.read(caller, early)).id).toBe(early);
  });

  it('exist for the weeks ahead, with every index, after any number of runs', async () => {
    await task.run(signal);
    await task.run(signal);
    const ahead = partitionsFrom(DECISIONS, clock.now(), 4).map(({ name }) => name);
    expect(await tables()).toEqual([...ahead, 'policy_decisions_default'].sort());
    const [indexes] = await context.database.sql<{ whole: number; part: number }>(
      `SELECT (SELECT count(*)::int FROM pg_index WHERE indrelid = 'policy_decisions'::regclass) AS whole,
         (SELECT count(*)::int FROM pg_index WHERE indrelid = $1::regclass) AS part`,
      [ahead[0]],
    );
    expect(indexes).toEqual({ whole: 6, part: 6 });
  });

  it('store all decisions while no dispatcher runs for months, and move them to weekly partitions afterwards', async () => {
    await task.run(signal);
    const recorded: { readonly id: string; readonly table: string }[] = [];
    for (let week = 0; week < 10; week += 1) {
      recorded.push({ id: await decide(), table: partitionOf(DECISIONS, clock.now()).name });
      clock.advance(7 * DAY_MS);
    }
    await task.run(signal);
    expect(await tablesById()).toEqual(new Map(recorded.map(({ id, table }) => [id, table])));
  });

  it('are dropped when all their decisions have expired, not earlier', async () => {
    const days = context.get(PolicyConfig).decisionDays;
    const expired = await decide();
    await task.run(signal);
    const kept: string[] = [];
    for (let week = 1; week <= Math.ceil(days / 7); week += 1) {
      clock.advance(7 * DAY_MS);
      kept.push(await decide());
    }
    await task.run(signal);
    const oldest = new Date(clock.now().getTime() - days * DAY_MS);
    expect(await decisions.read(caller, expired)).toMatchObject({ id: expired });
    clock.advance(7 * DAY_MS);
    await task.run(signal);
    await expect(decisions.read(caller, expired)).rejects.toMatchObject({ code: 'policy_decision_not_found' });
    const left = (await decisions.list(caller, {}, firstPage)).items;
    expect(left).toHaveLength(kept.length);
    expect((await tables()).every((table) => table >= partitionOf(DECISIONS, oldest).name)).toBe(true);
  });

  it('lose expired decisions in the default partition', async () => {
    const expired = await decide();
    clock.advance((context.get(PolicyConfig).decisionDays + 14) * DAY_MS);
    const kept = await decide();
    await task.run(signal);
    expect([...(await tablesById()).keys()]).toEqual([kept]);
    expect(expired).not.toBe(kept);
  });

  it('are kept forever with a retention of 0', async () => {
    const config = task['config'] as { decisionDays: number };
    const { decisionDays } = config;
    config.decisionDays = 0;
    const inDefault = await decide();
    clock.advance(4000 * DAY_MS);
    await task.run(signal);
    const inWeek = await decide();
    clock.advance(4000 * DAY_MS);
    await task.run(signal);
    config.decisionDays = decisionDays;
    expect([...(await tablesById()).keys()]).toEqual(expect.arrayContaining([inDefault, inWeek]));
  });

  it('can be changed by several dispatchers while decisions are recorded', async () => {
    const other = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule], {
      clock,
      shareWith: context,
    });
    contexts.push(other);
    const another = newTask(other);
    const recorded = await Promise.all([
      ...Array.from({ length: 20 }, decide),
      ...[task, another, task, another].map((each) => each.run(signal)),
    ]);
    await task.run(signal);
    const ids = recorded.filter((id) => typeof id === 'string');
    expect([...(await tablesById()).keys()].sort()).toEqual(ids.sort());
    expect(new Set((await tablesById()).values())).toEqual(new Set([partitionOf(DECISIONS, clock.now()).name]));
  });
});
