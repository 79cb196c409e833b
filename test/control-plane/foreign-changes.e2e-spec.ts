import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PlatformApi } from '../platform-api/platform-api.js';
import { call } from '../support/http.js';
import { Platform } from '../support/platform.js';

interface User {
  readonly id: string;
  readonly email: string;
  readonly key: string;
}

type Job = Readonly<Record<'webhook_url' | 'webhook_secret', string>>;

describe('a run of a job', () => {
  let platform: Platform;
  let ann: User;
  let bob: User;
  const ids: Record<'agent' | 'team' | 'workflow', string> = { agent: '', team: '', workflow: '' };
  const jobs = new Map<string, Job>();

  beforeAll(async () => {
    platform = await Platform.shared();
    const { adminKey } = await platform.createOrganization('shared');
    [ann, bob] = [await newUser(adminKey, 'ann'), await newUser(adminKey, 'bob')];
    ids.team = await create('teams', { name: 'crew' });
    ids.agent = await create('agents', { name: 'writer', team_id: ids.team });
    ids.workflow = await create('workflows', {
      name: 'flow',
      steps: [{ name: 'only', type: 'agent', agent_id: ids.agent }],
    });
    for (const [kind, entity_id] of Object.entries(ids)) {
      const planning_mode = `predefined_${kind}`;
      const job = { name: kind, trigger_type: 'webhook', prompt_template: 'Go', planning_mode, entity_id };
      jobs.set(kind, (await send(ann, 'POST', 'jobs', job)) as Job);
    }
  });
  afterAll(() => platform.stop());

  async function newUser(adminKey: string, name: string): Promise<User> {
    const api = new PlatformApi(platform, adminKey);
    const email = `${name}@acme.test`;
    const { id } = await api.expect(201, 'POST', '/api/v1/users', { name, email });
    const minted = await api.expect(201, 'POST', '/api/v1/auth/keys', { name, user_id: id });
    return { id: String(id), email, key: String(minted['key']) };
  }

  async function send({ key }: User, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const sent = body === undefined ? {} : { body };
    const { status, body: received } = await call(method, `${platform.url}/api/v1/${path}`, { key, ...sent });
    expect([path, status < 300, received]).toEqual([path, true, received]);
    return received as Record<string, unknown>;
  }

  async function create(path: string, body: object): Promise<string> {
    return String((await send(ann, 'POST', path, body))['id']);
  }

  /** Calls the webhook of Ann's job; returns the facts about changes of what it runs. */
  async function changeIn(kind: string): Promise<object> {
    const { webhook_url: url = '', webhook_secret: secret = '' } = jobs.get(kind) ?? {};
    const signature = createHmac('sha256', secret).update('{}').digest('hex');
    const started = await call('POST', url, { raw: '{}', headers: { 'X-Webhook-Signature': signature } });
    const { execution_id: id } = started.body as Record<string, string>;
    const execution = await send(ann, 'GET', `executions/${id}`);
    expect(execution['user_id']).toBe(ann.id);
    const metadata = Object.entries(execution['execution_metadata'] as object);
    return Object.fromEntries(metadata.filter(([name]) => name.startsWith('entity_changed')));
  }

  const by = (user: User, kind: string, changed: Record<string, unknown>): object => ({
    entity_changed_by: user.id,
    entity_changed_by_email: user.email,
    entity_changed_at: changed['updated_at'],
    entity_changed_type: kind,
    entity_changed_id: changed['id'],
  });

  it.each(['agent', 'team', 'workflow'] as const)('of one user names another who changed its %s last', async (kind) => {
    const path = `${kind}s/${ids[kind]}`;
    expect(await changeIn(kind)).toEqual({});
    const changed = await send(bob, 'PATCH', path, { description: 'of Bob' });
    expect(await changeIn(kind)).toEqual(by(bob, kind, changed));
    await send(ann, 'PATCH', path, { description: 'of Ann' });
    expect(await changeIn(kind)).toEqual({});
  });

  it('of a team or a workflow names a change of an agent that it calls', async () => {
    const changed = await send(bob, 'PATCH', `agents/${ids.agent}`, { system_prompt: 'Obey Bob' });
    for (const kind of ['agent', 'team', 'workflow']) expect(await changeIn(kind)).toEqual(by(bob, 'agent', changed));
    await send(ann, 'PATCH', `agents/${ids.agent}`, { system_prompt: null });
    for (const kind of ['agent', 'team', 'workflow']) expect(await changeIn(kind)).toEqual({});
  });

  it('names who gave its agent a skill, took it out of its team, or deleted the team', async () => {
    const agent = `agents/${ids.agent}`;
    const skill_id = await create('skills', { name: 'style' });
    const team = await create('teams', { name: 'short-lived' });
    const skills = `skills/associations/agent/${ids.agent}/skills`;
    /** The team of the agent before the change, and the change. */
    const changes: [string | null, string, string, object?][] = [
      [null, 'POST', skills, { skill_id }],
      [null, 'DELETE', `${skills}/${skill_id}`],
      [null, 'POST', `teams/${team}/agents/${ids.agent}`],
      [team, 'DELETE', `teams/${team}/agents/${ids.agent}`],
      [team, 'DELETE', `teams/${team}`],
    ];
    for (const [team_id, ...change] of changes) {
      await send(ann, 'PATCH', agent, { team_id });
      expect(await changeIn('agent')).toEqual({});
      await sendEmpty(bob, ...change);
      expect(await changeIn('agent')).toEqual(by(bob, 'agent', await send(ann, 'GET', agent)));
    }
  });

  /** Sends a request whose response may be empty. */
  async function sendEmpty({ key }: User, method: string, path: string, body?: object): Promise<void> {
    const sent = body === undefined ? {} : { body };
    const { status } = await call(method, `${platform.url}/api/v1/${path}`, { key, ...sent });
    expect([path, status < 300]).toEqual([path, true]);
  }
});
