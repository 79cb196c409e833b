import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { EnvironmentService, EnvironmentsModule } from '@app/environments';
import { ExecutionsModule } from '@app/executions';
import { OpenGateModule } from '@app/executions/testing';
import { ProjectLookupService, ProjectLookupModule } from '@app/projects';
import { SkillAssociationService, SkillService } from '@app/skills';
import { createTestContext, statementsOf, testCaller, type TestContext } from '@app/testing';
import { AgentPresenter } from './agent.presenter.js';

describe('AgentPresenter', () => {
  let context: TestContext;
  let agents: AgentService;
  let environments: EnvironmentService;
  let presenter: AgentPresenter;

  beforeAll(async () => {
    context = await createTestContext([
      ...[OpenGateModule, AgentsModule, EnvironmentsModule, ExecutionsModule, ProjectLookupModule],
    ]);
    agents = context.get(AgentService);
    environments = context.get(EnvironmentService);
    presenter = new AgentPresenter(
      environments,
      context.get(ProjectLookupService),
      context.get(SkillAssociationService),
    );
  });

  afterAll(() => context.close());

  it('returns the existing environments of the organization in the given order, without duplicates', async () => {
    const caller = testCaller();
    const theirs = await environments.create(testCaller(), { name: 'theirs' });
    const one = await environments.create(caller, { name: 'one' });
    const two = await environments.create(caller, { name: 'two' });
    const environment_ids = [two.id, 'unknown', theirs.id, one.id, 'one', two.id];
    const agent = await agents.create(caller, { name: 'placed', environment_ids });
    const response = await presenter.one(caller, agent);
    expect(response.environment_ids).toEqual(environment_ids);
    expect(response.environments).toEqual([
      { id: two.id, name: 'two', display_name: '', status: 'active' },
      { id: one.id, name: 'one', display_name: '', status: 'active' },
    ]);
    const listed = await agents.list(caller, {}, { skip: 0, limit: 10 });
    expect(await presenter.page(caller, listed)).toEqual({ items: [response], total: 1 });
  });

  it('returns the skills of each agent in the order of its `skill_ids`', async () => {
    const caller = testCaller();
    const skills = context.get(SkillService);
    const [one, two] = [await skills.create(caller, { name: 'one' }), await skills.create(caller, { name: 'two' })];
    const able = await agents.create(caller, { name: 'able', skill_ids: [two.id, one.id] });
    const plain = await agents.create(caller, { name: 'plain' });
    const responses = await presenter.many(caller, [able, plain], true);
    expect(responses.map(({ skill_ids }) => skill_ids)).toEqual([[two.id, one.id], []]);
    const common = { type: 'custom', description: null, icon: null, enabled: true };
    expect(responses[0]?.skills).toEqual([
      { id: two.id, name: 'two', ...common },
      { id: one.id, name: 'one', ...common },
    ]);
  });

  it('needs three statements for any number of agents, and two if no agent has environments', async () => {
    const caller = testCaller();
    const { id } = await environments.create(caller, { name: 'lab' });
    const placed = await agents.create(caller, { name: 'a', environment_ids: [id] });
    const loose = await agents.create(caller, { name: 'b' });
    const many = await statementsOf(() => presenter.many(caller, [placed, loose, placed], true));
    expect(many).toEqual(['environments.find_named', 'projects.find_projects_of', 'skills.of_entities']);
    const [projects, skills] = await statementsOf(() => presenter.many(caller, [loose], true));
    expect([projects, skills]).toEqual(['projects.find_projects_of', 'skills.of_entities']);
  });
});
