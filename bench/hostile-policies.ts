import { spawnSync } from 'node:child_process';
import { compiled } from '../tools/provision/project-root.js';
import { alone, inTurn, type Figure } from './figures.js';
import { holdLeases } from './held-leases.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform, Call } from './platform.js';
import { input, twentyRules } from './rego.js';

const HOSTILE_EVALUATIONS = 50;
/** More than the number of threads that evaluate policies. */
const HOSTILE_ORGANIZATIONS = 3;
const HELD_LEASES = 20;
/** Longer than the length of a lease. */
const ATTACK_MS = 20_000;

/** A public RSA key of 4,096 bits that has no private key. Verifying with it costs as much as with any other. */
const JWK = { kty: 'RSA', alg: 'RS256', n: `y${'A7'.repeat(340)}8`, e: 'AQAB' };
const KEY_SET = JSON.stringify({ keys: Array.from({ length: 80 }, (_key, at) => ({ ...JWK, kid: `k${at}` })) });
const TOKEN = [{ alg: 'RS256' }, { iss: 'bench' }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('A'.repeat(683))
  .join('.');

/** Rules that exhaust the budgets of time, steps and memory, each in a different way. */
const HOSTILE_RULES: readonly string[] = [
  // Loops.
  'some i in numbers.range(1, 100000); some j in numbers.range(1, 1000); i * j == -1',
  // A pattern of 7 KB whose automaton has millions of states.
  `regex.match("${'a{1000}'.repeat(1000)}", "a")`,
  // A pattern that repeats a pattern, over a long text.
  'some n in numbers.range(1, 1000); regex.match("(a*)*b", sprintf("%0*d", [20000, n]))',
  // Many alternatives of a glob.
  `some n in numbers.range(1, 100000); glob.match("{${'a*b?c,'.repeat(500)}d}", ["/"], sprintf("a/%d", [n]))`,
  // A set of eighty keys, all of which are tried.
  `some n in numbers.range(1, 1000); io.jwt.verify_rs256("${TOKEN}", \`${KEY_SET}\`); n < 0`,
  // Long texts.
  'some n in numbers.range(1, 100000); count(sprintf("%099999d", [n])) < 0',
  // Nested comprehensions.
  'count({[i, s] | some i in numbers.range(1, 1000); s := {j * i | some j in numbers.range(1, 1000)}}) < 0',
];

const hostilePolicy = (rule: string): string => `package a\n\ndeny contains "x" if { ${rule} }`;

/**
 * Evaluations of one organization while others keep fifty hostile ones running, compared with evaluations without them.
 * A worker of the organization holds leases during the measurement.
 */
export async function besideHostilePolicies(
  { call, url, key, databaseUrl }: BenchPlatform,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const hostile: (() => Promise<unknown>)[] = [];
  for (let organization = 0; organization < HOSTILE_ORGANIZATIONS; organization += 1) {
    const theirs = callsAs(url, newOrganization(databaseUrl));
    for (const rule of HOSTILE_RULES) hostile.push(await guardedAgent(theirs, hostilePolicy(rule)));
  }
  const quiet = await guardedAgent(call, twentyRules());
  await oneByOne(100, quiet);
  const leases = await holdLeases(url, key, call, HELD_LEASES);
  const measure = async (): Promise<number[]> => oneByOne(count, quiet);
  const measureBeside = async (): Promise<number[]> => {
    const over = new AbortController();
    const attack = async (evaluate: () => Promise<unknown>): Promise<void> => {
      while (!over.signal.aborted) await evaluate();
    };
    const attackers = Array.from({ length: HOSTILE_EVALUATIONS }, (_, n) => hostile[n % hostile.length] ?? quiet);
    const attacks = attackers.map(attack);
    const until = performance.now() + ATTACK_MS;
    const times: number[] = [];
    try {
      while (performance.now() < until) times.push(...(await measure()));
      return times;
    } finally {
      over.abort();
      await Promise.all(attacks);
    }
  };
  const [baseline = [], ours = []] = await inTurn([measure, measureBeside], rounds);
  const { renewed, lost } = await leases.end();
  const beside = `beside ${HOSTILE_EVALUATIONS} hostile evaluations of ${HOSTILE_ORGANIZATIONS} other organizations`;
  return [
    ...percentiles(`evaluate a policy ${beside}`, 'the same without them', ours, baseline),
    alone(`renewals of ${HELD_LEASES} leases ${beside}`, 'renewals', [renewed]),
    alone(`leases lost ${beside}`, 'leases', [lost]),
  ];
}

/** Creates an agent with a policy, and returns a function that evaluates it. */
async function guardedAgent(call: Call, policy_content: string): Promise<() => Promise<unknown>> {
  const name = `bench-${crypto.randomUUID()}`;
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name });
  const policy = await call<{ id: string }>('POST', '/api/v1/policies', { name, policy_content });
  const association = { policy_id: policy.id, entity_type: 'agent', entity_id: agent.id };
  await call('POST', '/api/v1/policies/associations', association);
  return () => call('POST', `/api/v1/policies/evaluate/agent/${agent.id}`, { input_data: input });
}

/** Returns the key of a new organization. */
export function newOrganization(databaseUrl: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiled('bundles/admin'), 'create-org', '--name', `bench-${crypto.randomUUID()}`],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl } },
  );
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { api_key: string }).api_key;
}

export function callsAs(url: string, key: string): Call {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
}
