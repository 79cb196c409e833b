import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { freePort } from '../../tools/provision/free-port.js';
import { call } from '../support/http.js';
import { recordKill } from '../support/chaos.js';
import { Platform } from '../support/platform.js';
import { Scenario } from '../support/scenario.js';

const RUNS = 20;

describe('a control plane of two processes on one port', () => {
  let platform: Platform;
  let user: Scenario;
  let metricsPort: number;

  beforeAll(async () => {
    metricsPort = await freePort();
    platform = await Platform.start({
      modelGateway: true,
      env: {
        DEFAULT_MODEL: 'development-model',
        CONTROL_PLANE_PROCESSES: '2',
        CONTROL_PLANE_METRICS_PORT: String(metricsPort),
        LEASE_CONFIRM_MS: '5000',
        LEASE_GRACE_MS: '8000',
      },
    });
    user = new Scenario(platform);
  });

  afterAll(() => platform.stop());

  /** The ids of the processes in the order of their starts. */
  const startedPids = (): number[] =>
    [...(platform.controlPlanes[0]?.process.log() ?? '').matchAll(/"pid":(\d+),.*"msg":"process started"/g)].map(
      ([, pid]) => Number(pid),
    );

  it('finishes all runs although one of the processes is killed, which is started again', async () => {
    await eventually(async () => {
      expect((await call('GET', `${platform.url}/api/health/ready`)).status).toBe(200);
    });
    const [killed, other] = startedPids();
    if (killed === undefined || other === undefined) throw new Error('Two processes were started');
    const queueId = await user.newQueue('several-processes');
    const agentId = await user.newAgent();
    await platform.startWorker({ WORKER_QUEUE: queueId, WORKER_CONCURRENCY: '8' });
    const runs: string[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      if (n === RUNS / 2) {
        recordKill();
        process.kill(killed, 'SIGKILL');
      }
      // A request to the process that is killed may fail; its client decides whether to repeat it.
      const run = await eventually(() => user.execute(agentId, `run ${n}`, queueId));
      runs.push(run);
    }
    for (const run of runs) expect(await user.waitUntilEnded(run)).toMatchObject({ status: 'completed' });
    await eventually(() => expect(startedPids()).toHaveLength(3));
    expect(startedPids().slice(0, 2)).toEqual([killed, other]);
  });

  it('has its own metrics in each process, and WebSockets that work in all of them', async () => {
    await eventually(async () => {
      for (const port of [metricsPort, metricsPort + 1]) {
        expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
      }
    });
    for (let n = 0; n < 4; n += 1) {
      const { body } = await call('GET', `${platform.url}/api/health/event-bus`);
      expect(JSON.stringify(body)).toMatch(/"websocket"/);
      expect(JSON.stringify(body)).not.toMatch(/"down"|"unavailable"/);
    }
  });

  it('ends all processes on SIGTERM', async () => {
    const app = platform.controlPlanes[0]?.process;
    const all = startedPids();
    expect(await app?.end('SIGTERM')).toBe(0);
    const alive = all.filter((pid) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    });
    expect(alive).toEqual([]);
  });
});
