import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ACTIONS } from './actions/actions.js';
import { RESOURCES } from './resources.js';

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}
interface Operation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const read = (name: string): Document =>
  JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi', `${name}.json`), 'utf8')) as Document;
const controlPlane = read('control-plane');
const platformApi = read('platform-api');

/** Why people need no command for a route. */
const REASONS = {
  worker: 'for workers: it reports or receives work',
  program: 'for programs that read or write the data themselves: the console, clients, exporters',
  operator: 'for probes and monitoring of the operator; people use health',
  alias: 'another route does the same, and has a command',
  caller: 'for the senders of webhooks, who have no key',
} as const;

/** The routes without a command. A new route gets a command, or a line here. */
const WITHOUT_COMMAND: Readonly<Record<keyof typeof REASONS, readonly string[]>> = {
  worker: [
    'POST /api/v1/workers/register',
    'POST /api/v1/workers/heartbeat',
    'POST /api/v1/workers/{worker_id}/heartbeat',
    'POST /api/v1/workers/{worker_id}/poll',
    'POST /api/v1/workers/{worker_id}/reports',
    'POST /api/v1/workers/{worker_id}/disconnect',
    'POST /api/v1/worker-queues/{queue_id}/start',
    'POST /api/v1/executions/create',
    'PATCH /api/v1/executions/{execution_id}',
    'PATCH /api/v1/executions/{execution_id}/status',
    'POST /api/v1/executions/{execution_id}/job/{job_id}/status',
    'POST /api/v1/executions/{execution_id}/session',
    'POST /api/v1/executions/{execution_id}/messages',
    'GET /api/v1/executions/{execution_id}/conversation',
    'POST /api/v1/executions/{execution_id}/wait',
    'GET /api/v1/executions/{execution_id}/knowledge',
    'GET /api/v1/executions/{execution_id}/knowledge/{knowledge_id}',
    'PATCH /api/v1/executions/{execution_id}/steps',
    'PUT /api/v1/executions/{execution_id}/files/{file_name}',
    'POST /api/v1/executions/{execution_id}/events',
    'POST /api/v1/executions/{execution_id}/plan',
    'GET /api/v1/ws/workers/{worker_id}',
    'POST /api/v1/analytics/tasks',
    'PATCH /api/v1/analytics/tasks/{task_id}',
    'POST /api/v1/analytics/batch',
  ],
  program: [
    'GET /api/v1/execution-summaries/count',
    'POST /api/v1/executions/bulk',
    'POST /api/v1/executions/{execution_id}/stream-ticket',
    'GET /api/v1/ws/executions/{execution_id}',
    'GET /api/v1/ws/stats',
    'GET /api/v1/worker-queue-load/series',
    'GET /api/v1/analytics/executions/series',
    'GET /api/v1/models/providers',
    'GET /api/v1/search',
    'POST /api/v1/policies/format',
    'POST /api/v1/policies/backtest',
    'POST /v1/traces',
    'GET /api/v1/traces/{trace_id}/spans',
    'GET /api/v1/traces/{trace_id}/spans/{span_id}',
    'GET /api/v1/projects/default',
  ],
  operator: [
    'GET /api/health/live',
    'GET /api/health/ready',
    'GET /metrics',
    'GET /api/health/web-socket/{probe_token}',
  ],
  alias: [
    'GET /api/v1/executions',
    'GET /api/v1/executions/{execution_id}/session',
    'PUT /api/v1/models/{model}',
    'PUT /api/v1/skills/{skill_id}',
    'PUT /api/v1/policies/{policy_id}',
    'PUT /api/v1/policies/associations/{association_id}',
    'POST /api/v1/policies/check-authorization/{entity_type}/{entity_id}',
    'GET /api/v1/environments/{environment_id}/worker-queues',
    'GET /api/v1/worker-queues/{queue_id}/workers',
    'GET /api/v1/projects/{project_id}/agents/{agent_id}',
    'GET /api/v1/projects/{project_id}/teams/{team_id}',
    'GET /api/v1/skills/associations/teams/{team_id}/toolsets/resolved',
  ],
  caller: ['POST /api/v1/jobs/webhook/{token}'],
};

/** The routes of the platform API that the control plane has as well: `agentctl` uses those. */
const OF_BOTH =
  /^\w+ \/(metrics|api\/health.*|api\/v1\/(agents|workflows|executions)(\/.*)?|api\/v1\/auth\/(validate|me))$/;

const ROUTE = /\.(GET|POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g;

/** The routes that the sources of the commands call by name, and those of the tables. */
function routesWithCommands(): Set<string> {
  const sources = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.spec)\.ts$/.test(name),
  );
  const called = sources.flatMap((name) =>
    [...readFileSync(join(__dirname, name), 'utf8').matchAll(ROUTE)].map(([, method, path]) => `${method} ${path}`),
  );
  const inTables = RESOURCES.flatMap(({ list, item, create = list, update = 'patch', isRead, verbs }) => [
    `GET ${list}`,
    ...(isRead === false ? [] : [`GET ${item}`]),
    ...(verbs.includes('create') ? [`POST ${create}`] : []),
    ...(verbs.includes('edit') ? [`${update.toUpperCase()} ${item}`] : []),
    ...(verbs.includes('delete') ? [`DELETE ${item}`] : []),
  ]);
  const actions = ACTIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  // `streamEvents` of the client opens the stream; `keys revoke` deletes by the table of resources.
  const others = ['GET /api/v1/executions/{execution_id}/stream', 'DELETE /api/v1/auth/keys/{key_id}'];
  return new Set([...called, ...inTables, ...actions, ...others]);
}

function routesOf({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

describe('the routes of the platform', () => {
  it('have a command, or a reason to have none', () => {
    const withCommands = routesWithCommands();
    const published = [
      ...routesOf(controlPlane),
      ...routesOf(platformApi).filter((route) => !OF_BOTH.test(route)),
    ].filter((route) => !withCommands.has(route));
    expect(published.toSorted()).toEqual(Object.values(WITHOUT_COMMAND).flat().toSorted());
  });
});

describe('the table of actions', () => {
  it.each(ACTIONS.map((action) => [`${action.kind} ${action.name}`, action] as const))(
    'contains only parameters, fields and columns that the platform has for %s',
    (_name, { method, path, args, filters = [], columns = [], isPaged, hasFields }) => {
      const operation = controlPlane.paths[path]?.[method];
      const parameters = (operation?.parameters ?? []).filter((parameter) => parameter.in !== 'header');
      const names = parameters.map(({ name }) => name);
      const body = fieldsOf(operation?.requestBody?.content['application/json']?.schema);
      for (const { to } of args) expect([...names, ...body]).toContain(to);
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(args.map(({ to }) => to)).toEqual(expect.arrayContaining(inPath));
      expect(names).toEqual(expect.arrayContaining([...filters]));
      if (isPaged === true) expect(names).toContain('limit');
      if (hasFields === true) expect(body.length).toBeGreaterThan(0);
      const shown = fieldsOf(Object.values(operation?.responses ?? {})[0]?.content?.['application/json']?.schema);
      if (shown.length > 0) expect(shown).toEqual(expect.arrayContaining([...columns]));
    },
  );

  it('contains no command that the resource has already', () => {
    const names = ACTIONS.map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

/** The fields of a body; for a list or a page with one list, those of its rows. Empty for free-form rows. */
function fieldsOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  if (schema.items !== undefined) return fieldsOf(schema.items);
  const named =
    schema.$ref === undefined ? schema : controlPlane.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const { properties = {} } = named ?? {};
  const list = Object.values(properties).find(({ items }) => items !== undefined);
  return list !== undefined && 'next_cursor' in properties ? fieldsOf(list) : Object.keys(properties);
}
