import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withoutUndefined, type Caller } from '@app/kernel';
import { SkillAssociationService, SkillService } from '@app/skills';
import { createTestContext, statementsOf, testCaller, type TestContext } from '@app/testing';
import { EnvironmentsModule } from '../environments.module.js';
import { EnvironmentProvisioner } from '../environments/environment-provisioner.js';
import { EnvironmentService } from '../environments/environment.service.js';
import { WorkerService } from '../workers/worker.service.js';
import { QueueRouter } from './queue-router.js';
import { passHeartbeatTime } from '../testing/heartbeat-time.js';
import type { StartWorker } from '../workers/worker.types.js';
import type { QueueRequest, RunNeeds } from './worker-queue.types.js';
import { WorkerQueueService } from './worker-queue.service.js';

const AGENT = 'agent-1';
const noWork = async () => new Map<string, number>();

describe('QueueRouter', () => {
  let context: TestContext;
  let environments: EnvironmentService;
  let queues: WorkerQueueService;
  let router: QueueRouter;
  let workers: WorkerService;

  beforeAll(async () => {
    context = await createTestContext([EnvironmentsModule]);
    environments = context.get(EnvironmentService);
    queues = context.get(WorkerQueueService);
    router = context.get(QueueRouter);
    workers = context.get(WorkerService);
  });

  afterAll(() => context.close());

  /** An organization with its defaults. */
  async function newOrganization(): Promise<Caller> {
    const caller = testCaller();
    await context.get(EnvironmentProvisioner).provisionDefaults(caller);
    return caller;
  }

  it('finds a queue by id or name, the default environment first', async () => {
    const caller = await newOrganization();
    await environments.create(caller, { name: 'other' });
    const elsewhere = await queues.create(caller, 'other', { name: 'default' });
    const place = await router.route(caller, { queue: 'default' }, noWork);
    expect(place.environment_name).toBe('default');
    expect((await router.route(caller, { queue: elsewhere.id }, noWork)).environment_name).toBe('other');
    expect((await router.route(caller, { queue: 'default', environment: 'other' }, noWork)).id).toBe(elsewhere.id);
  });

  it('rejects a name that exists in several environments but not in the default one', async () => {
    const caller = await newOrganization();
    for (const name of ['east', 'west']) {
      await environments.create(caller, { name });
      await queues.create(caller, name, { name: 'gpu' });
    }
    const refused = router.route(caller, { queue: 'gpu' }, noWork);
    await expect(refused).rejects.toMatchObject({
      code: 'worker_queue_ambiguous',
      message: expect.stringMatching(/; use its id instead$/),
    });
  });

  it('uses a paused queue only if it is named', async () => {
    const caller = await newOrganization();
    const paused = await queues.create(caller, 'default', { name: 'paused' });
    await queues.update(caller, paused.id, { status: 'paused' });
    expect((await router.route(caller, { queue: 'paused' }, noWork)).id).toBe(paused.id);
    expect((await router.route(caller, {}, noWork)).name).toBe('default');
  });

  it('chooses in the environments of the runnable first: live workers, then the least waiting work', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const [one, two, unmanned] = [
      await queues.create(caller, 'own', { name: 'one' }),
      await queues.create(caller, 'own', { name: 'two' }),
      await queues.create(caller, 'own', { name: 'unmanned' }),
    ];
    for (const { id } of [one, two]) await workers.start(caller, id, {});
    const waiting = async () =>
      new Map([
        [one.id, 5],
        [two.id, 2],
        [unmanned.id, 0],
      ]);
    expect((await router.route(caller, { environmentIds: [own.id] }, waiting)).id).toBe(two.id);
  });

  describe('with workers of different runtimes and skills', () => {
    const needs = (runtime: string | null, ...called: string[]): RunNeeds => ({
      runtime,
      runtimes: [...(runtime === null ? [] : [runtime]), ...called],
      skillHolders: [{ entity_type: 'agent', entity_id: AGENT }],
      environmentIds: [],
    });

    /** Creates queues of the default environment, each with one worker per offer. */
    async function newQueues(caller: Caller, offers: Record<string, readonly StartWorker[]>): Promise<void> {
      const { items } = await queues.list(caller, {}, { skip: 0, limit: 10 });
      for (const { id } of items) await queues.update(caller, id, { status: 'inactive' });
      for (const [name, started] of Object.entries(offers)) {
        const { id } = await queues.create(caller, 'default', { name });
        for (const offer of started) await workers.start(caller, id, offer);
      }
    }

    /** Gives the agent a skill of each type. */
    async function giveSkills(caller: Caller, ...types: string[]): Promise<void> {
      const skills = context.get(SkillService);
      const ids = await Promise.all(
        types.map(async (type) => (await skills.create(caller, { name: `a ${type}`, type })).id),
      );
      const agent = { entity_type: 'agent', entity_id: AGENT };
      await context.get(SkillAssociationService).replaceWith(caller, agent, ids, async () => undefined);
    }

    it('chooses workers that declare the runtime, or that declare none, before others', async () => {
      const caller = await newOrganization();
      await newQueues(caller, {
        plain: [{ runtimes: ['default'] }, { runtimes: ['default'] }],
        coding: [{ runtimes: ['default', 'a_code'] }],
        silent: [{}],
        unmanned: [],
      });
      const chosen = async (wanted: RunNeeds): Promise<string> =>
        (await router.route(caller, { needs: wanted }, noWork)).name;
      expect(await chosen(needs('default'))).toBe('plain');
      expect(await chosen(needs('a_code'))).toBe('coding');
      expect(await chosen(needs('b_code'))).toBe('silent');
      expect(await chosen(needs('default', 'a_code'))).toBe('coding');
      expect(await chosen(needs(null, 'a_code'))).toBe('coding');
    });

    it('prefers a queue without workers to one whose workers all lack the runtime', async () => {
      const caller = await newOrganization();
      await newQueues(caller, { plain: [{ runtimes: ['default'] }], unmanned: [] });
      expect((await router.route(caller, { needs: needs('a_code') }, noWork)).name).toBe('unmanned');
    });

    it('rejects a queue whose live workers all lack the runtime, and lists the runtimes that they have', async () => {
      const caller = await newOrganization();
      await newQueues(caller, { plain: [{ runtimes: ['default'] }, { runtimes: ['b_code'] }] });
      const refusal = {
        code: 'no_worker_with_runtime',
        message: 'No live worker of the worker queue plain has the runtime a_code; they have: b_code, default',
      };
      for (const queue of [undefined, 'plain']) {
        const route = router.route(caller, withoutUndefined({ queue, needs: needs('a_code') }), noWork);
        await expect(route).rejects.toMatchObject(refusal);
      }
      expect((await router.route(caller, { queue: 'plain', needs: needs('b_code') }, noWork)).name).toBe('plain');
      await passHeartbeatTime(context.database, 180_000);
      const unserved = await router.route(caller, { queue: 'plain', needs: needs('a_code') }, noWork);
      expect(unserved.live_workers).toBe(0);
    });

    it('chooses workers with the skills of the agent among those with its runtime', async () => {
      const caller = await newOrganization();
      await newQueues(caller, {
        none: [{ runtimes: ['default'], skills: [] }],
        shell: [{ runtimes: ['default'], skills: ['file_system', 'shell'] }],
        other: [{ runtimes: ['a_code'], skills: ['shell', 'docker'] }],
      });
      const waiting = async (ids: readonly string[]) => new Map(ids.map((id, index) => [id, index]));
      const chosen = async (): Promise<string> =>
        (await router.route(caller, { needs: needs('default') }, waiting)).name;
      expect(await chosen()).toBe('none');
      await giveSkills(caller, 'shell', 'custom', 'mcp');
      expect(await chosen()).toBe('shell');
      await giveSkills(caller, 'docker');
      expect(await chosen()).toBe('none');
    });

    it('reads the queues with one statement, and the skills only if the workers differ in them', async () => {
      const caller = await newOrganization();
      const same = { runtimes: ['default', 'a_code'], skills: ['shell'] };
      await newQueues(caller, { one: [same, same], two: [same] });
      await giveSkills(caller, 'shell');
      const route = (): Promise<string[]> =>
        statementsOf(() => router.route(caller, { needs: needs('a_code') }, noWork));
      expect(await route()).toEqual(['worker_queues.active_in']);
      await newQueues(caller, { three: [same], four: [{ ...same, skills: [] }] });
      expect((await route()).slice(0, 2)).toEqual(['worker_queues.active_in', 'skills.associations']);
    });
  });

  it('falls back to the default environment if those of the runnable have no active queue', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const { id } = await queues.create(caller, 'own', { name: 'off' });
    await queues.update(caller, id, { status: 'inactive' });
    const place = await router.route(caller, { environmentIds: [own.id] }, noWork);
    expect(place).toMatchObject({ name: 'default', environment_name: 'default' });
  });

  it('uses only environments that every restriction lists, those of the runnable first', async () => {
    const caller = await newOrganization();
    const [east, west] = [
      await environments.create(caller, { name: 'east' }),
      await environments.create(caller, { name: 'west' }),
    ];
    for (const name of ['east', 'west']) await queues.create(caller, name, { name: 'gpu' });
    const routed = async (request: QueueRequest): Promise<string> =>
      (await router.route(caller, request, noWork)).environment_name;
    const both = [['east', west.id, 'unknown']];
    expect(await routed({ restrictions: [] })).toBe('default');
    expect(await routed({ restrictions: [...both, ['default', 'west']] })).toBe('west');
    expect(await routed({ environmentIds: ['west'], restrictions: both })).toBe('west');
    expect(await routed({ environmentIds: ['default'], restrictions: [[east.id]] })).toBe('east');
    expect(await routed({ queue: 'gpu', restrictions: [['west']] })).toBe('west');
    expect(await routed({ environment: 'east', restrictions: both })).toBe('east');
    const refusals: [QueueRequest, string][] = [
      [{ restrictions: [['east'], ['west']] }, 'in no existing environment'],
      [{ restrictions: [[]] }, 'in no existing environment'],
      [
        { queue: 'default', restrictions: [['west']] },
        'environments west only: the worker queue default is in none of them',
      ],
      [{ environment: 'default', restrictions: [['west']] }, 'west only: the environment default is not among them'],
    ];
    for (const [request, message] of refusals) {
      const refused = expect.objectContaining({ code: 'no_allowed_worker_queue' });
      const error: unknown = await router.route(caller, request, noWork).catch((reason: unknown) => reason);
      expect(error).toEqual(refused);
      expect((error as Error).message).toContain(message);
    }
    const unknown = router.route(caller, { queue: 'nope', restrictions: both }, noWork);
    await expect(unknown).rejects.toMatchObject({ code: 'worker_queue_not_found' });
  });

  it('prefers the environment with the given id to one whose name equals that id', async () => {
    const caller = await newOrganization();
    const own = await environments.create(caller, { name: 'own' });
    const meant = await queues.create(caller, 'own', { name: 'work' });
    const namesake = await environments.create(caller, { name: own.id });
    const wrong = await queues.create(caller, namesake.id, { name: 'work' });
    await workers.start(caller, wrong.id, {});
    for (const wanted of [
      { environmentIds: [own.id] },
      { environment: own.id },
      { environment: own.id, queue: 'work' },
    ]) {
      expect((await router.route(caller, wanted, noWork)).id).toBe(meant.id);
    }
    expect((await router.route(caller, { environmentIds: ['own'] }, noWork)).id).toBe(meant.id);
  });

  it('prefers the queue with the given id to one whose name equals that id', async () => {
    const caller = await newOrganization();
    await environments.create(caller, { name: 'other' });
    const meant = await queues.create(caller, 'default', { name: 'work' });
    await queues.create(caller, 'other', { name: meant.id });
    expect((await router.route(caller, { queue: meant.id }, noWork)).id).toBe(meant.id);
    const elsewhere = router.route(caller, { queue: meant.id, environment: 'other' }, noWork);
    await expect(elsewhere).rejects.toMatchObject({ code: 'worker_queue_not_found' });
  });

  it('names the missing queue or environment in the error', async () => {
    const caller = testCaller();
    await environments.create(caller, { name: 'bare' });
    await expect(router.route(caller, { queue: 'nope' }, noWork)).rejects.toThrow('There is no worker queue nope');
    for (const wanted of [{ environment: 'no' }, { environment: 'no', queue: 'nope' }]) {
      await expect(router.route(caller, wanted, noWork)).rejects.toThrow('There is no environment no');
    }
    await expect(router.route(caller, { environment: 'bare' }, noWork)).rejects.toThrow(
      'There is no active worker queue in the environment bare',
    );
    await expect(router.route(caller, {}, noWork)).rejects.toThrow(
      'There is no active worker queue in the environment default',
    );
  });
});
