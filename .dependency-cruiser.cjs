// The allowed dependencies. They point down (apps, domains, backbone, foundation), or sideways where listed here.
const FOUNDATION = [
  'kernel',
  'clock',
  'config',
  'observability',
  'discovery',
  'metrics',
  'postgres',
  'database',
  'connections',
  'idempotency',
  'http',
  'rate-limits',
  'testing',
];
const BACKBONE = ['dispatch', 'events'];
const ALONE = ['rego', 'api-client'];
/** The MCP server of the tool server and of the command line. It knows the platform only as a client. */
const CLIENT_SIDE = ['workflow-tools'];
/** What a definition of a workflow means: the same to those who check it, show it and run it. */
const GRAMMAR = ['workflow-grammar'];
/** Libs with the requests, responses and mappers that are the same in both APIs, each with the domain that it shows. */
const WIRE = { 'execution-wire': 'executions', 'workflow-wire': 'workflows' };

/** Dependencies between domains. A new one is a decision: list it with its reason. */
const SIDEWAYS = {
  // An organization is created with its default environment, worker queue and model.
  identity: ['environments', 'models'],
  models: [],
  skills: [],
  // Environments, agents and teams have skills: they register themselves as holders and write the associations with
  // their own rows.
  environments: ['skills'],
  // Agents and teams register themselves as runnables with executions; jobs, runs and policies ask that registry.
  agents: ['executions', 'skills'],
  // The usage of an execution is priced by the model that it names.
  executions: ['models'],
  // The members of a team are agents, whose rows name the team. Teams register as runnables, as agents do.
  teams: ['agents', 'executions', 'skills'],
  // A job starts executions of runnables on queues of environments, which projects of the runnable restrict; those of a
  // webhook run for a user. The variables of a job must not override those that its runs inherit.
  jobs: ['environments', 'executions', 'identity', 'projects', 'runs'],
  // A task is a requested run of an agent and shows its execution.
  tasks: ['executions', 'runs'],
  // A lease combines execution, model and variables; requests of a worker concern the worker and its executions;
  // executions can wait in queues that were deleted; a requested run is routed to a queue; projects add their
  // variables, model and restrictions, integrations and secrets add variables; runs receive contexts and skills.
  runs: ['context', 'environments', 'executions', 'models', 'projects', 'resources', 'skills'],
  // A repetition of an execution triggers its job, or starts its runnable.
  reruns: ['executions', 'jobs', 'runs'],
  // An integration has an execution environment, which has the form that executions define.
  resources: ['executions'],
  // Policies apply to runnables, environments and members of projects, decide on executions before they start, and are
  // written in Rego.
  policies: ['context', 'environments', 'executions', 'projects', 'rego'],
  // An entity inherits contexts, skills and variables from its environments and projects, and from what it is a member
  // of.
  context: ['environments', 'executions', 'projects', 'skills'],
  // The members of a project are runnables of any kind.
  projects: ['executions'],
  // Executions are found by id. Entities of other domains are found by name and declare this themselves.
  search: ['executions'],
  // Steps of a workflow name runnables.
  workflows: ['executions', ...GRAMMAR],
  // Subscriptions filter the events of executions by job and agent; a delivery is a span of the execution's trace.
  webhooks: ['executions', 'traces'],
  // A trace belongs to the execution that its spans name, and to the user of this execution. A team can turn
  // off its monitoring.
  traces: ['executions', 'teams'],
};
/** Additional dependencies of integration tests, which run with the real sources of runnables. */
const TESTED_WITH = {
  context: ['agents', 'policies', 'teams'],
  skills: ['agents', 'environments', 'executions', 'teams'],
  jobs: ['agents', 'teams'],
  tasks: ['agents', 'environments', 'teams'],
  runs: ['agents', 'teams', 'workflows'],
  policies: ['agents', 'teams'],
  projects: ['agents', 'policies', 'teams'],
  workflows: ['agents', 'teams'],
};
const DOMAINS = Object.keys(SIDEWAYS);
/** What tests outside their lib may import besides `index.ts`. */
const TEST_FACE = '^libs/executions/src/testing/open-gate\\.module\\.ts$';
const lib = (names) => `^libs/(${names.join('|')})/`;

const mayUse = (domain) => [domain, ...SIDEWAYS[domain], ...BACKBONE, ...FOUNDATION];
const sidewaysRules = DOMAINS.flatMap((domain) => [
  {
    name: `arrows-of-${domain}`,
    severity: 'error',
    from: { path: lib([domain]), pathNot: '\\.int-spec\\.ts$' },
    to: { path: '^(libs|apps|tools|test)/', pathNot: lib(mayUse(domain)) },
  },
  {
    name: `arrows-of-tests-of-${domain}`,
    severity: 'error',
    from: { path: `^libs/${domain}/.*\\.int-spec\\.ts$` },
    to: { path: '^(libs|apps|tools|test)/', pathNot: lib([...mayUse(domain), ...(TESTED_WITH[domain] ?? [])]) },
  },
]);
const wireRules = Object.entries(WIRE).map(([wire, domain]) => ({
  name: `arrows-of-${wire}`,
  severity: 'error',
  from: { path: lib([wire]) },
  to: { path: '^(libs|apps|tools|test)/', pathNot: lib([wire, domain, ...GRAMMAR, ...FOUNDATION]) },
}));

module.exports = {
  forbidden: [
    ...sidewaysRules,
    ...wireRules,
    {
      name: 'console-is-a-client',
      comment: 'The web console knows the platform only through the generated client.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(libs|apps|tools|test)/', pathNot: '^(apps/console|libs/api-client)/' },
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
      comment:
        'Every lib is in one of these lists. Add a new lib to the foundation, the backbone, the domains, the wire libs or the independent libs.',
      severity: 'error',
      from: {
        path: '^libs/',
        pathNot: lib([
          ...FOUNDATION,
          ...BACKBONE,
          ...DOMAINS,
          ...Object.keys(WIRE),
          ...ALONE,
          ...CLIENT_SIDE,
          ...GRAMMAR,
        ]),
      },
      to: {},
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'foundation-knows-foundation',
      severity: 'error',
      from: { path: lib(FOUNDATION) },
      to: { path: '^(libs|apps|tools|test)/', pathNot: lib(FOUNDATION) },
    },
    {
      name: 'backbone-knows-no-domain',
      comment: 'An integration test may start separate servers in order to kill them.',
      severity: 'error',
      from: { path: lib(BACKBONE), pathNot: '\\.int-spec\\.ts$' },
      to: { path: '^(libs|apps|tools|test)/', pathNot: lib([...FOUNDATION, ...BACKBONE]) },
    },
    {
      name: 'alone-is-alone',
      severity: 'error',
      from: { path: '^libs/(rego|api-client)/' },
      to: { path: '^(libs|apps|tools|test)/|@nestjs|typeorm', pathNot: '^libs/$1/' },
    },
    {
      name: 'grammar-is-pure',
      severity: 'error',
      from: { path: lib(GRAMMAR) },
      to: { path: '^(libs|apps|tools|test)/|@nestjs|typeorm', pathNot: lib([...GRAMMAR, 'kernel']) },
    },
    {
      name: 'client-side-is-a-client',
      severity: 'error',
      from: { path: lib(CLIENT_SIDE) },
      to: {
        path: '^(libs|apps|tools|test)/|@nestjs|typeorm',
        pathNot: lib([...CLIENT_SIDE, ...GRAMMAR, 'api-client', 'kernel', 'testing']),
      },
    },
    {
      name: 'the-tool-server-is-a-client',
      comment: 'It owns no data: it calls the platform API with the key of its caller.',
      severity: 'error',
      from: { path: '^apps/tool-server/' },
      to: { path: '^libs/', pathNot: lib([...CLIENT_SIDE, 'config', 'kernel', 'metrics', 'observability', 'testing']) },
    },
    {
      name: 'public-face-only',
      comment: 'Code outside a lib imports it by its name, that is, through its index.ts.',
      severity: 'error',
      from: { path: '^(apps|tools|test|bench|examples)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: `^libs/[^/]+/src/index\\.ts$|${TEST_FACE}` },
    },
    {
      name: 'public-face-only-between-libs',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: `^libs/[^/]+/src/index\\.ts$|^libs/$1/|${TEST_FACE}` },
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
      to: { path: '^libs/', pathNot: lib(['api-client', 'config', 'observability', 'kernel', 'testing', ...GRAMMAR]) },
    },
    {
      name: 'the-command-line-is-a-client',
      comment: 'It is installed apart from the platform and starts fast.',
      severity: 'error',
      from: { path: '^apps/cli/' },
      to: { path: '^(libs|tools)/|@nestjs', pathNot: lib(['api-client', ...CLIENT_SIDE]) },
    },
    {
      name: 'domains-do-not-know-http',
      comment: 'The test support of the event streams serves them over HTTP.',
      severity: 'error',
      from: { path: lib([...DOMAINS, ...BACKBONE]), pathNot: '/src/testing/' },
      to: { path: 'node_modules/(express|@nestjs/swagger|@nestjs/platform-express|class-validator)/|^libs/http/' },
    },
    {
      name: 'kernel-knows-no-http',
      severity: 'error',
      from: { path: lib(['kernel']), pathNot: '\\.spec\\.ts$' },
      to: { path: '^(node:)?https?2?$|node_modules/(express|@nestjs)/' },
    },
    {
      name: 'typeorm-in-its-place',
      comment: 'Only entities, repositories, modules and the database lib use TypeORM.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/(database|testing)/|\\.(entity|repository|module)\\.ts$' },
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
      from: { pathNot: '\\.(spec|int-spec|e2e-spec)\\.ts$|^(test|libs/testing|bench)/|/src/testing/' },
      to: { path: '^(test|libs/testing)/|/src/testing/' },
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
