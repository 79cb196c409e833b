import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform, Call } from './platform.js';

const LAYERS = 50;
const IDS_PER_LAYER = 20;

/**
 * The context of an agent with 50 layers, resolved over HTTP, compared with the context of an agent that inherits
 * nothing.
 */
export async function resolvedContext({ call }: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const layered = await newLayeredAgent(call);
  const free = (await call<{ id: string }>('POST', '/api/v1/agents', { name: 'bench' })).id;
  const resolve = async (agent: string, layers: number): Promise<void> => {
    const resolved = await call<{ layers: object }>('GET', `/api/v1/agents/${agent}/context/resolved`);
    if (Object.keys(resolved.layers).length !== layers) throw new Error(`The context must have ${layers} layers`);
  };
  await oneByOne(50, () => resolve(layered, LAYERS));
  await oneByOne(50, () => resolve(free, 1));
  const [baseline = [], ours = []] = await inTurn(
    [() => oneByOne(count, () => resolve(free, 1)), () => oneByOne(count, () => resolve(layered, LAYERS))],
    rounds,
  );
  return percentiles('resolve a context with 50 layers over HTTP', 'the same route with one layer', ours, baseline);
}

/** Creates an agent in a team and as many environments as the layers need, each with a context. */
async function newLayeredAgent(call: Call): Promise<string> {
  const name = `bench-${crypto.randomUUID()}`;
  const environment_ids: string[] = [];
  for (let n = 0; n < LAYERS - 2; n += 1) {
    environment_ids.push((await call<{ id: string }>('POST', '/api/v1/environments', { name: `${name}-${n}` })).id);
  }
  const team = await call<{ id: string }>('POST', '/api/v1/teams', { name });
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name, team_id: team.id, environment_ids });
  const layers = [`team/${team.id}`, `agent/${agent.id}`, ...environment_ids.map((id) => `environment/${id}`)];
  for (const [n, layer] of layers.entries()) {
    const knowledge_uuids = Array.from({ length: IDS_PER_LAYER }, (_value, at) => `knowledge-${n + at}`);
    await call('PUT', `/api/v1/context/${layer}`, { knowledge_uuids });
  }
  return agent.id;
}
