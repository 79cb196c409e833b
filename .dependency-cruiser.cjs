// Which arrow may exist. Arrows point down (apps, domains, backbone, foundation), sideways only where listed here.
const FOUNDATION = ['kernel', 'config', 'observability', 'database', 'connections', 'http', 'testing'];
const BACKBONE = ['dispatch', 'events'];
const ALONE = ['rego', 'api-client'];

/** Sideways arrows between domains, from each to those it may use. A new one is a decision: list it with its reason. */
const SIDEWAYS = {
  // An organisation is made with its default environment and worker queue.
  identity: ['environments'],
  models: [],
  environments: [],
  // Running an agent makes an execution on a queue of one of its environments.
  agents: ['environments', 'executions'],
  executions: [],
  // A team's members are agents, who know their team; running it makes an execution where its members belong.
  teams: ['agents', 'environments', 'executions'],
  // A job starts executions of agents and teams on queues.
  jobs: ['agents', 'environments', 'executions', 'teams'],
  // A task is an execution of an agent, asked for by name and parameters.
  tasks: ['agents', 'environments', 'executions'],
  // A run brings together what a worker is given with its lease: agent or team, model, variables. What a worker says
  // concerns itself and the executions it holds; work waits in queues that may be gone.
  runs: ['agents', 'environments', 'executions', 'models', 'teams'],
  // Policies apply along an agent, its team and their environments, decide on executions before they start, and are
  // written in Rego.
  policies: ['agents', 'environments', 'executions', 'teams', 'rego'],
};
const DOMAINS = Object.keys(SIDEWAYS);
const lib = (names) => `^libs/(${names.join('|')})/`;

const mayUse = (domain) => [domain, ...SIDEWAYS[domain], ...BACKBONE, ...FOUNDATION];
const sidewaysRules = DOMAINS.map((domain) => ({
  name: `arrows-of-${domain}`,
  severity: 'error',
  from: { path: lib([domain]) },
  to: { path: '^(libs|apps|tools|test)/', pathNot: lib(mayUse(domain)) },
}));

module.exports = {
  forbidden: [
    ...sidewaysRules,
    {
      name: 'every-lib-has-a-place',
      comment: 'A new lib is foundation, backbone, a domain or alone: say which, above.',
      severity: 'error',
      from: { path: '^libs/', pathNot: lib([...FOUNDATION, ...BACKBONE, ...DOMAINS, ...ALONE]) },
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
      comment: 'An integration test may start servers of its own, to kill them.',
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
      name: 'public-face-only',
      comment: 'A lib is used through its index.ts, by its name.',
      severity: 'error',
      from: { path: '^(apps|tools|test|bench)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: '^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'public-face-only-between-libs',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: '^libs/[^/]+/src/index\\.ts$|^libs/$1/' },
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
      to: { path: '^libs/', pathNot: lib(['api-client', 'config', 'observability', 'kernel', 'testing']) },
    },
    {
      name: 'domains-do-not-know-http',
      severity: 'error',
      from: { path: lib([...DOMAINS, ...BACKBONE]) },
      to: { path: 'node_modules/(express|@nestjs/swagger|@nestjs/platform-express|class-validator)/|^libs/http/' },
    },
    {
      name: 'typeorm-in-its-place',
      comment: 'Only entities, repositories, modules and the database lib know TypeORM.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/(database|testing)/|\\.(entity|repository|module)\\.ts$' },
      to: { path: 'node_modules/(typeorm|@nestjs/typeorm)/' },
    },
    {
      name: 'entities-are-private',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.(entity|repository|module)\\.ts$' },
      to: { path: '\\.entity\\.ts$' },
    },
    {
      name: 'tests-are-nobodys-dependency',
      severity: 'error',
      from: { pathNot: '\\.(spec|int-spec|e2e-spec)\\.ts$|^(test|libs/testing|bench)/' },
      to: { path: '^(test|libs/testing)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/|generated/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
};
