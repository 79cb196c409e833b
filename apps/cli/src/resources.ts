import { LIST_FILTERS, type ControlPlanePaths, type PlatformApiPaths } from '@app/api-client';

type Path = keyof ControlPlanePaths | keyof PlatformApiPaths;
type Verb = 'create' | 'edit' | 'delete';

/** A kind of resource. Its commands and requests follow from this description. */
export interface Resource {
  /** The name in files for `apply`. */
  readonly kind: string;
  /** The name of the command for this kind. */
  readonly plural: string;
  /** Default: the control plane. */
  readonly api?: 'platform';
  readonly list: Path;
  /** The route of one resource; its parameter is the id. */
  readonly item: Path;
  /** The parameter with the number of rows of a page. Default: `limit`. */
  readonly pageSize?: 'page_size';
  /** False: the item route has no GET, and the rows of the list have all fields. */
  readonly isRead?: false;
  /** The commands in addition to `list` and `get`. */
  readonly verbs: readonly Verb[];
  /** The route that creates a resource, if it is not `list`. Fields with the names of path parameters replace them. */
  readonly create?: Path;
  /** Default: `patch`. */
  readonly update?: 'put';
  /** The fields that tables show. */
  readonly columns: readonly string[];
  /** The field whose value is in the path. Default: `id`. */
  readonly id?: string;
  /** The fields that together identify a resource for users. Default: `name`. Empty: only the id identifies it. */
  readonly knownBy?: readonly string[];
  /** Fields of requests that no response has. */
  readonly writeOnly?: readonly string[];
  /** Credentials in the response to the creation, which `apply` prints. */
  readonly shownOnce?: readonly string[];
  /** The resource in the examples of the help. */
  readonly example: string;
}

const ALL: readonly Verb[] = ['create', 'edit', 'delete'];

/** All resources that the platform lists (resources.spec.ts). */
export const RESOURCES: readonly Resource[] = [
  {
    kind: 'agent',
    plural: 'agents',
    list: '/api/v1/agents',
    item: '/api/v1/agents/{agent_id}',
    verbs: ALL,
    columns: ['id', 'name', 'status', 'model_id', 'team_id', 'updated_at'],
    example: 'greeter',
  },
  {
    kind: 'team',
    plural: 'teams',
    list: '/api/v1/teams',
    item: '/api/v1/teams/{team_id}',
    verbs: ALL,
    columns: ['id', 'name', 'status', 'runtime', 'updated_at'],
    example: 'support',
  },
  {
    kind: 'workflow',
    plural: 'workflows',
    list: '/api/v1/workflows',
    item: '/api/v1/workflows/{workflow_id}',
    verbs: ALL,
    columns: ['id', 'name', 'status', 'version', 'updated_at'],
    example: 'release',
  },
  {
    kind: 'job',
    plural: 'jobs',
    list: '/api/v1/jobs',
    item: '/api/v1/jobs/{job_id}',
    verbs: ALL,
    columns: ['id', 'name', 'enabled', 'trigger_type', 'entity_name', 'next_execution_at', 'total_executions'],
    shownOnce: ['webhook_url', 'webhook_secret'],
    example: 'greet',
  },
  {
    kind: 'execution',
    plural: 'executions',
    list: '/api/v1/execution-summaries',
    verbs: [],
    columns: ['id', 'status', 'entity_name', 'trigger_type', 'created_at', 'duration_ms', 'error_message'],
    item: '/api/v1/executions/{execution_id}',
    knownBy: [],
    example: 'EXECUTION_ID',
  },
  {
    kind: 'session',
    plural: 'sessions',
    list: '/api/v1/sessions',
    item: '/api/v1/sessions/{user_session_id}',
    verbs: ['edit', 'delete'],
    columns: [
      'id',
      'session_id',
      'name',
      'user_name',
      'entity_name',
      'turns',
      'last_activity_at',
      'last_message_preview',
    ],
    knownBy: ['session_id'],
    example: 'ada-1',
  },
  {
    kind: 'project',
    plural: 'projects',
    list: '/api/v1/projects',
    item: '/api/v1/projects/{project_id}',
    verbs: ALL,
    columns: ['id', 'name', 'key', 'status', 'agent_count', 'team_count'],
    example: 'website',
  },
  {
    kind: 'policy',
    plural: 'policies',
    list: '/api/v1/policies',
    item: '/api/v1/policies/{policy_id}',
    verbs: ALL,
    columns: ['id', 'name', 'enabled', 'version', 'association_count', 'updated_at'],
    example: 'no-secrets',
  },
  {
    kind: 'policy-association',
    plural: 'policy-associations',
    list: '/api/v1/policies/associations',
    item: '/api/v1/policies/associations/{association_id}',
    verbs: ALL,
    columns: ['id', 'policy_name', 'entity_type', 'entity_id', 'priority', 'enabled'],
    knownBy: ['policy_id', 'entity_type', 'entity_id'],
    example: 'ASSOCIATION_ID',
  },
  {
    kind: 'policy-decision',
    plural: 'policy-decisions',
    list: '/api/v1/policies/decisions',
    item: '/api/v1/policies/decisions/{decision_id}',
    verbs: [],
    columns: ['id', 'allowed', 'kind', 'entity_type', 'entity_id', 'execution_id', 'at'],
    knownBy: [],
    example: 'DECISION_ID',
  },
  {
    kind: 'trace',
    plural: 'traces',
    list: '/api/v1/traces',
    item: '/api/v1/traces/{trace_id}',
    pageSize: 'page_size',
    verbs: [],
    columns: [
      'trace_id',
      'started_at',
      'status',
      'duration_ms',
      'span_count',
      'error_count',
      'total_tokens',
      'cost',
      'models',
      'service_name',
      'name',
    ],
    id: 'trace_id',
    knownBy: [],
    example: 'TRACE_ID',
  },
  {
    kind: 'model',
    plural: 'models',
    list: '/api/v1/models',
    item: '/api/v1/models/{model}',
    verbs: ALL,
    columns: ['id', 'value', 'label', 'provider', 'enabled', 'recommended'],
    knownBy: ['value'],
    example: 'some-model',
  },
  {
    kind: 'skill',
    plural: 'skills',
    list: '/api/v1/skills',
    item: '/api/v1/skills/{skill_id}',
    verbs: ALL,
    columns: ['id', 'name', 'type', 'enabled', 'updated_at'],
    example: 'search',
  },
  {
    kind: 'knowledge',
    plural: 'knowledge',
    list: '/api/v1/knowledge',
    item: '/api/v1/knowledge/{knowledge_id}',
    verbs: ALL,
    columns: ['id', 'name', 'size', 'tags', 'updated_at'],
    example: 'handbook',
  },
  {
    kind: 'integration',
    plural: 'integrations',
    list: '/api/v1/integrations',
    item: '/api/v1/integrations/{integration_id}',
    verbs: ALL,
    columns: ['id', 'name', 'type', 'tags', 'updated_at'],
    example: 'tracker',
  },
  {
    kind: 'secret',
    plural: 'secrets',
    list: '/api/v1/secrets',
    item: '/api/v1/secrets/{secret_name}',
    verbs: ALL,
    columns: ['name', 'created_at', 'updated_at'],
    id: 'name',
    update: 'put',
    writeOnly: ['value'],
    example: 'TRACKER_TOKEN',
  },
  {
    kind: 'webhook',
    plural: 'webhooks',
    list: '/api/v1/webhooks',
    item: '/api/v1/webhooks/{webhook_id}',
    verbs: ALL,
    columns: ['id', 'url', 'status', 'events', 'updated_at'],
    knownBy: ['url'],
    shownOnce: ['secret'],
    example: 'https://hooks.example/runs',
  },
  {
    kind: 'environment',
    plural: 'environments',
    list: '/api/v1/environments',
    item: '/api/v1/environments/{environment_id}',
    verbs: ALL,
    columns: ['id', 'name', 'status', 'active_workers', 'busy_workers', 'updated_at'],
    example: 'default',
  },
  {
    kind: 'worker-queue',
    plural: 'worker-queues',
    list: '/api/v1/worker-queues',
    item: '/api/v1/worker-queues/{queue_id}',
    verbs: ALL,
    columns: ['id', 'name', 'environment_id', 'status', 'active_workers', 'max_workers'],
    create: '/api/v1/environments/{environment_id}/worker-queues',
    knownBy: ['name', 'environment_id'],
    example: 'default',
  },
  {
    kind: 'worker',
    plural: 'workers',
    list: '/api/v1/workers',
    item: '/api/v1/workers/{worker_id}',
    verbs: [],
    columns: ['id', 'status', 'queue_name', 'environment_name', 'hostname', 'runtimes', 'skills', 'last_heartbeat_at'],
    knownBy: [],
    example: 'WORKER_ID',
  },
  {
    kind: 'runner',
    plural: 'runners',
    list: '/api/v1/runners',
    item: '/api/v1/runners/{runner_id}',
    verbs: ALL,
    columns: ['id', 'name', 'active_workers', 'last_seen_at', 'updated_at'],
    example: 'build-host',
  },
  {
    kind: 'user',
    plural: 'users',
    list: '/api/v1/users',
    item: '/api/v1/users/{id}',
    verbs: ALL,
    columns: ['id', 'name', 'email', 'status', 'groups', 'created_at'],
    api: 'platform',
    knownBy: ['email'],
    example: 'ada@example.com',
  },
  {
    kind: 'key',
    plural: 'keys',
    list: '/api/v1/auth/keys',
    item: '/api/v1/auth/keys/{key_id}',
    verbs: ['edit'],
    columns: ['id', 'name', 'scopes', 'created_at', 'last_used', 'expires_at', 'rotation_due'],
    api: 'platform',
    isRead: false,
    example: 'ci',
  },
  {
    kind: 'task',
    plural: 'tasks',
    list: '/api/v1/tasks',
    item: '/api/v1/tasks/{id}',
    verbs: ['create'],
    columns: ['id', 'name', 'status', 'agent_id', 'created_at'],
    api: 'platform',
    knownBy: [],
    example: 'TASK_ID',
  },
];

/** Returns a kind or its plural with spaces in place of hyphens. */
export const spoken = (name: string): string => name.replaceAll('-', ' ');

/** The names of the filters of its list route. */
export function filtersOf({ api, list }: Resource): readonly string[] {
  return LIST_FILTERS[api === 'platform' ? 'platform-api' : 'control-plane']?.[list] ?? [];
}

/** The resources that files for `apply` can contain. */
export const APPLICABLE = RESOURCES.filter(({ verbs }) => verbs.includes('create') && verbs.includes('edit'));

export function resourceOf(kind: string): Resource | undefined {
  return RESOURCES.find((resource) => resource.kind === kind);
}

/** Throws for a kind that is not in the table. */
export function requireResource(kind: string): Resource {
  const resource = resourceOf(kind);
  if (resource === undefined) throw new Error(`No resource of the kind ${kind}`);
  return resource;
}
