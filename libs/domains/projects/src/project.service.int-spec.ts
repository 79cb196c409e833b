import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentService, AgentsModule } from '@app/agents';
import { ExecutionsModule } from '@app/executions';
import { PoliciesModule, PolicyService } from '@app/policies';
import { TeamService, TeamsModule } from '@app/teams';
import { createTestContext, ManualClock, statementsOf, testCaller, type TestContext } from '@app/testing';
import { ProjectMemberService } from './project-member.service.js';
import { ProjectLookupService } from './project-lookup.service.js';
import { ProjectService } from './project.service.js';
import { MAX_PROJECTS_PER_MEMBER } from './project.types.js';
import { ProjectsModule } from './projects.module.js';

describe('ProjectService and ProjectMemberService', () => {
  const clock = new ManualClock();
  const page = { skip: 0, limit: 10 };
  let context: TestContext;
  let projects: ProjectService;
  let members: ProjectMemberService;
  let memberships: ProjectLookupService;
  let agents: AgentService;
  let teams: TeamService;

  beforeAll(async () => {
    context = await createTestContext([AgentsModule, TeamsModule, ExecutionsModule, PoliciesModule, ProjectsModule], {
      clock,
    });
    projects = context.get(ProjectService);
    members = context.get(ProjectMemberService);
    memberships = context.get(ProjectLookupService);
    agents = context.get(AgentService);
    teams = context.get(TeamService);
  });

  afterAll(() => context.close());

  it('creates a project for the user of the caller, with the default of each omitted field', async () => {
    const caller = testCaller({ userEmail: 'ada@example.com' });
    const created = await projects.create(caller, { name: 'First', key: 'FIRST' });
    expect(created).toEqual({
      id: created.id,
      organization_id: caller.organizationId,
      name: 'First',
      key: 'FIRST',
      description: null,
      goals: null,
      status: 'active',
      visibility: 'private',
      owner_id: caller.userId,
      owner_email: 'ada@example.com',
      default_model: null,
      settings: {},
      restrict_to_environment: false,
      policy_ids: [],
      is_default: false,
      archived_at: null,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    expect(await projects.read(caller, created.id)).toEqual(created);
  });

  it('sets archived_at while the status is archived', async () => {
    const caller = testCaller();
    const { id } = await projects.create(caller, { name: 'a', key: 'aa' });
    clock.advance(1);
    const at = clock.now();
    expect((await projects.update(caller, id, { status: 'archived' })).archived_at).toEqual(at);
    clock.advance(1);
    expect((await projects.update(caller, id, { status: 'archived' })).archived_at).toEqual(at);
    expect((await projects.update(caller, id, { name: 'b' })).archived_at).toEqual(at);
    expect((await projects.update(caller, id, { status: 'paused' })).archived_at).toBeNull();
  });

  it('rejects a key that another project of the organization has', async () => {
    const caller = testCaller();
    await projects.create(caller, { name: 'a', key: 'same' });
    const { id } = await projects.create(caller, { name: 'a', key: 'other' });
    const conflict = { kind: 'conflict', code: 'project_key_taken' };
    await expect(projects.create(caller, { name: 'b', key: 'same' })).rejects.toMatchObject(conflict);
    await expect(projects.update(caller, id, { key: 'same' })).rejects.toMatchObject(conflict);
    await expect(projects.create(testCaller(), { name: 'a', key: 'same' })).resolves.toBeDefined();
    await expect(projects.create(caller, { name: 'a', key: 'Same' })).resolves.toBeDefined();
  });

  it('creates one default project for fifty simultaneous first calls', async () => {
    const caller = testCaller();
    const found = await Promise.all(Array.from({ length: 50 }, () => projects.readDefault(caller)));
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
    expect(found[0]).toMatchObject({ key: 'default', is_default: true, owner_id: caller.userId });
    expect((await projects.list(caller, {}, page)).total).toBe(1);
    const [statement, ...more] = await statementsOf(() => projects.readDefault(caller));
    expect([statement?.startsWith('SELECT'), more]).toEqual([true, []]);
  });

  it('gives the default project another key if a project has the key `default`, and creates it again after its deletion', async () => {
    const caller = testCaller();
    await projects.create(caller, { name: 'Mine', key: 'default' });
    const found = await Promise.all(Array.from({ length: 10 }, () => projects.readDefault(caller)));
    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
    expect(found[0]?.key).toMatch(/^default-\w{8}$/);
    await projects.delete(caller, found[0]?.id ?? '');
    expect((await projects.readDefault(caller)).id).not.toBe(found[0]?.id);
  });

  it('adds and removes members of any kind; the counts and the projects of members change with them', async () => {
    const caller = testCaller();
    const [one, two] = [
      await projects.create(caller, { name: 'One', key: 'one' }),
      await projects.create(caller, { name: 'Two', key: 'two' }),
    ];
    const agent = { kind: 'agent', id: (await agents.create(caller, { name: 'a' })).id } as const;
    const team = { kind: 'team', id: (await teams.create(caller, { name: 't' })).id } as const;
    clock.advance(1);
    const added = await members.add(caller, two.id, { member: agent, role: 'lead' });
    expect(added).toMatchObject({
      ...{ project_id: two.id, kind: 'agent', entity_id: agent.id, role: 'lead' },
      ...{ added_at: clock.now(), added_by: caller.userId },
    });
    expect((await projects.read(caller, two.id)).updated_at).toEqual(clock.now());
    clock.advance(1);
    await members.add(caller, one.id, { member: agent });
    await members.add(caller, one.id, { member: team });
    await expect(members.add(caller, one.id, { member: team })).rejects.toMatchObject({
      code: 'project_member_exists',
    });
    const counts = await memberships.countsOf(caller, [one.id, two.id]);
    expect(counts.get(one.id)).toEqual(
      new Map([
        ['agent', 1],
        ['team', 1],
      ]),
    );
    const summary = ({ id, name, key }: typeof one): object => ({ id, name, key, status: 'active' });
    const found = await memberships.projectsOf(caller, 'agent', [agent.id, 'unknown']);
    expect(found.get(agent.id)).toEqual([summary(two), summary(one)]);
    expect(found.get('unknown')).toEqual([]);
    expect((await members.list(caller, one.id, 'agent', page)).items).toHaveLength(1);
    await members.remove(caller, one.id, agent);
    await expect(members.remove(caller, one.id, agent)).rejects.toMatchObject({ code: 'project_member_not_found' });
    await projects.delete(caller, two.id);
    expect((await memberships.projectsOf(caller, 'agent', [agent.id])).get(agent.id)).toEqual([]);
  });

  it('removes a deleted agent or team from its projects, even if it is added concurrently', async () => {
    const caller = testCaller();
    const { id } = await projects.create(caller, { name: 'p', key: 'pp' });
    const team = { kind: 'team', id: (await teams.create(caller, { name: 't' })).id } as const;
    await members.add(caller, id, { member: team });
    const racing = await Promise.all(Array.from({ length: 20 }, () => agents.create(caller, { name: 'a' })));
    await Promise.allSettled(
      racing.flatMap((agent) => [
        members.add(caller, id, { member: { kind: 'agent', id: agent.id } }),
        agents.delete(caller, agent.id),
      ]),
    );
    await teams.delete(caller, team.id);
    expect((await memberships.countsOf(caller, [id])).get(id)).toEqual(new Map());
    await expect(members.add(caller, id, { member: team })).rejects.toMatchObject({ code: 'team_not_found' });
  });

  it('names only existing policies, which cannot be deleted while a project names them', async () => {
    const caller = testCaller();
    const policies = context.get(PolicyService);
    const [first, second, theirs] = [
      await policies.create(caller, { name: 'first' }),
      await policies.create(caller, { name: 'second' }),
      await policies.create(testCaller(), { name: 'theirs' }),
    ];
    const fault = { path: ['policy_ids', '1'], msg: `There is no policy ${theirs.id}`, type: 'value_error' };
    const policy_ids = [first.id, theirs.id, first.id];
    const created = projects.create(caller, { name: 'p', key: 'pp', policy_ids });
    await expect(created).rejects.toMatchObject({ code: 'request_invalid', faults: [fault] });
    const { id } = await projects.create(caller, { name: 'p', key: 'pp', policy_ids: [first.id, first.id] });
    await expect(projects.update(caller, id, { policy_ids })).rejects.toMatchObject({ faults: [fault] });
    await expect(policies.delete(caller, first.id)).rejects.toMatchObject({
      ...{ code: 'policy_in_use', message: expect.stringContaining('the project pp') },
    });
    const [updated, deleted] = await Promise.allSettled([
      projects.update(caller, id, { policy_ids: [second.id] }),
      policies.delete(caller, second.id),
    ]);
    expect([updated.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    await projects.update(caller, id, { policy_ids: [] });
    await policies.delete(caller, first.id);
  });

  it('limits the projects of one member', async () => {
    const caller = testCaller();
    const agent = { kind: 'agent', id: (await agents.create(caller, { name: 'a' })).id } as const;
    const created = await Promise.all(
      Array.from({ length: MAX_PROJECTS_PER_MEMBER + 1 }, (_, index) =>
        projects.create(caller, { name: 'p', key: `p${index}` }),
      ),
    );
    const added = await Promise.allSettled(created.map(({ id }) => members.add(caller, id, { member: agent })));
    const refused = added.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }: PromiseRejectedResult): unknown => reason)).toMatchObject([
      { code: 'projects_too_many' },
    ]);
  });

  it('rejects every access to a project of another organization', async () => {
    const owner = testCaller();
    const stranger = testCaller();
    const created = await projects.create(owner, { name: 'mine', key: 'mine' });
    const agent = { kind: 'agent', id: (await agents.create(owner, { name: 'a' })).id } as const;
    await members.add(owner, created.id, { member: agent });
    const before = await projects.read(owner, created.id);
    for (const access of [
      () => projects.read(stranger, created.id),
      () => projects.update(stranger, created.id, { name: 'taken' }),
      () => projects.delete(stranger, created.id),
      () => members.add(stranger, created.id, { member: agent }),
      () => members.remove(stranger, created.id, agent),
      () => members.list(stranger, created.id, 'agent', page),
      () => members.read(stranger, created.id, agent),
    ]) {
      await expect(access()).rejects.toThrow('Project not found');
    }
    expect((await memberships.countsOf(stranger, [created.id])).get(created.id)).toEqual(new Map());
    expect((await memberships.projectsOf(stranger, 'agent', [agent.id])).get(agent.id)).toEqual([]);
    expect(await projects.read(owner, created.id)).toEqual(before);
  });
});
