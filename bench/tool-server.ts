import type { ChildProcess } from 'node:child_process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '../tools/provision/free-port.js';
import { inTurn, toFigure, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';
import { median } from './statistics.js';

const NAME = 'bench-tool-server';
const MODEL = 'development-model';
const PROTOCOL = '2026-07-28';
const WARM_UP_CALLS = 20;
const NO_LIMIT = '1000000';

/** The list of tools, and a run of a workflow by a tool call, compared with a bare server of the same package. */
export async function toolServer(platform: BenchPlatform, rounds: number, calls: number): Promise<Figure[]> {
  const started: ChildProcess[] = [];
  const start = async (entry: string, env: Record<string, string>, ready = /listening on/): Promise<void> =>
    void started.push(await startProcess({ entry, env, ready }));
  const [gateway, api, tools, bare] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const apiUrl = `http://127.0.0.1:${api}`;
  const limits = { RATE_LIMIT_BURST: NO_LIMIT, RATE_LIMIT_PER_MINUTE: NO_LIMIT, RATE_LIMIT_PER_DAY: NO_LIMIT };
  const stores = { DATABASE_URL: platform.databaseUrl, REDIS_URL: platform.redisUrl };
  try {
    await start('tools/model-gateway/main', { MODEL_GATEWAY_PORT: String(gateway) });
    await start('bundles/platform-api', { ...stores, ...limits, PLATFORM_API_PORT: String(api) });
    await start('bundles/worker', workerSettings(platform, gateway), /worker ready/);
    await start('bundles/tool-server', {
      PLATFORM_API_URL: apiUrl,
      SERVICE_API_KEY: platform.key,
      TOOL_SERVER_PORT: String(tools),
    });
    const direct = { PLATFORM_API_URL: apiUrl, API_KEY: platform.key };
    await start('bench/baseline/mcp-server', { ...direct, MCP_PORT: String(bare) });
    await platform.call('POST', '/api/v1/workflows', {
      name: NAME,
      steps: [{ name: 'say', type: 'prompt', prompt: 'Go', model_id: MODEL }],
    });
    const [ours, baseline] = [await connect(tools), await connect(bare)];
    const listed = [() => baseline.listTools(), () => ours.listTools()].map((call) => medianOf(calls, call));
    const args = { name: NAME };
    const runs = [baseline, ours].map((client) =>
      medianOf(calls, () => client.callTool({ name: 'execute_workflow', arguments: args })),
    );
    return [
      await figure('tools/list, p50', 'a bare server of the same package', listed, rounds),
      await figure('execute_workflow, p50', 'the same run by a bare server of the same package', runs, rounds),
    ];
  } finally {
    for (const child of started.toReversed()) await stopProcess(child);
  }
}

function workerSettings(platform: BenchPlatform, gatewayPort: number): Record<string, string> {
  return {
    CONTROL_PLANE_URL: platform.url,
    WORKER_API_KEY: platform.key,
    WORKER_QUEUE: 'default',
    LLM_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}/v1`,
  };
}

async function connect(port: number): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: { pin: PROTOCOL } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  return client;
}

/** Returns a measurement of the median duration of sequential calls, in milliseconds. */
function medianOf(calls: number, call: () => Promise<unknown>): () => Promise<number> {
  return async () => {
    const durations: number[] = [];
    for (let n = 0; n < WARM_UP_CALLS + calls; n += 1) {
      const started = performance.now();
      await call();
      if (n >= WARM_UP_CALLS) durations.push(performance.now() - started);
    }
    return median(durations);
  };
}

async function figure(
  name: string,
  baselineIs: string,
  sides: readonly (() => Promise<number>)[],
  rounds: number,
): Promise<Figure> {
  const [baseline = [], ours = []] = await inTurn(sides, rounds);
  return toFigure({ name, unit: 'ms', baselineIs }, { ours, baseline, against: [] });
}
