import { compile } from '@app/rego';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform, Call } from './platform.js';
import { input, twentyRules } from './rego.js';

const POLICIES = 10;

/**
 * Ten policies of twenty rules that an agent inherits, evaluated over HTTP, compared with the same route without a
 * policy, with that route plus ten evaluations in this process instead of in a policy thread, and with the build of
 * `--against`.
 */
export async function inheritedPolicies(platform: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const { guarded, free } = await prepareRoutes(platform.call);
  const other = platform.against === null ? null : await prepareRoutes(platform.against.call);
  const queries = Array.from({ length: POLICIES }, () =>
    compile([{ name: 'bench.rego', text: twentyRules() }]).query('data.app.allow'),
  );
  const inProcess = async (): Promise<void> => {
    await free();
    if (!queries.every((query) => query.value({ input }) === true)) throw new Error('Every policy must allow');
  };
  await oneByOne(100, inProcess);
  const [unguarded = [], without = [], ours = [], against = []] = await inTurn(
    [free, inProcess, guarded, ...(other === null ? [] : [other.guarded])].map((side) => () => oneByOne(count, side)),
    rounds,
  );
  const name = 'evaluate ten inherited policies over HTTP';
  return [
    ...percentiles(name, 'the same route without a policy', ours, unguarded, against),
    ...percentiles(
      `${name}, in a thread`,
      'the route without a policy, plus ten evaluations in this process',
      ours,
      without,
    ),
  ];
}

interface Routes {
  /** A decision about ten policies. */
  readonly guarded: () => Promise<void>;
  /** A decision about no policy. */
  readonly free: () => Promise<void>;
}

async function prepareRoutes(call: Call): Promise<Routes> {
  const guarded = await newAgent(call);
  const free = await newAgent(call);
  for (let n = 0; n < POLICIES; n += 1) {
    const body = { name: `policy ${n}`, policy_content: twentyRules() };
    const policy = await call<{ id: string }>('POST', '/api/v1/policies', body);
    const entity = [guarded.environment, guarded.team, guarded.agent][n % 3];
    await call('POST', '/api/v1/policies/associations', { ...entity, policy_id: policy.id });
  }
  const evaluate = async ({ agent }: Agent, asked: number): Promise<void> => {
    const path = `/api/v1/policies/evaluate/agent/${agent.entity_id}`;
    const { allowed, policy_results } = await call<Evaluation>('POST', path, { input_data: input });
    if (!allowed || Object.keys(policy_results).length !== asked) throw new Error('Every policy must allow');
  };
  // The first decisions compile the policies in a new thread, which can exceed the time limit of a decision.
  await oneByOne(100, () => evaluate(guarded, POLICIES).catch(() => undefined));
  await oneByOne(100, () => evaluate(free, 0));
  return { guarded: () => evaluate(guarded, POLICIES), free: () => evaluate(free, 0) };
}

interface Evaluation {
  readonly allowed: boolean;
  readonly policy_results: object;
}

interface Agent {
  readonly agent: { readonly entity_type: string; readonly entity_id: string };
  readonly team: { readonly entity_type: string; readonly entity_id: string };
  readonly environment: { readonly entity_type: string; readonly entity_id: string };
}

/** Creates an agent in a new team and a new environment. */
async function newAgent(call: Call): Promise<Agent> {
  const name = `bench-${crypto.randomUUID()}`;
  const environment = await call<{ id: string }>('POST', '/api/v1/environments', { name });
  const team = await call<{ id: string }>('POST', '/api/v1/teams', { name });
  const belongs = { team_id: team.id, environment_ids: [environment.id] };
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name, ...belongs });
  return {
    agent: { entity_type: 'agent', entity_id: agent.id },
    team: { entity_type: 'team', entity_id: team.id },
    environment: { entity_type: 'environment', entity_id: environment.id },
  };
}
