// The allowed dependencies. They point down (apps, domains, backbone, foundation: the folders of `libs/`), or sideways
// where listed here.
/** What a definition of a workflow means: the same to those who check it, show it and run it. */
const GRAMMAR = 'workflow-grammar';
/**
 * The libs of `libs/alone`, which run without NestJS and stores. `rego` and `api-client` are published. `mcp-tools`,
 * the MCP server of the tool server and of the command line, knows the platform only as a client.
 */
const ALONE = {
  rego: [],
  'api-client': [],
  [GRAMMAR]: ['kernel'],
  'mcp-tools': ['api-client', 'kernel', 'testing', GRAMMAR],
};
/** The libs of `libs/wire`, each with the domain that it shows. */
const WIRE = { 'execution-wire': ['executions'], 'workflow-wire': ['workflows', GRAMMAR] };

/** Dependencies between domains. A new one is a decision: list it with its reason. */
const SIDEWAYS = {
  // An organization is created with its default environment, worker queue and model.
  identity: ['environments', 'models'],
  models: [],
  skills: [],
  // A queue is chosen by the skills that a run needs. Agents and teams write the associations of their skills with their
  // own rows.
  environments: ['skills'],
  // Agents and teams register themselves as runnables with executions; jobs, orchestration and policies ask that registry.
  agents: ['executions', 'skills'],
  // The usage of an execution is priced by the model that it names.
  executions: ['models'],
  // The members of a team are agents, whose rows name the team. Teams register as runnables, as agents do.
  teams: ['agents', 'executions', 'skills'],
  // A job starts executions of runnables on queues of environments, which projects of the runnable restrict; those of a
  // webhook run for a user. The variables of a job must not override those that its runs inherit. A repetition of an
  // execution triggers its job, or starts its runnable.
  jobs: ['environments', 'executions', 'identity', 'orchestration', 'projects'],
  // A task is a requested run of an agent and shows its execution.
  tasks: ['executions', 'orchestration'],
  // A lease combines execution, model and variables; requests of a worker concern the worker and its executions;
  // executions can wait in queues that were deleted; a requested run is routed to a queue; projects add their
  // variables, model and restrictions, integrations and secrets add variables; runs receive contexts and skills.
  orchestration: ['entity-contexts', 'environments', 'executions', 'models', 'projects', 'resources', 'skills'],
  // An integration has an execution environment, which has the form that executions define.
  resources: ['executions'],
  // Policies apply to runnables, environments and members of projects, decide on executions before they start, and are
  // written in Rego.
  policies: ['entity-contexts', 'environments', 'executions', 'projects', 'rego'],
  // An entity inherits contexts, skills and variables from its environments and projects, and from what it is a member
  // of.
  'entity-contexts': ['environments', 'executions', 'projects', 'skills'],
  // The members of a project are runnables of any kind.
  projects: ['executions'],
  // Executions are found by id. Entities of other domains are found by name and declare this themselves.
  search: ['executions'],
  // Steps of a workflow name runnables.
  workflows: ['executions', GRAMMAR],
  // Subscriptions filter the events of executions by job and agent; a delivery is a span of the execution's trace.
  webhooks: ['executions', 'traces'],
  // A trace belongs to the execution that its spans name, and to the user of this execution. A team can turn
  // off its monitoring.
  traces: ['executions', 'teams'],
};
/** Additional dependencies of integration tests, which run with the real sources of runnables. */
const TESTED_WITH = {
  'entity-contexts': ['agents', 'policies', 'teams'],
  skills: ['agents', 'environments', 'executions', 'teams'],
  jobs: ['agents', 'teams'],
  tasks: ['agents', 'environments', 'teams'],
  orchestration: ['agents', 'teams', 'workflows'],
  policies: ['agents', 'teams'],
  projects: ['agents', 'policies', 'teams'],
  workflows: ['agents', 'teams'],
};
/** What code outside a lib may import. */
const FACE = '^libs/[^/]+/[^/]+/src/index\\.ts$';
/** What tests outside their lib may import besides `index.ts`. */
const TEST_FACE = '^libs/domains/executions/src/testing/open-gate\\.module\\.ts$';
const layers = (...names) => `^libs/(${names.join('|')})/`;
const libs = (...names) => `^libs/[^/]+/(${names.join('|')})/`;

const OUR_CODE = '^(libs|apps|tools|test)/';

const arrows = (name, from, ...mayUse) => ({
  name: `arrows-of-${name}`,
  severity: 'error',
  from,
  to: { path: OUR_CODE, pathNot: mayUse },
});
const TEST = '\\.int-spec\\.ts$';
const domainRules = Object.entries(SIDEWAYS).flatMap(([domain, others]) => {
  const path = `^libs/domains/${domain}/`;
  const below = layers('foundation', 'backbone');
  return [
    arrows(domain, { path, pathNot: TEST }, below, libs(domain, ...others)),
    arrows(
      `tests-of-${domain}`,
      { path: `${path}.*${TEST}` },
      below,
      libs(domain, ...others, ...(TESTED_WITH[domain] ?? [])),
    ),
  ];
});
const wireRules = Object.entries(WIRE).map(([wire, others]) =>
  arrows(wire, { path: `^libs/wire/${wire}/` }, layers('foundation'), libs(wire, ...others)),
);
const aloneRules = Object.entries(ALONE).map(([name, others]) =>
  arrows(name, { path: `^libs/alone/${name}/` }, libs(name, ...others)),
);

module.exports = {
  forbidden: [
    ...domainRules,
    ...wireRules,
    ...aloneRules,
    {
      name: 'console-is-a-client',
      comment: 'The web console knows the platform only through the generated client.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: OUR_CODE, pathNot: '^(apps/console|libs/alone/api-client)/' },
    },
    {
      name: 'features-of-the-console-are-separate',
      severity: 'error',
      from: { path: '^apps/console/src/features/([^/]+)/' },
      to: { path: '^apps/console/src/features/', pathNot: '^apps/console/src/features/$1/' },
    },
    {
      name: 'parts-of-the-console-know-no-feature',
      comment: 'What all pages use (ui, api) uses neither a page nor the session.',
      severity: 'error',
      from: { path: '^apps/console/src/(ui|api)/' },
      to: { path: '^apps/console/src/(features|session|shell)/' },
    },
    {
      name: 'every-lib-has-a-place',
      comment: 'Every lib is in the folder of its layer. Those of domains, wire and alone are also in the lists above.',
      severity: 'error',
      from: {
        path: '^libs/',
        pathNot: [
          layers('foundation', 'backbone'),
          ...Object.entries({ domains: SIDEWAYS, wire: WIRE, alone: ALONE }).map(
            ([layer, list]) => `^libs/${layer}/(${Object.keys(list).join('|')})/`,
          ),
        ],
      },
      to: {},
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    arrows('foundation', { path: layers('foundation') }, layers('foundation')),
    {
      ...arrows('backbone', { path: layers('backbone'), pathNot: TEST }, layers('foundation', 'backbone')),
      comment: 'An integration test may start separate servers in order to kill them.',
    },
    {
      name: 'alone-is-plain',
      severity: 'error',
      from: { path: layers('alone') },
      to: { path: '@nestjs|typeorm' },
    },
    {
      name: 'the-tool-server-is-a-client',
      comment: 'It owns no data: it calls the platform API with the key of its caller.',
      severity: 'error',
      from: { path: '^apps/tool-server/' },
      to: {
        path: '^libs/',
        pathNot: libs('mcp-tools', 'config', 'kernel', 'metrics', 'observability', 'testing'),
      },
    },
    {
      name: 'public-face-only',
      comment: 'Code outside a lib imports it by its name, that is, through its index.ts.',
      severity: 'error',
      from: { path: '^(apps|tools|test|bench|examples)/' },
      to: { path: '^libs/', pathNot: `${FACE}|${TEST_FACE}` },
    },
    {
      name: 'public-face-only-between-libs',
      severity: 'error',
      from: { path: '^libs/([^/]+/[^/]+)/' },
      to: { path: '^libs/', pathNot: `${FACE}|^libs/$1/|${TEST_FACE}` },
    },
    {
      name: 'apps-do-not-know-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'apps-know-the-wire-not-the-stores',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm|bullmq|@nestjs/bullmq|ioredis|pg)/' },
    },
    {
      name: 'the-worker-speaks-only-rest',
      severity: 'error',
      from: { path: '^apps/worker/' },
      to: { path: '^libs/', pathNot: libs('api-client', 'config', 'observability', 'kernel', 'testing', GRAMMAR) },
    },
    {
      name: 'the-command-line-is-a-client',
      comment: 'It is installed apart from the platform and starts fast.',
      severity: 'error',
      from: { path: '^apps/cli/' },
      to: { path: '^(libs|tools)/|@nestjs', pathNot: libs('api-client', 'mcp-tools') },
    },
    {
      name: 'domains-do-not-know-http',
      comment: 'The test support of the event streams serves them over HTTP. Limits are enforced by guards.',
      severity: 'error',
      from: { path: layers('domains', 'backbone'), pathNot: '/src/testing/|^libs/backbone/rate-limits/' },
      to: {
        path: 'node_modules/(express|@nestjs/swagger|@nestjs/platform-express|class-validator)/|^libs/foundation/http/',
      },
    },
    {
      name: 'kernel-knows-no-http',
      severity: 'error',
      from: { path: libs('kernel'), pathNot: '\\.spec\\.ts$' },
      to: { path: '^(node:)?https?2?$|node_modules/(express|@nestjs)/' },
    },
    {
      name: 'typeorm-in-its-place',
      comment: 'Only entities, repositories, modules and the database lib use TypeORM.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/foundation/(database|testing)/|\\.(entity|repository|module)\\.ts$' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm)/' },
    },
    {
      name: 'entities-are-private',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.(entity|repository|sql|module)\\.ts$' },
      to: { path: '\\.entity\\.ts$' },
    },
    {
      name: 'tests-are-nobodys-dependency',
      severity: 'error',
      from: { pathNot: '\\.(spec|int-spec|e2e-spec)\\.ts$|^(test|libs/foundation/testing|bench)/|/src/testing/' },
      to: { path: '^(test|libs/foundation/testing)/|/src/testing/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/|generated/|^examples/live-run/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
};
