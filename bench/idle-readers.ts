import { setTimeout as delay } from 'node:timers/promises';
import { alone, type Figure } from './figures.js';
import type { BenchPlatform } from './platform.js';
import { startProcess, stopProcess } from './processes.js';
import { residentMegabytes } from './rest.js';

/** Longer than the time between two keepalive comments, which every stream gets every 15 s. */
const IDLE_MS = 31_000;

/** What one idle reader of a stream costs the control plane: memory, and CPU for its keepalive comments. */
export async function idleReaders(platform: BenchPlatform, readers: number): Promise<Figure[]> {
  const { execution_id: id } = await platform.call<{ execution_id: string }>('POST', '/api/v1/executions/create', {
    prompt: 'x',
  });
  const cpuWithout = await cpuWhileIdle(platform);
  const before = await residentMegabytes(platform.pid);
  const clients = await startProcess({
    entry: 'bench/idle-reader-clients',
    env: {
      STREAM_URL: `${platform.url}/api/v1/executions/${id}/stream`,
      API_KEY: platform.key,
      READERS: String(readers),
    },
    ready: /all readers connected/,
    timeoutMs: 120_000,
  });
  try {
    const cpuMs = (await cpuWhileIdle(platform)) - cpuWithout;
    const megabytes = (await residentMegabytes(platform.pid)) - before;
    const name = `${readers.toLocaleString('en')} idle readers of a stream`;
    return [
      alone(`${name}, memory of each`, 'KB', [(megabytes * 1024) / readers]),
      alone(`${name}, CPU of each per minute`, 'µs', [(cpuMs * 1000 * 60_000) / IDLE_MS / readers]),
    ];
  } finally {
    await stopProcess(clients);
  }
}

async function cpuWhileIdle(platform: BenchPlatform): Promise<number> {
  const before = await platform.cpuMs();
  await delay(IDLE_MS);
  return (await platform.cpuMs()) - before;
}
