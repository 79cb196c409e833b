import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../tools/provision/free-port.js';
import { inTurn, toFigure, type Figure, type Rounds } from './figures.js';
import type { BenchPlatform, Call } from './platform.js';
import { cpuMs, startProcess, stopProcess } from './processes.js';

const STEPS = 20;
const QUEUE = 'bench-workflow-steps';
const PROMPT = 'Go';
const MODEL = 'development-model';
/** Until V8 has optimized the code of the path, in the control plane and in the worker. */
const WARM_UP_RUNS = 3;
const TIMEOUT_MS = 60_000;
const BASELINE = `${STEPS} single executions of an agent, one after the other`;

/** Read from the database, so that waiting costs no CPU time of the control plane. */
const FIND_END = 'SELECT status FROM executions WHERE id = $1 AND completed_at IS NOT NULL';

/** Duration, and CPU time of two processes, for a step or for a single execution, in milliseconds. */
interface Cost {
  readonly time: number;
  readonly controlPlane: number;
  readonly worker: number;
}

interface Started {
  readonly execution_id: string;
}

/**
 * A workflow whose steps run one after the other, compared with the same number of executions of an agent, one after the
 * other. Both run in the reference worker and send requests to the development model, which responds at once.
 */
export async function workflowSteps(platform: BenchPlatform, rounds: number, runs: number): Promise<Figure[]> {
  const database = new Client({ connectionString: platform.databaseUrl });
  await database.connect();
  await platform.call('POST', '/api/v1/environments/default/worker-queues', { name: QUEUE });
  const gatewayPort = await freePort();
  const gateway = await startProcess({
    entry: 'tools/model-gateway/main',
    env: { MODEL_GATEWAY_PORT: String(gatewayPort) },
    ready: /listening on/,
  });
  const worker = await startProcess({
    entry: 'bundles/worker',
    env: {
      CONTROL_PLANE_URL: platform.url,
      WORKER_API_KEY: platform.key,
      WORKER_QUEUE: QUEUE,
      LLM_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}/v1`,
    },
    ready: /worker ready/,
  });
  const workerCpuMs = (): Promise<number> => cpuMs(worker);
  const measure = (run: () => Promise<void>): Promise<Cost> => costOf(runs, run, platform.cpuMs, workerCpuMs);
  try {
    const { workflow, singles } = await prepare(platform.call, (id) => waitForEnd(database, id));
    for (const run of [workflow, singles]) await costOf(WARM_UP_RUNS, run, platform.cpuMs, workerCpuMs);
    const [baseline = [], ours = []] = await inTurn([() => measure(singles), () => measure(workflow)], rounds);
    return toFigures(ours, baseline);
  } finally {
    await Promise.all([stopProcess(worker), stopProcess(gateway), database.end()]);
  }
}

/** Returns a function that runs the steps of a workflow, and one that runs as many executions of an agent. */
async function prepare(
  call: Call,
  waitUntilEnded: (executionId: string) => Promise<void>,
): Promise<Record<'workflow' | 'singles', () => Promise<void>>> {
  const names = Array.from({ length: STEPS }, (_, n) => `step_${n}`);
  const workflow = await call<{ id: string }>('POST', '/api/v1/workflows', {
    name: QUEUE,
    steps: names.map((name, n) => ({
      name,
      type: 'prompt',
      prompt: PROMPT,
      model_id: MODEL,
      depends_on: names.slice(Math.max(0, n - 1), n),
    })),
  });
  const agent = await call<{ id: string }>('POST', '/api/v1/agents', { name: QUEUE, model_id: MODEL });
  const execute = async (path: string, body: object): Promise<void> => {
    const request = { ...body, worker_queue_id: QUEUE };
    await waitUntilEnded((await call<Started>('POST', `/api/v1/${path}/execute`, request)).execution_id);
  };
  return {
    workflow: () => execute(`workflows/${workflow.id}`, { params: {} }),
    singles: async () => {
      for (let n = 0; n < STEPS; n += 1) await execute(`agents/${agent.id}`, { prompt: PROMPT });
    },
  };
}

/** Throws if the execution did not complete, because the figures would be those of other work. */
async function waitForEnd(database: Client, executionId: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const [ended] = (await database.query<{ status: string }>(FIND_END, [executionId])).rows;
    if (ended?.status === 'completed') return;
    if (ended !== undefined) throw new Error(`The execution ${executionId} ended as ${ended.status}`);
    await sleep(1);
  }
  throw new Error(`The execution ${executionId} did not end in time`);
}

async function costOf(
  runs: number,
  run: () => Promise<void>,
  controlPlaneCpuMs: () => Promise<number>,
  workerCpuMs: () => Promise<number>,
): Promise<Cost> {
  const [controlPlane, worker] = [await controlPlaneCpuMs(), await workerCpuMs()];
  const started = performance.now();
  for (let n = 0; n < runs; n += 1) await run();
  const perStep = (value: number): number => value / (runs * STEPS);
  return {
    time: perStep(performance.now() - started),
    controlPlane: perStep((await controlPlaneCpuMs()) - controlPlane),
    worker: perStep((await workerCpuMs()) - worker),
  };
}

function toFigures(ours: readonly Cost[], baseline: readonly Cost[]): Figure[] {
  const each = (part: keyof Cost): Rounds => ({
    ours: ours.map((cost) => cost[part]),
    baseline: baseline.map((cost) => cost[part]),
    against: [],
  });
  const name = `workflow of ${STEPS} instant steps`;
  return [
    toFigure({ name: `${name}, time per step`, unit: 'ms', baselineIs: BASELINE }, each('time')),
    toFigure({ name: `${name}, CPU of the control plane`, unit: 'ms', baselineIs: BASELINE }, each('controlPlane')),
    toFigure({ name: `${name}, CPU of the worker`, unit: 'ms', baselineIs: BASELINE }, each('worker')),
  ];
}
