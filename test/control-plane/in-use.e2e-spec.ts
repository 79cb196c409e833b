import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, unwrap, type ControlPlaneClient, type ControlPlaneComponents } from '@app/api-client';
import { Platform } from '../support/platform.js';

type Schemas = ControlPlaneComponents['schemas'];

describe('resources in use over HTTP', () => {
  let platform: Platform;
  let organizationId: string;
  let api: ControlPlaneClient;

  beforeAll(async () => {
    platform = await Platform.shared();
    const { id, adminKey } = await platform.createOrganization('in-use');
    organizationId = id;
    api = platform.client(adminKey);
  });

  afterAll(() => platform.stop());

  /** Runs a statement on the rows of the organization. */
  const change = (statement: string, condition = 'true'): Promise<object[]> =>
    platform.sql(`${statement} WHERE organization_id = $1 AND ${condition}`, [organizationId]);

  /** The code and the text of the 409 of a deletion. */
  async function refusal(deletion: Parameters<typeof unwrap>[0]): Promise<unknown[]> {
    const error = await unwrap(deletion).catch((failure: unknown) => failure);
    if (!(error instanceof ApiError)) throw new Error('The deletion was not refused');
    return [error.status, error.code, (error.body as { detail: string }).detail];
  }

  const deleteSecret = (name: string) =>
    api.DELETE('/api/v1/secrets/{secret_name}', { params: { path: { secret_name: name } } });
  const deleteIntegration = (integration_id: string) =>
    api.DELETE('/api/v1/integrations/{integration_id}', { params: { path: { integration_id } } });
  const deleteKnowledge = (knowledge_id: string) =>
    api.DELETE('/api/v1/knowledge/{knowledge_id}', { params: { path: { knowledge_id } } });
  const deleteModel = (model_id: string) =>
    api.DELETE('/api/v1/models/{model}', { params: { path: { model: model_id } } });
  const deleteAgent = (agent_id: string) => api.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id } } });
  const deleteTeam = (team_id: string) => api.DELETE('/api/v1/teams/{team_id}', { params: { path: { team_id } } });
  const deleteWorkflow = (workflow_id: string) =>
    api.DELETE('/api/v1/workflows/{workflow_id}', { params: { path: { workflow_id } } });
  const deleteEnvironment = (environment_id: string) =>
    api.DELETE('/api/v1/environments/{environment_id}', { params: { path: { environment_id } } });
  const deleteQueue = (queue_id: string) =>
    api.DELETE('/api/v1/worker-queues/{queue_id}', { params: { path: { queue_id } } });

  const createAgent = (body: Schemas['CreateAgentRequest']) => unwrap(api.POST('/api/v1/agents', { body }));
  const createJob = (body: Partial<Schemas['CreateJobRequest']>) =>
    unwrap(
      api.POST('/api/v1/jobs', {
        body: { name: 'j', trigger_type: 'manual', planning_mode: 'on_the_fly', prompt_template: 'p', ...body },
      }),
    );
  const createWorkflow = (
    name: string,
    step: { type: 'agent'; agent_id: string } | { type: 'team'; team_id: string },
  ) => unwrap(api.POST('/api/v1/workflows', { body: { name, steps: [{ name: 'one', prompt: 'p', ...step }] } }));
  const disable = (job_id: string) =>
    unwrap(api.POST('/api/v1/jobs/{job_id}/disable', { params: { path: { job_id } } }));

  /** Creates every kind of resource with this execution environment; returns each as `<kind> <name> (<id>)`. */
  async function createUsers(name: string, execution_environment: Record<string, unknown>): Promise<string[]> {
    const made = {
      agent: await unwrap(api.POST('/api/v1/agents', { body: { name, execution_environment } })),
      environment: await unwrap(api.POST('/api/v1/environments', { body: { name, execution_environment } })),
      job: await unwrap(
        api.POST('/api/v1/jobs', {
          body: {
            name,
            trigger_type: 'manual',
            planning_mode: 'on_the_fly',
            prompt_template: 'p',
            execution_environment,
          },
        }),
      ),
      project: await unwrap(
        api.POST('/api/v1/projects', { body: { name, key: name, settings: { execution_environment } } }),
      ),
      team: await unwrap(api.POST('/api/v1/teams', { body: { name, execution_environment } })),
    };
    return Object.entries(made).map(([kind, { id }]) => `${kind} ${name} (${id})`);
  }

  it('prevent the deletion of a secret that variables and integrations name, and list them', async () => {
    const name = 'USED';
    await unwrap(api.POST('/api/v1/secrets', { body: { name, value: 'correct horse' } }));
    const environment = { env_vars: { PASSWORD: 'secret:USED', OTHER: 1 } };
    const users = await createUsers('secretive', environment);
    // Texts that merely contain the reference, other names and names of variables are not references.
    for (const env_vars of [{ A: 'a secret:USED', B: 'secret:USED2', 'secret:USED': 'x' }]) {
      await unwrap(api.POST('/api/v1/teams', { body: { name: 'free', execution_environment: { env_vars } } }));
    }
    const integration = await unwrap(
      api.POST('/api/v1/integrations', {
        body: { name: 'mail', type: 'smtp', configuration: { deep: ['secret:USED'] } },
      }),
    );
    const places = [...users, `integration mail (${integration.id})`].toSorted();
    const text = `The secret USED is used by: ${places.join(', ')}; remove it there first`;
    expect(await refusal(deleteSecret(name))).toEqual([409, 'secret_in_use', text]);
    await change(`UPDATE agents SET execution_environment = '{}'`);
    await change(`UPDATE integrations SET secret_names = '{}'`);
    for (const table of ['environments', 'jobs', 'teams']) {
      await change(`UPDATE ${table} SET execution_environment = '{}'`, `name = 'secretive'`);
    }
    expect((await refusal(deleteSecret(name)))[2]).toMatch(/used by: project secretive \(\S+\); remove/);
    await change(`UPDATE projects SET settings = '{"execution_environment": [1]}'`, `key = 'secretive'`);
    await unwrap(deleteSecret(name));
  });

  it('prevent the deletion of an integration that execution environments name', async () => {
    const body = { name: 'shared', type: 'smtp' };
    const { id } = await unwrap(api.POST('/api/v1/integrations', { body }));
    const users = await createUsers('integrated', { integration_ids: ['other', id] });
    const text = `The integration shared is used by: ${users.toSorted().join(', ')}; remove it there first`;
    expect(await refusal(deleteIntegration(id))).toEqual([409, 'integration_in_use', text]);
    await change(`UPDATE projects SET settings = '{}'`);
    for (const table of ['agents', 'environments', 'jobs', 'teams']) {
      await change(`UPDATE ${table} SET execution_environment = '{"integration_ids": "${id}"}'`);
    }
    await unwrap(deleteIntegration(id));
    expect((await refusal(deleteIntegration(id))).slice(0, 2)).toEqual([404, 'integration_not_found']);
  });

  it('prevent the deletion of a knowledge entry that contexts and teams name', async () => {
    const { id } = await unwrap(api.POST('/api/v1/knowledge', { body: { name: 'handbook' } }));
    const agent = await unwrap(api.POST('/api/v1/agents', { body: { name: 'reader' } }));
    const path = { entity_type: 'agent', entity_id: agent.id } as const;
    await unwrap(
      api.PUT('/api/v1/context/{entity_type}/{entity_id}', { params: { path }, body: { knowledge_uuids: [id] } }),
    );
    const configuration = { knowledge_base: { knowledge_uuids: [id] } };
    const team = await unwrap(api.POST('/api/v1/teams', { body: { name: 'readers', configuration } }));
    const places = `context of agent ${agent.id}, team readers (${team.id})`;
    const text = `The knowledge entry is used by: ${places}; remove it there first`;
    expect(await refusal(deleteKnowledge(id))).toEqual([409, 'knowledge_in_use', text]);
    await unwrap(api.DELETE('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agent.id } } }));
    await unwrap(api.DELETE('/api/v1/teams/{team_id}', { params: { path: { team_id: team.id } } }));
    await unwrap(deleteKnowledge(id));
  });

  it('prevent the deletion of a model that agents, teams, projects and workflows name by id or value', async () => {
    const value = 'lab/model';
    const model = await unwrap(api.POST('/api/v1/models', { body: { value, label: 'Lab', provider: 'lab' } }));
    const made = {
      agent: await unwrap(api.POST('/api/v1/agents', { body: { name: 'm', model_id: model.id } })),
      project: await unwrap(api.POST('/api/v1/projects', { body: { name: 'm', key: 'mm', default_model: value } })),
      team: await unwrap(
        api.POST('/api/v1/teams', { body: { name: 'm', configuration: { llm: { model: value }, reasoning: null } } }),
      ),
      workflow: await unwrap(
        api.POST('/api/v1/workflows', {
          body: { name: 'm', steps: [{ name: 'one', type: 'prompt', prompt: 'p', model_id: value }] },
        }),
      ),
    };
    const places = Object.entries(made).map(([kind, { id }]) => `${kind} m (${id})`);
    const text = `The model lab/model is used by: ${places.join(', ')}; choose another model there first`;
    expect(await refusal(deleteModel(value))).toEqual([409, 'model_in_use', text]);
    await change(`UPDATE agents SET model_id = NULL`);
    await change(`UPDATE projects SET default_model = NULL`);
    await change(`DELETE FROM workflows`);
    await change(`UPDATE teams SET configuration = '{"llm": [], "reasoning": {"model": "${value}"}}'`);
    expect((await refusal(deleteModel(model.id)))[1]).toBe('model_in_use');
    await change(`UPDATE teams SET configuration = '{"llm": "${value}"}'`);
    await unwrap(deleteModel(model.id));
  });

  it('prevent the deletion of an environment that agents, teams, projects and enabled jobs name by id or name', async () => {
    const { id } = await unwrap(api.POST('/api/v1/environments', { body: { name: 'lab' } }));
    const job = { name: 'm', executor_type: 'environment' as const, environment_name: 'lab' };
    const used = {
      agent: await createAgent({ name: 'm', environment_ids: ['default', id] }),
      job: await createJob(job),
      project: await unwrap(
        api.POST('/api/v1/projects', { body: { name: 'm', key: 'lab', settings: { environment_ids: ['lab'] } } }),
      ),
      team: await unwrap(api.POST('/api/v1/teams', { body: { name: 'm', environment_ids: ['lab'] } })),
    };
    // A disabled job, and one whose runs choose among other environments, do not use it.
    await disable((await createJob({ ...job, name: 'off' })).id);
    await createJob({ ...job, name: 'auto', executor_type: 'auto' });
    const places = Object.entries(used).map(([kind, { id: user }]) => `${kind} m (${user})`);
    const text = `The environment lab is used by: ${places.join(', ')}; remove it there first`;
    expect(await refusal(deleteEnvironment('lab'))).toEqual([409, 'environment_in_use', text]);
    await disable(used.job.id);
    await unwrap(deleteAgent(used.agent.id));
    await unwrap(deleteTeam(used.team.id));
    expect((await refusal(deleteEnvironment(id)))[2]).toContain(`used by: project m (${used.project.id}); remove`);
    const params = { path: { project_id: used.project.id } };
    await unwrap(
      api.PATCH('/api/v1/projects/{project_id}', { params, body: { settings: { environment_ids: ['default'] } } }),
    );
    await unwrap(deleteEnvironment(id));
  });

  it('prevent the deletion of agents, teams and workflows that enabled jobs and steps of workflows start', async () => {
    const agent = await createAgent({ name: 'started' });
    const team = await unwrap(api.POST('/api/v1/teams', { body: { name: 'started' } }));
    const byName = await createWorkflow('by name', { type: 'agent', agent_id: 'started' });
    const byId = await createWorkflow('by id', { type: 'team', team_id: team.id });
    const ofTeam = await unwrap(api.POST('/api/v1/workflows', { body: { name: 'owned', team_id: team.id } }));
    const jobs = {
      agent: await createJob({ entity_id: agent.id }),
      team: await createJob({ planning_mode: 'predefined_team', entity_id: team.id }),
      workflow: await createJob({ planning_mode: 'predefined_workflow', entity_id: byId.id }),
    };
    // Jobs refer to what they start by id only.
    await createJob({ name: 'by name', entity_id: 'started' });
    expect(await refusal(deleteAgent(agent.id))).toEqual([
      409,
      'agent_in_use',
      `The agent started is used by: job j (${jobs.agent.id}), workflow by name (${byName.id}); choose another agent there first`,
    ]);
    const workflows = [`workflow by id (${byId.id})`, `workflow owned (${ofTeam.id})`].join(', ');
    expect(await refusal(deleteTeam(team.id))).toEqual([
      409,
      'team_in_use',
      `The team started is used by: job j (${jobs.team.id}), ${workflows}; choose another team there first`,
    ]);
    expect(await refusal(deleteWorkflow('by id'))).toEqual([
      409,
      'workflow_in_use',
      `The workflow by id is used by: job j (${jobs.workflow.id}); choose another workflow there first`,
    ]);
    for (const { id } of Object.values(jobs)) await disable(id);
    for (const { id } of [byName, byId, ofTeam]) await unwrap(deleteWorkflow(id));
    await unwrap(deleteAgent(agent.id));
    await unwrap(deleteTeam(team.id));
  });

  it('prevent the deletion of an agent that a step names by a unique name', async () => {
    const [one] = [await createAgent({ name: 'twin' })];
    const { id } = await createWorkflow('of twins', { type: 'agent', agent_id: 'twin' });
    const second = await createAgent({ name: 'twin' });
    await unwrap(deleteAgent(second.id));
    expect((await refusal(deleteAgent(one.id)))[1]).toBe('agent_in_use');
    await unwrap(deleteWorkflow(id));
    await unwrap(deleteAgent(one.id));
  });

  it('prevent the deletion of a worker queue that an enabled job names by a unique name', async () => {
    const createQueue = async (environment: string): Promise<string> => {
      await unwrap(api.POST('/api/v1/environments', { body: { name: environment } }));
      const params = { path: { environment_id: environment } };
      const path = '/api/v1/environments/{environment_id}/worker-queues';
      return (await unwrap(api.POST(path, { params, body: { name: 'fast' } }))).id;
    };
    const [one, two] = [await createQueue('first'), await createQueue('second')];
    const fields = { executor_type: 'specific_queue' as const };
    const byName = await createJob({ ...fields, worker_queue_name: 'fast' });
    await unwrap(deleteQueue(one));
    const byId = await createJob({ ...fields, name: 'by id', worker_queue_name: two });
    expect(await refusal(deleteQueue(two))).toEqual([
      409,
      'worker_queue_in_use',
      `The worker queue fast is used by: job by id (${byId.id}), job j (${byName.id}); choose another worker queue there first`,
    ]);
    for (const { id } of [byName, byId]) await disable(id);
    await unwrap(deleteQueue(two));
  });

  it('are named by the error of a run if they were deleted at the same time as something began to refer to them', async () => {
    let deleted = 0;
    for (let round = 0; round < 20 || (deleted === 0 && round < 200); round += 1) {
      const { id } = await createAgent({ name: 'raced' });
      // Each of the two requests is sent first in every other round.
      const early = round % 2 === 1 ? deleteAgent(id) : undefined;
      const [job, deletion] = await Promise.all([createJob({ entity_id: id }), early ?? deleteAgent(id)]);
      if (deletion.response.status === 409) continue;
      expect(deletion.response.status).toBe(200);
      deleted += 1;
      const params = { path: { job_id: job.id } };
      const started = await unwrap(api.POST('/api/v1/jobs/{job_id}/trigger', { params, body: {} }));
      expect(started).toMatchObject({ status: 'failed', message: `Execution failed: There is no agent ${id}` });
    }
    expect(deleted).toBeGreaterThan(0);
  });

  it('do not prevent a deletion if only another organization refers to them', async () => {
    const other = await platform.createOrganization('other');
    await unwrap(api.POST('/api/v1/secrets', { body: { name: 'THEIRS', value: 'correct horse' } }));
    const execution_environment = { env_vars: { A: 'secret:THEIRS' } };
    await unwrap(
      platform.client(other.adminKey).POST('/api/v1/agents', { body: { name: 'stranger', execution_environment } }),
    );
    await unwrap(deleteSecret('THEIRS'));
  });
});
