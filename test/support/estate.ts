import { call } from './http.js';
import type { Platform } from './platform.js';

/** Path parameters that say what kind of thing is meant, not which one. */
const KINDS: Readonly<Record<string, string>> = { entity_type: 'agent', version: '1' };

/**
 * One of everything that an organisation can own, by the name of the path parameter that names it. A new resource adds
 * itself here; a route with a parameter that nobody makes fails the tests that go over all routes.
 */
export class Estate {
  private readonly ids = new Map<string, string>();

  private constructor(
    readonly key: string,
    private readonly url: string,
    private readonly platformUrl: string,
  ) {}

  static async make(platform: Platform, key: string): Promise<Estate> {
    const estate = new Estate(key, platform.url, platform.platformApi?.url ?? '');
    await estate.fill();
    return estate;
  }

  /** Everything it owns. */
  get all(): readonly string[] {
    return [...new Set(this.ids.values())];
  }

  /** The id of what a parameter of this path names. */
  idIn(template: string, name: string): string {
    return this.id(parameterOf(template, name));
  }

  id(parameter: string): string {
    const id = this.ids.get(parameter);
    if (id === undefined) throw new Error(`Nobody makes what the path parameter {${parameter}} names: see Estate`);
    return id;
  }

  /** The path with this estate's ids in it, except for `other`. */
  path(template: string, other: Readonly<Record<string, string>> = {}): string {
    return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
      encodeURIComponent(other[name] ?? KINDS[name] ?? this.idIn(template, name)),
    );
  }

  /** The parameters of a path that name something somebody owns. */
  static ownedIn(template: string): string[] {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    return names.filter((name) => !(name in KINDS));
  }

  private async fill(): Promise<void> {
    const suffix = this.key.slice(-8).toLowerCase();
    const model = { value: `model-${suffix}`, label: 'Model', provider: 'somebody' };
    await this.make('model', 'models', model);
    await this.make('environment_id', 'environments', { name: `environment-${suffix}` });
    await this.make('queue_id', `environments/${this.id('environment_id')}/worker-queues`, { name: `queue-${suffix}` });
    await this.make('worker_id', `worker-queues/${this.id('queue_id')}/start`, {}, 'worker_id');
    await this.make('agent_id', 'agents', { name: 'agent', environment_ids: [this.id('environment_id')] });
    this.ids.set('entity_id', this.id('agent_id'));
    await this.make('team_id', 'teams', { name: 'team' });
    const work = { entity_type: 'agent', entity_id: this.id('agent_id'), prompt_template: 'do it' };
    await this.make('job_id', 'jobs', { name: 'job', trigger_type: 'manual', ...work });
    const start = { prompt: 'do it', worker_queue_id: this.id('queue_id') };
    await this.make('execution_id', `agents/${this.id('agent_id')}/execute`, start, 'execution_id');
    await this.post(`executions/${this.id('execution_id')}/session`, { messages: [{ role: 'user', content: 'mine' }] });
    const task = { execution_id: this.id('execution_id'), task_id: `task-${suffix}`, task_description: 'a step' };
    await this.make('task_id', 'analytics/tasks', task);
    await this.make('policy_id', 'policies', { name: 'policy', policy_content: 'package p\n\nallow := true\n' });
    const applied = { entity_type: 'agent', entity_id: this.id('agent_id'), policy_id: this.id('policy_id') };
    await this.make('association_id', 'policies/associations', applied);
    await this.post(`policies/evaluate/agent/${this.id('agent_id')}`, { input_data: {} });
    const decisions = await this.call('GET', `${this.url}/api/v1/policies/decisions`);
    const [decision] = (decisions as { decisions?: { id: string }[] }).decisions ?? (decisions as { id: string }[]);
    this.ids.set('decision_id', decision?.id ?? '');
    await this.fillPlatformApi();
  }

  private async fillPlatformApi(): Promise<void> {
    const minted = await this.call('POST', `${this.platformUrl}/api/v1/auth/keys`, { name: 'another', scopes: [] });
    this.ids.set('key_id', (minted as { id: string }).id);
    const asked = { name: 'task', agent_id: this.id('agent_id') };
    const task = await this.call('POST', `${this.platformUrl}/api/v1/tasks`, asked);
    this.ids.set('tasks/{id}', (task as { id: string }).id);
    this.ids.set('executions/{id}', this.id('execution_id'));
  }

  private async make(parameter: string, path: string, body: object, field = 'id'): Promise<void> {
    const made = (await this.post(path, body)) as Record<string, string>;
    this.ids.set(parameter, made[field] ?? '');
  }

  private post(path: string, body: object): Promise<unknown> {
    return this.call('POST', `${this.url}/api/v1/${path}`, body);
  }

  private async call(method: string, url: string, body?: object): Promise<unknown> {
    const scheme = url.startsWith(this.platformUrl) ? 'UserKey' : 'Bearer';
    const answer = await call(method, url, { key: this.key, scheme, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** The platform API calls every id `id`; what it names is said by the word before it. */
function parameterOf(template: string, name: string): string {
  return name === 'id' ? (/(\w+\/\{id\})/.exec(template)?.[1] ?? name) : name;
}
