import type { ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../tools/provision/free-port.js';
import { inTurn, type Figure } from './figures.js';
import { callsAs, newOrganization } from './hostile-policies.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';

const MODELS = 100;

/**
 * The list of models while the gateway hangs, compared with a gateway that responds and with stored models without a
 * gateway. Each response has the same number of models. The control plane refreshes the list every second.
 */
export async function listModels(platform: BenchPlatform, rounds: number, count: number): Promise<Figure[]> {
  const responding = await startGateway(Infinity);
  const hanging = await startGateway(1);
  const sides = [
    await startSide(platform, responding.url),
    await startSide(platform, hanging.url),
    await startSide(platform, null),
  ];
  try {
    const [baseline = [], ours = [], without = []] = await inTurn(
      sides.map(
        ({ list }) =>
          () =>
            oneByOne(count, list),
      ),
      rounds,
    );
    return [
      ...percentiles(`list ${MODELS} models, the gateway hangs`, 'the gateway responds', ours, baseline),
      ...percentiles(
        `list ${MODELS} models, the gateway responds`,
        'stored models without a gateway',
        baseline,
        without,
      ),
    ];
  } finally {
    await Promise.all(sides.map(({ process }) => stopProcess(process)));
    for (const { server } of [responding, hanging]) {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** Starts a gateway that responds to the given number of requests and hangs at later ones. */
async function startGateway(responses: number): Promise<{ server: Server; url: string }> {
  const data = Array.from({ length: MODELS }, (_, n) => ({
    model_name: `acme/model-${n}`,
    model_info: { mode: 'chat', input_cost_per_token: n / 1e6, supports_function_calling: true },
  }));
  let left = responses;
  const server = createServer((_request, response) => {
    left -= 1;
    if (left >= 0) response.end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

interface Side {
  readonly process: ChildProcess;
  readonly list: () => Promise<unknown>;
}

/** Starts a control plane and an organization. Without a gateway, the organization stores as many models. */
async function startSide({ databaseUrl, redisUrl }: BenchPlatform, gatewayUrl: string | null): Promise<Side> {
  const port = String(await freePort());
  const gateway: Record<string, string> = gatewayUrl === null ? {} : { LLM_GATEWAY_URL: gatewayUrl };
  const process = await startProcess({
    entry: 'bundles/control-plane',
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      CONTROL_PLANE_PORT: port,
      CONTROL_PLANE_ROLE: 'http',
      ...gateway,
      MODEL_CATALOGUE_REFRESH_SECONDS: '1',
    },
    ready: /listening on/,
  });
  const call = callsAs(`http://127.0.0.1:${port}`, newOrganization(databaseUrl));
  const store = (): Promise<unknown> =>
    call('POST', '/api/v1/models', { value: `acme/${crypto.randomUUID()}`, label: 'Model', provider: 'acme' });
  if (gatewayUrl === null) await oneByOne(MODELS, store);
  const list = async (): Promise<void> => {
    const listed = await call<unknown[]>('GET', `/api/v1/models?limit=${MODELS}`);
    if (listed.length !== MODELS) throw new Error(`${listed.length} models are listed instead of ${MODELS}`);
  };
  await oneByOne(100, list);
  return { process, list };
}
