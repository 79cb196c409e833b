import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../tools/provision/programs.js';
import { projectRoot } from '../../tools/provision/project-root.js';
import { ServerProcess } from '../../tools/provision/server-process.js';
import { waitUntil } from '../../tools/provision/wait-until.js';
import { isReady } from '../../tools/provision/is-ready.js';

const READY = { timeoutMs: 20_000, intervalMs: 50 };

export interface Service {
  /** As in `docker/haproxy.cfg`. */
  readonly name: 'control-plane' | 'platform-api';
  /** The port of the balancer. */
  readonly port: number;
  /** The ports of the processes. */
  readonly servers: readonly number[];
}

/** Starts HAProxy with `docker/haproxy.cfg`, with fixed servers instead of names. Throws if HAProxy is not installed. */
export async function startBalancer(folder: string, services: readonly Service[]): Promise<ServerProcess> {
  const haproxy = findProgram('haproxy');
  if (haproxy === undefined) throw new Error('HAProxy is missing: npm run programs');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(services));
  const balancer = await ServerProcess.start({
    command: haproxy.path,
    args: ['-db', '-f', file],
    parentDeathSignal: 'SIGTERM',
    logFile: join(folder, 'haproxy.log'),
    env: { ...process.env, ...haproxy.env },
  });
  for (const { name, port } of services) {
    const ready = await waitUntil(
      async () => (await isReady(`http://127.0.0.1:${port}/api/health/ready`)) || undefined,
      READY,
    );
    if (ready !== true) throw new Error(`The balancer does not reach a ${name}: ${readFileSync(file, 'utf8')}`);
  }
  return balancer;
}

function configuration(services: readonly Service[]): string {
  let text = readFileSync(join(projectRoot, 'docker', 'haproxy.cfg'), 'utf8')
    .replace(/^resolvers [\s\S]*?\n\n/m, '')
    .replace(' resolvers docker init-addr none', '');
  for (const { name, port, servers } of services) {
    const lines = servers.map((server, n) => `  server ${name}-${n} 127.0.0.1:${server}`).join('\n');
    text = text
      .replace(new RegExp(`(frontend ${name}\\n {2}bind) :\\d+`), `$1 127.0.0.1:${port}`)
      .replace(new RegExp(`^ {2}server-template ${name} .*$`, 'm'), lines);
  }
  return text;
}
