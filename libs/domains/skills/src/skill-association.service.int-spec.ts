import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { Database } from '@app/database';
import { EnvironmentService, EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import type { Caller } from '@app/kernel';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, testCaller, type TestContext } from '@app/testing';
import { SkillAssociationService } from './skill-association.service.js';
import { SkillService } from './skill.service.js';

describe('skill associations', () => {
  const clock = new ManualClock();
  let context: TestContext;
  let associations: SkillAssociationService;
  let agents: AgentService;
  let caller: Caller;
  let one: string;
  let two: string;

  beforeAll(async () => {
    const modules = [OpenGateModule, AgentsModule, TeamsModule, EnvironmentsModule, ExecutionsModule];
    context = await createTestContext(modules, { clock });
    associations = context.get(SkillAssociationService);
    agents = context.get(AgentService);
  });

  beforeEach(async () => {
    caller = testCaller();
    one = (await context.get(SkillService).create(caller, { name: 'one' })).id;
    two = (await context.get(SkillService).create(caller, { name: 'two', configuration: { a: 1 } })).id;
  });

  afterAll(() => context.close());

  const idsOf = async (kind: string, id: string): Promise<string[]> =>
    (await associations.list(caller, kind, id)).map(({ skill }) => skill.id);

  it('are the `skill_ids` of agents and teams, in their order', async () => {
    const agent = await agents.create(caller, { name: 'a', skill_ids: [two, one] });
    expect(await idsOf('agent', agent.id)).toEqual([two, one]);
    await agents.update(caller, agent.id, { name: 'b' });
    expect(await idsOf('agents', agent.id)).toEqual([two, one]);
    await agents.update(caller, agent.id, { skill_ids: [one] });
    expect(await idsOf('agents', agent.id)).toEqual([one]);
    const team = await context.get(TeamService).create(caller, { name: 't', skill_ids: [one] });
    await associations.add(caller, 'teams', team.id, { skill_id: two });
    const skills = await associations.byEntityIds(caller, 'team', [team.id, 'none']);
    expect(skills.get(team.id)?.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(skills.get('none')).toEqual([]);
  });

  it('are added and removed one by one, which updates the entity', async () => {
    const { id, name } = await context.get(EnvironmentService).create(caller, { name: 'lab' });
    clock.advance(1);
    const override = { z: 1, a: null };
    const added = await associations.add(caller, 'environments', name, {
      skill_id: two,
      configuration_override: override,
    });
    expect(added).toMatchObject({ entity_type: 'environment', entity_id: id, skill: { id: two } });
    expect(JSON.stringify(added.configuration_override)).toBe(JSON.stringify(override));
    expect((await context.get(EnvironmentService).read(caller, id)).updated_at).toEqual(clock.now());
    await associations.remove(caller, 'environment', id, two);
    expect(await idsOf('environment', id)).toEqual([]);
    const again = associations.remove(caller, 'environment', id, two);
    await expect(again).rejects.toMatchObject({ code: 'skill_association_not_found' });
  });

  it('keep their override when `skill_ids` is replaced by a list that contains the skill', async () => {
    const { id } = await agents.create(caller, { name: 'a' });
    await associations.add(caller, 'agent', id, { skill_id: two, configuration_override: { b: 2 } });
    await agents.update(caller, id, { skill_ids: [one, two] });
    const [, kept] = await associations.list(caller, 'agent', id);
    expect(kept).toMatchObject({ skill: { id: two }, configuration_override: { b: 2 } });
  });

  it('reject unknown and repeated skills and those of other organizations, without writing anything', async () => {
    const foreign = (await context.get(SkillService).create(testCaller(), { name: 'x' })).id;
    const rejected = agents.create(caller, { name: 'never', skill_ids: [one, 'gone', one, foreign] });
    await expect(rejected).rejects.toMatchObject({
      faults: [
        { path: ['skill_ids', '1'], msg: 'Skill not found' },
        { path: ['skill_ids', '2'], msg: 'The list contains this skill already' },
        { path: ['skill_ids', '3'], msg: 'Skill not found' },
      ],
    });
    expect((await agents.list(caller, {}, { skip: 0, limit: 1 })).total).toBe(0);
    const { id } = await agents.create(caller, { name: 'a', skill_ids: [one] });
    for (const skill_id of [foreign, 'gone']) {
      await expect(associations.add(caller, 'agent', id, { skill_id })).rejects.toMatchObject({
        code: 'skill_not_found',
      });
    }
    const repeated = associations.add(caller, 'agent', id, { skill_id: one });
    await expect(repeated).rejects.toMatchObject({ code: 'skill_associated' });
    await expect(associations.list(testCaller(), 'agent', id)).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(associations.list(caller, 'jobs', id)).rejects.toMatchObject({ code: 'request_invalid' });
  });

  it('accept at most 50 skills per entity', async () => {
    const { id } = await agents.create(caller, { name: 'a' });
    const skill_ids: string[] = [];
    for (let count = 0; count < 50; count++) {
      skill_ids.push((await context.get(SkillService).create(caller, { name: `${count}` })).id);
    }
    await agents.update(caller, id, { skill_ids });
    const rejected = associations.add(caller, 'agent', id, { skill_id: one });
    await expect(rejected).rejects.toMatchObject({ code: 'skill_associations_too_many' });
    expect(await idsOf('agent', id)).toEqual(skill_ids);
  });

  it('prevent the deletion of the skill, and are deleted with their entity', async () => {
    const agent = await agents.create(caller, { name: 'writer', skill_ids: [one] });
    const team = await context.get(TeamService).create(caller, { name: 'crew', skill_ids: [one] });
    const lab = await context.get(EnvironmentService).create(caller, { name: 'lab' });
    await associations.add(caller, 'environment', lab.id, { skill_id: one });
    clock.advance(1);
    const others = Array.from({ length: 9 }, () => agents.create(caller, { name: 'other', skill_ids: [one] }));
    const ids = (await Promise.all(others)).map(({ id }) => id);
    const skills = context.get(SkillService);
    const message = `agent writer (${agent.id}), environment lab (${lab.id}), team crew (${team.id})`;
    await expect(skills.delete(caller, one)).rejects.toMatchObject({
      code: 'skill_in_use',
      message: expect.stringMatching(
        new RegExp(`^The skill is used by ${message.replaceAll(/[()]/g, '\\$&')}.* and 2 more$`),
      ),
    });
    for (const id of [agent.id, ...ids]) await agents.delete(caller, id);
    await context.get(TeamService).delete(caller, team.id);
    await context.get(EnvironmentService).delete(caller, lab.id);
    await skills.delete(caller, one);
    const rows = await context.get(Database).sql('SELECT 1 FROM skill_associations WHERE skill_id = $1', [one]);
    expect(rows).toEqual([]);
  });

  it('never refer to a skill that is deleted at the same time', async () => {
    const skills = context.get(SkillService);
    for (let round = 0; round < 10; round++) {
      const { id } = await skills.create(caller, { name: 'contested' });
      const [created, deleted] = await Promise.allSettled([
        agents.create(caller, { name: 'a', skill_ids: [id] }),
        skills.delete(caller, id),
      ]);
      expect([created.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (created.status === 'fulfilled') expect(await idsOf('agent', created.value.id)).toEqual([id]);
    }
  });
});
