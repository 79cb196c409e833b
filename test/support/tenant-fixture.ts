import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from './http.js';
import { otlpRequest } from './otlp-request.js';
import type { Platform } from './platform.js';

/** Path parameters that do not identify a resource of an organization. */
const FIXED_PARAMETERS: Readonly<Record<string, string>> = {
  entity_type: 'agent',
  version: '1',
  probe_token: 'none',
  // Chosen by the worker, per execution.
  file_name: 'reports/file.txt',
};

/**
 * One resource of every type that an organization can own, by the name of its path parameter. A new resource type must be
 * added here: the tests over all routes fail for a path parameter without a resource.
 */
export class TenantFixture {
  private readonly ids = new Map<string, string>();

  private constructor(
    readonly key: string,
    private readonly url: string,
    private readonly platformUrl: string,
  ) {}

  static async create(platform: Platform, key: string): Promise<TenantFixture> {
    const tenant = new TenantFixture(key, platform.url, platform.platformApi?.url ?? '');
    await tenant.createResources();
    return tenant;
  }

  get allIds(): readonly string[] {
    return [...new Set(this.ids.values())];
  }

  /** Returns the id for a parameter of this path. */
  idFor(template: string, name: string): string {
    return this.id(parameterOf(template, name));
  }

  id(parameter: string): string {
    const id = this.ids.get(parameter);
    if (id === undefined)
      throw new Error(`No resource for the path parameter {${parameter}}: add one to TenantFixture`);
    return id;
  }

  /** Returns the path with the ids of this tenant, or with those in `overrides`. */
  path(template: string, overrides: Readonly<Record<string, string>> = {}): string {
    return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      encodeURIComponent(overrides[name] ?? FIXED_PARAMETERS[name] ?? this.idFor(template, name)),
    );
  }

  /** Returns the parameters of a path that identify a resource of an organization. */
  static resourceParameters(template: string): string[] {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    return names.filter((name) => !(name in FIXED_PARAMETERS));
  }

  private async createResources(): Promise<void> {
    const suffix = this.key.slice(-8).toLowerCase();
    const model = { value: `model-${suffix}`, label: 'Model', provider: 'example' };
    await this.create('model', 'models', model);
    await this.create('environment_id', 'environments', { name: `environment-${suffix}` });
    // The worker sends no heartbeats: it must count as connected for as long as a test takes on a slow machine.
    await this.create('queue_id', `environments/${this.id('environment_id')}/worker-queues`, {
      name: `queue-${suffix}`,
      heartbeat_interval: 300,
    });
    await this.create('worker_id', `worker-queues/${this.id('queue_id')}/start`, {}, 'worker_id');
    await this.create('skill_id', 'skills', { name: `skill-${suffix}` });
    const skill_ids = [this.id('skill_id')];
    const agent = { name: 'agent', environment_ids: [this.id('environment_id')], skill_ids };
    await this.create('agent_id', 'agents', agent);
    this.ids.set('entity_id', this.id('agent_id'));
    await this.create('team_id', 'teams', { name: 'team' });
    const work = { entity_type: 'agent', entity_id: this.id('agent_id'), prompt_template: 'do it' };
    await this.create('job_id', 'jobs', { name: 'job', trigger_type: 'manual', ...work });
    const start = { prompt: 'do it', worker_queue_id: this.id('queue_id'), session_id: `session-${suffix}` };
    await this.create('execution_id', `agents/${this.id('agent_id')}/execute`, start, 'execution_id');
    await this.post(`executions/${this.id('execution_id')}/session`, { messages: [{ role: 'user', content: 'mine' }] });
    const sessions = (await this.call('GET', `${this.url}/api/v1/sessions`)) as { id: string }[];
    this.ids.set('user_session_id', sessions[0]?.id ?? '');
    const file = this.path('/api/v1/executions/{execution_id}/files/{file_name}');
    await this.call('PUT', this.url + file, { of: suffix });
    const task = { execution_id: this.id('execution_id'), task_id: `task-${suffix}`, task_description: 'a step' };
    await this.create('task_id', 'analytics/tasks', task);
    await this.create('policy_id', 'policies', { name: 'policy', policy_content: 'package p\n\nallow := true\n' });
    const applied = { entity_type: 'agent', entity_id: this.id('agent_id'), policy_id: this.id('policy_id') };
    await this.create('association_id', 'policies/associations', applied);
    await this.post(`policies/evaluate/agent/${this.id('agent_id')}`, { input_data: {} });
    const decisions = await this.call('GET', `${this.url}/api/v1/policies/decisions`);
    const [decision] = (decisions as { decisions?: { id: string }[] }).decisions ?? (decisions as { id: string }[]);
    this.ids.set('decision_id', decision?.id ?? '');
    await this.create('knowledge_id', 'knowledge', { name: 'knowledge', content: `The word of ${suffix}` });
    const lists = { knowledge_uuids: [this.id('knowledge_id')] };
    await this.call('PUT', `${this.url}/api/v1/context/agent/${this.id('agent_id')}`, lists);
    const secret = { name: `secret-${suffix}`, value: `value of ${suffix}` };
    await this.create('secret_name', 'secrets', secret, 'name');
    const configuration = { env_vars: { TOKEN: `secret:${secret.name}` } };
    const integration = { name: `integration-${suffix}`, type: 'example', configuration };
    await this.create('integration_id', 'integrations', integration);
    await this.create('runner_id', 'runners', { name: `runner-${suffix}` });
    await this.createPlatformApiResources();
    await this.create('project_id', 'projects', { name: `project-${suffix}`, key: suffix });
    await this.post(`projects/${this.id('project_id')}/agents`, { agent_id: this.id('agent_id') });
    await this.post(`projects/${this.id('project_id')}/teams`, { team_id: this.id('team_id') });
    await this.call('GET', `${this.url}/api/v1/projects/default`);
    const step = { name: 'only', type: 'agent', agent_id: this.id('agent_id') };
    await this.create('workflow_id', 'workflows', { name: `workflow-${suffix}`, steps: [step] });
    await this.create('webhook_id', 'webhooks', { url: `http://127.0.0.1:9/${suffix}`, events: ['never published'] });
    this.ids.set('workflows/{id}', this.id('workflow_id'));
    await this.createDelivery();
    await this.createTrace();
  }

  private async createTrace(): Promise<void> {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const named = [{ key: 'execution.id', value: { stringValue: this.id('execution_id') } }];
    const times = { startTimeUnixNano: '1764227000000000000', endTimeUnixNano: '1764227001000000000' };
    const span = { traceId, spanId, name: 'request', attributes: named, ...times };
    await this.call('POST', `${this.url}/v1/traces`, otlpRequest([span]));
    this.ids.set('trace_id', traceId);
    this.ids.set('span_id', spanId);
  }

  /** A test whose single attempt has ended: nothing changes it afterwards. */
  private async createDelivery(): Promise<void> {
    await this.create('delivery_id', `webhooks/${this.id('webhook_id')}/test`, {});
    await eventually(async () => {
      const delivery = await this.call('GET', `${this.url}/api/v1/webhooks/deliveries/${this.id('delivery_id')}`);
      expect(delivery).toMatchObject({ status: 'failed' });
    });
  }

  private async createPlatformApiResources(): Promise<void> {
    const minted = await this.call('POST', `${this.platformUrl}/api/v1/auth/keys`, { name: 'another', scopes: [] });
    this.ids.set('key_id', (minted as { id: string }).id);
    const user = { name: 'user', email: `user-${this.key.slice(-8)}@example.com` };
    const created = await this.call('POST', `${this.platformUrl}/api/v1/users`, user);
    this.ids.set('users/{id}', (created as { id: string }).id);
    const request = { name: 'task', agent_id: this.id('agent_id') };
    const task = await this.call('POST', `${this.platformUrl}/api/v1/tasks`, request);
    this.ids.set('tasks/{id}', (task as { id: string }).id);
    this.ids.set('executions/{id}', this.id('execution_id'));
  }

  private async create(parameter: string, path: string, body: object, field = 'id'): Promise<void> {
    const created = (await this.post(path, body)) as Record<string, string>;
    this.ids.set(parameter, created[field] ?? '');
  }

  private post(path: string, body: object): Promise<unknown> {
    return this.call('POST', `${this.url}/api/v1/${path}`, body);
  }

  private async call(method: string, url: string, body?: object): Promise<unknown> {
    const scheme = url.startsWith(this.platformUrl) ? 'UserKey' : 'Bearer';
    const response = await call(method, url, { key: this.key, scheme, ...(body === undefined ? {} : { body }) });
    if (response.status >= 300)
      throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  }
}

/** All path parameters of the platform API are called `id`, so the preceding path segment is part of the name. */
function parameterOf(template: string, name: string): string {
  return name === 'id' ? (/(\w+\/\{id\})/.exec(template)?.[1] ?? name) : name;
}
