import type { ControlPlanePaths, PlatformApiPaths } from '@app/api-client';

type Path = keyof ControlPlanePaths | keyof PlatformApiPaths;

/** A kind of resource. Its commands and its routes follow from this description. */
export interface Resource {
  /** The name in files for `apply`. */
  readonly kind: string;
  /** The name of its command. */
  readonly plural: string;
  /** Default: the control plane. */
  readonly api?: 'platform';
  /** The fields that tables show. */
  readonly columns: readonly string[];
  readonly list: Path;
  /** A route whose parameter is the id. */
  readonly item?: Path;
  /** Parameters of this path are taken from the fields of the new resource. */
  readonly create?: Path;
  readonly update?: 'PATCH' | 'PUT';
  readonly canDelete?: true;
  /** The field that is in the path. Default: `id`. */
  readonly id?: string;
  /** The fields that a person knows a resource by; several only together. Default: `name`. Empty: only the id. */
  readonly knownBy?: readonly string[];
  /** Fields that no response contains. */
  readonly writeOnly?: readonly string[];
  /** A value for the examples in the help. */
  readonly example: string;
}

export const RESOURCES: readonly Resource[] = [
  {
    kind: 'agent',
    plural: 'agents',
    columns: ['id', 'name', 'status', 'model_id', 'team_id', 'updated_at'],
    list: '/api/v1/agents',
    item: '/api/v1/agents/{agent_id}',
    create: '/api/v1/agents',
    update: 'PATCH',
    canDelete: true,
    example: 'greeter',
  },
  {
    kind: 'team',
    plural: 'teams',
    columns: ['id', 'name', 'status', 'runtime', 'updated_at'],
    list: '/api/v1/teams',
    item: '/api/v1/teams/{team_id}',
    create: '/api/v1/teams',
    update: 'PATCH',
    canDelete: true,
    example: 'support',
  },
  {
    kind: 'job',
    plural: 'jobs',
    columns: ['id', 'name', 'enabled', 'trigger_type', 'entity_name', 'next_execution_at', 'total_executions'],
    list: '/api/v1/jobs',
    item: '/api/v1/jobs/{job_id}',
    create: '/api/v1/jobs',
    update: 'PATCH',
    canDelete: true,
    example: 'greet',
  },
  {
    kind: 'execution',
    plural: 'executions',
    columns: ['id', 'status', 'entity_name', 'trigger_type', 'created_at', 'duration_ms', 'error_message'],
    list: '/api/v1/execution-summaries',
    item: '/api/v1/executions/{execution_id}',
    knownBy: [],
    example: 'EXECUTION_ID',
  },
];
