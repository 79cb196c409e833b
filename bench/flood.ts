import { inTurn, type Figure } from './figures.js';
import { newOrganization } from './hostile-policies.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';

/**
 * Commands to an execution of one organization while another one sends commands with 64 callers, compared with the same
 * without them.
 */
export async function besideFlood(
  { call, url, databaseUrl }: BenchPlatform,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const key = newOrganization(databaseUrl);
  const own = await call<{ execution_id: string }>('POST', '/api/v1/executions/create', { prompt: 'x' });
  const change = { usage: { prompt_tokens: 100, completion_tokens: 20 } };
  const patch = (): Promise<unknown> => call('PATCH', `/api/v1/executions/${own.execution_id}`, change);
  await oneByOne(100, patch);
  const measure = (): Promise<number[]> => oneByOne(count, patch);
  const measureBeside = async (): Promise<number[]> => {
    const flood = await startProcess({
      entry: 'bench/flood-sender',
      env: { CONTROL_PLANE_URL: url, API_KEY: key },
      ready: /the flood runs/,
    });
    try {
      return await measure();
    } finally {
      await stopProcess(flood);
    }
  };
  const [baseline = [], ours = []] = await inTurn([measure, measureBeside], rounds);
  return percentiles(
    'PATCH an execution beside a flood of another organization',
    'the same without it',
    ours,
    baseline,
  );
}
