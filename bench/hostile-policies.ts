import { spawnSync } from 'node:child_process';
import { compiled } from '../tools/provision/project-root.js';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform, Call } from './platform.js';
import { input, twentyRules } from './rego.js';

const HOSTILE_EVALUATIONS = 50;
/** Uses up every budget of time and steps. */
const HOSTILE_POLICY =
  'package a\n\ndeny contains "x" if { some i in numbers.range(1, 100000); some j in numbers.range(1, 1000); i * j == -1 }';

/** Evaluations of one organization while another one keeps fifty hostile ones running, beside those without them. */
export async function besideHostilePolicies(
  { call, url, databaseUrl }: BenchPlatform,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const hostile = await guardedAgent(callsAs(url, newOrganization(databaseUrl)), HOSTILE_POLICY);
  const quiet = await guardedAgent(call, twentyRules());
  await oneByOne(100, quiet);
  const measure = async (): Promise<number[]> => oneByOne(count, quiet);
  const measureBeside = async (): Promise<number[]> => {
    const over = new AbortController();
    const attack = async (): Promise<void> => {
      while (!over.signal.aborted) await hostile();
    };
    const attacks = Array.from({ length: HOSTILE_EVALUATIONS }, attack);
    try {
      return await measure();
    } finally {
      over.abort();
      await Promise.all(attacks);
    }
  };
  const [limit = [], ours = []] = await inTurn([measure, measureBeside], rounds);
  const name = `evaluate a policy beside ${HOSTILE_EVALUATIONS} hostile evaluations of another organization`;
  return percentiles(name, 'the same without them', ours, limit);
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
    [compiled('tools/admin/main'), 'create-org', '--name', `bench-${crypto.randomUUID()}`],
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
