import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { ACTIONS } from './actions/actions.js';
import { CommandContext } from './context.js';
import { createProgram } from './program.js';
import { RESOURCES } from './resources.js';
import { Terminal } from './terminal.js';

const ALL = ['list', 'get', 'create', 'edit', 'delete'];
const of = (plural: string, ...names: readonly string[]): string[] => names.map((name) => `${plural} ${name}`);

/** The commands that a page of the console does, by the address of the page. A new command gets a place here or below. */
const ON_PAGES: Readonly<Record<string, readonly string[]>> = {
  '/': ['analytics failures', 'health', 'whoami', 'worker-queues load'],
  '/executions': of('executions', 'list'),
  '/executions/$id': [
    ...of('executions', 'get', 'tail', 'cancel', 'rerun', 'pause', 'resume', 'message', 'answer', 'timeline'),
    ...of('executions', 'steps', 'messages', 'tool-calls', 'tasks', 'files'),
  ],
  '/traces': of('traces', 'list'),
  '/traces/$id': of('traces', 'get', 'show'),
  '/decisions': of('policy-decisions', 'list', 'get', 'replay'),
  '/agents': ['run', ...of('agents', ...ALL, 'preview'), ...of('skills', 'of', 'resolved', 'add', 'remove')],
  '/teams': of('teams', ...ALL, 'add', 'remove', 'preview'),
  '/workflows': of('workflows', ...ALL, 'preview'),
  '/jobs': of('jobs', ...ALL, 'trigger', 'enable', 'disable', 'runs', 'preview', 'schedule', 'rotate'),
  '/policies': [
    ...of('policies', ...ALL, 'validate', 'reach', 'versions', 'version'),
    ...of('policy-associations', 'list', 'create', 'delete'),
  ],
  '/projects': of('projects', ...ALL, 'agents', 'add-agent', 'remove-agent', 'teams', 'add-team', 'remove-team'),
  '/skills': of('skills', ...ALL),
  '/knowledge': of('knowledge', ...ALL),
  '/integrations': of('integrations', ...ALL),
  '/secrets': of('secrets', ...ALL),
  '/models': of('models', ...ALL),
  '/environments': of('environments', ...ALL),
  '/queues': of('worker-queues', ...ALL),
  '/workers': of('workers', 'list', 'get', 'leases'),
  '/webhooks': of('webhooks', ...ALL, 'rotate', 'test', 'deliveries', 'redeliver'),
  '/keys': of('keys', 'list', 'get', 'create', 'rotate', 'revoke'),
  '/users': of('users', ...ALL),
};

/** The commands that a page names, by the source that does so. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'features/overview/overview.page.tsx': ['analytics summary'],
  'features/executions/list-commands.ts': [
    ...of('sessions', 'list', 'get', 'messages', 'rename', 'edit', 'fork', 'delete'),
    ...of('tasks', 'list', 'get', 'create'),
  ],
  'features/build/agents.tsx': ['chat', 'context resolved', 'agents runtimes'],
  'features/build/workflows.tsx': of('workflows', 'versions', 'version'),
  'features/policies/policies.tsx': ['policies test', ...of('policy-associations', 'get', 'edit')],
  'features/library/skills.tsx': ['skills types'],
  'features/library/models.tsx': ['models default'],
  'features/fleet/workers.tsx': of('runners', ...ALL),
  'features/fleet/webhooks.tsx': of('webhooks', 'delivery', 'replay'),
  'features/keys/keys.page.tsx': ['keys edit'],
  'resource/entity-commands.ts': [
    ...of('context', 'get', 'set', 'clear', 'variables'),
    ...of('policies', 'resolved', 'eval'),
  ],
};

/** Why a command belongs to no page. */
const REASONS = {
  machine: 'it is about the machine of the person: profiles, the shell, the browser, a program on it',
  many: 'it is about many resources of a file at once',
} as const;

const ON_NO_PAGE: Readonly<Record<keyof typeof REASONS, readonly string[]>> = {
  machine: ['login', 'profiles list', 'profiles use', 'profiles remove', 'completion', '__complete', 'open', 'mcp'],
  many: ['apply'],
};

/** What the console calls where the table of commands does not say it, or where the console calls another route. */
const OTHER_CALLS: Readonly<Record<string, string>> = {
  run: '/api/v1/agents/{agent_id}/execute',
  whoami: 'facts.key_name',
  health: '/api/health/event-bus',
  'executions tail': 'streamEvents',
  'executions messages': 'streamEvents',
  'executions cancel': '/api/v1/executions/{execution_id}/${action}',
  'executions pause': '/api/v1/executions/{execution_id}/${action}',
  'executions resume': '/api/v1/executions/{execution_id}/${action}',
  'executions rerun': '/api/v1/executions/{execution_id}/rerun',
  'executions message': '/api/v1/executions/{execution_id}/message',
  'executions answer': '/api/v1/executions/{execution_id}/message',
  'executions timeline': '/api/v1/executions/{execution_id}/timeline',
  'executions tool-calls': '/api/v1/executions/{execution_id}/tool-calls',
  'executions files': '/api/v1/executions/{execution_id}/files',
  'traces get': '/api/v1/traces/{trace_id}/outline',
  'traces show': '/api/v1/traces/{trace_id}/outline',
  'jobs trigger': '/api/v1/jobs/{job_id}/trigger',
  'policies validate': '/api/v1/policies/validate',
  'keys create': '/api/v1/auth/keys',
  'keys rotate': '/api/v1/auth/keys/{key_id}/rotate',
  'keys revoke': '/api/v1/auth/keys/{key_id}',
};

const CONSOLE = join(__dirname, '../../console/src');
const read = (file: string): string => readFileSync(join(CONSOLE, file), 'utf8');
const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.spec)\.tsx?$/.test(name) && !name.startsWith(join('api', 'generated')))
  .map(read);

/** The method and the route of the commands of the tables. */
function routesOfTables(): Map<string, readonly [method: string, path: string]> {
  const routes = new Map<string, readonly [string, string]>();
  for (const { plural, list, item, create = list, update = 'patch', isRead } of RESOURCES) {
    routes.set(`${plural} list`, ['GET', list]);
    routes.set(`${plural} get`, ['GET', isRead === false ? list : item]);
    routes.set(`${plural} create`, ['POST', create]);
    routes.set(`${plural} edit`, [update.toUpperCase(), item]);
    routes.set(`${plural} delete`, ['DELETE', item]);
  }
  for (const { kind, name, method, path } of ACTIONS) {
    const plural = RESOURCES.find((resource) => resource.kind === kind)?.plural ?? kind;
    routes.set(`${plural} ${name}`, [method.toUpperCase(), path]);
  }
  return routes;
}

function leavesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

describe('what the commands do', () => {
  let commands: string[];

  beforeAll(async () => {
    const terminal = new Terminal({ HOME: '/home/ada' }, process);
    commands = leavesOf(await createProgram(new CommandContext(terminal)));
  });

  it('is done on a page of the console, or named there, or belongs to no page', () => {
    const placed = [ON_PAGES, NAMED, ON_NO_PAGE].flatMap((places) => Object.values(places).flat());
    expect(placed.toSorted()).toEqual(commands.toSorted());
  });

  it.each(Object.keys(ON_PAGES))('is done on a page that exists: %s', (page) => {
    expect(read('router.tsx')).toContain(`'${page}'`);
  });

  it.each(Object.values(ON_PAGES).flat())('is called by the console: %s', (name) => {
    const [method, path] = routesOfTables().get(name) ?? ['', ''];
    const other = OTHER_CALLS[name];
    const isCalled = (source: string): boolean =>
      other === undefined
        ? path !== '' && source.includes(`'${path}'`) && source.includes(`.${method}(`)
        : new RegExp(String.raw`${escaped(other)}(?![\w/])`).test(source);
    expect(sources.some(isCalled)).toBe(true);
  });

  it.each(Object.entries(NAMED))('is named by %s', (file, names) => {
    const missing = names.filter((name) => !new RegExp(String.raw`agentctl ${name}(?=[ '\`])`).test(read(file)));
    expect(missing).toEqual([]);
  });

  it('is not named as a command that does not exist', () => {
    const named = sources.flatMap((source) =>
      [...source.matchAll(/agentctl ([a-z-]+(?: [a-z-]+)?)/g)].map(([, name = '']) => name),
    );
    expect(named.filter((name) => !commands.some((command) => `${name} `.startsWith(`${command} `)))).toEqual([]);
  });
});
