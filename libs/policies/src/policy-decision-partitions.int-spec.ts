import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService } from '@app/agents';
import { PolicyConfig } from '@app/config';
import type { Caller } from '@app/kernel';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { PoliciesHandlersModule } from './policies.handlers.module.js';
import { weekOf, weeksFrom } from './policy-decision-partitions.js';
import { PolicyDecisionPartitionsTask } from './policy-decision-partitions.task.js';
import { PolicyDecisionService } from './policy-decision.service.js';

const DAY_MS = 86_400_000;
const everything = { skip: 0, limit: 1000 };

describe('the tables of the decision log', () => {
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
    context = await createTestContext([PoliciesHandlersModule], { clock });
    contexts.push(context);
    decisions = context.get(PolicyDecisionService);
    task = context.get(PolicyDecisionPartitionsTask);
    caller = testCaller();
    agentId = (await context.get(AgentService).create(caller, { name: 'a' })).id;
  });

  afterAll(async () => {
    for (const each of contexts.reverse()) await each.close();
  });

  const decide = async (): Promise<string> =>
    (await decisions.evaluate(caller, 'agent', agentId, { input: {}, policy_ids: [] })).id;

  /** Which table each decision is in. */
  async function places(): Promise<Map<string, string>> {
    const rows = await context.database.sql<{ id: string; place: string }>(
      'SELECT id, tableoid::regclass::text AS place FROM policy_decisions',
    );
    return new Map(rows.map(({ id, place }) => [id, place]));
  }

  async function tables(): Promise<string[]> {
    const rows = await context.database.sql<{ name: string }>(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'policy_decisions'::regclass ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  }

  it('take a decision before any week has one, and move it once its week does', async () => {
    const early = await decide();
    expect((await places()).get(early)).toBe('policy_decisions_default');
    await task.run(signal);
    const { table } = weekOf(clock.now());
    expect((await places()).get(early)).toBe(table);
    const next = await decide();
    expect((await places()).get(next)).toBe(table);
    expect((await decisions.list(caller, {}, everything)).items.map(({ id }) => id).sort()).toEqual(
      [early, next].sort(),
    );
    expect((await decisions.read(caller, early)).id).toBe(early);
  });

  it('are there for the weeks ahead, with every index, however often it is looked', async () => {
    await task.run(signal);
    await task.run(signal);
    const ahead = weeksFrom(clock.now(), 4).map(({ table }) => table);
    expect(await tables()).toEqual([...ahead, 'policy_decisions_default'].sort());
    const [indexes] = await context.database.sql<{ whole: number; part: number }>(
      `SELECT (SELECT count(*)::int FROM pg_index WHERE indrelid = 'policy_decisions'::regclass) AS whole,
         (SELECT count(*)::int FROM pg_index WHERE indrelid = $1::regclass) AS part`,
      [ahead[0]],
    );
    expect(indexes).toEqual({ whole: 6, part: 6 });
  });

  it('take what comes while no dispatcher runs for months, and put it in order afterwards', async () => {
    await task.run(signal);
    const made: { readonly id: string; readonly table: string }[] = [];
    for (let week = 0; week < 10; week += 1) {
      made.push({ id: await decide(), table: weekOf(clock.now()).table });
      clock.advance(7 * DAY_MS);
    }
    await task.run(signal);
    expect(await places()).toEqual(new Map(made.map(({ id, table }) => [id, table])));
  });

  it('are dropped with all that is in them once their time is over, and never before', async () => {
    const days = context.get(PolicyConfig).decisionDays;
    const lost = await decide();
    await task.run(signal);
    const kept: string[] = [];
    for (let week = 1; week <= Math.ceil(days / 7); week += 1) {
      clock.advance(7 * DAY_MS);
      kept.push(await decide());
    }
    await task.run(signal);
    const oldest = new Date(clock.now().getTime() - days * DAY_MS);
    expect(await decisions.read(caller, lost)).toMatchObject({ id: lost });
    clock.advance(7 * DAY_MS);
    await task.run(signal);
    await expect(decisions.read(caller, lost)).rejects.toMatchObject({ code: 'policy_decision_not_found' });
    const left = (await decisions.list(caller, {}, everything)).items;
    expect(left).toHaveLength(kept.length);
    expect((await tables()).every((table) => table >= weekOf(oldest).table)).toBe(true);
  });

  it('are not dropped from under what never had a week: that goes by its time, too', async () => {
    const lost = await decide();
    clock.advance((context.get(PolicyConfig).decisionDays + 14) * DAY_MS);
    const kept = await decide();
    await task.run(signal);
    expect([...(await places()).keys()]).toEqual([kept]);
    expect(lost).not.toBe(kept);
  });

  it('may be looked after by several dispatchers at once, while decisions are made', async () => {
    const other = await createTestContext([PoliciesHandlersModule], { clock, shareWith: context });
    contexts.push(other);
    const another = other.get(PolicyDecisionPartitionsTask);
    const made = await Promise.all([
      ...Array.from({ length: 20 }, decide),
      ...[task, another, task, another].map((each) => each.run(signal)),
    ]);
    await task.run(signal);
    const ids = made.filter((id) => typeof id === 'string');
    expect([...(await places()).keys()].sort()).toEqual(ids.sort());
    expect(new Set((await places()).values())).toEqual(new Set([weekOf(clock.now()).table]));
  });
});
