import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@app/testing';
import type { NatsServer } from '../../tools/provision/nats.js';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import { parentOf } from '../../tools/provision/process-identity.js';
import type { RedisServer } from '../../tools/provision/redis.js';
import type { TestedApp } from './tested-app.js';
import { random, recordFreeze } from './chaos.js';
import type { OwnServer } from './own-stores.js';

/** How long a process is dead or frozen: some leases (2 s) expire during that time, some do not. */
const OUTAGE_MS = { min: 200, max: 3500 };
/** A process that cannot start because a server is down is started again, as by its supervisor. */
const START_TIMEOUT_MS = 90_000;

/** A process or server of the platform. */
export interface Victim {
  readonly name: string;
  /** Kills it as a crash does, and starts it again after the outage. */
  kill(outageMs: number): Promise<void>;
  /** Suspends it, as a host that hangs does, and resumes it after the outage. */
  freeze(outageMs: number): Promise<void>;
}

interface Fault {
  /** In order of preference. */
  readonly victims: readonly Victim[];
  readonly type: 'kill' | 'freeze';
  readonly outageMs: number;
}

export function appVictim(name: string, app: TestedApp): Victim {
  return {
    name,
    async kill(outageMs) {
      await app.kill('SIGKILL');
      await sleep(outageMs);
      await eventually(() => app.restart(), START_TIMEOUT_MS);
    },
    freeze: (outageMs) => freeze(app.pid, outageMs),
  };
}

/** Loses its data in about half of its crashes. */
export function redisVictim(redis: OwnServer<RedisServer>): Victim {
  return {
    name: 'redis',
    async kill(outageMs) {
      await redis.kill();
      await sleep(outageMs);
      await redis.server.restart({ wipe: outageMs % 2 === 0 });
    },
    freeze: (outageMs) => freeze(redis.server.pid, outageMs),
  };
}

export function postgresVictim(postgres: OwnServer<PostgresServer>): Victim {
  return {
    name: 'postgres',
    async kill(outageMs) {
      await postgres.kill();
      await sleep(outageMs);
      await postgres.server.restart();
    },
    freeze: (outageMs) => freeze(postgres.server.pid, outageMs),
  };
}

export function natsVictim(nats: OwnServer<NatsServer>): Victim {
  return {
    name: 'nats',
    async kill(outageMs) {
      await nats.kill();
      await sleep(outageMs);
      await nats.server.restart();
    },
    freeze: (outageMs) => freeze(nats.server.pid, outageMs),
  };
}

/**
 * Injects `count` faults, two at a time, in random order: each type of fault on each kind of victim equally often
 * (the numbers differ by at most one). Awaits `between` before each fault. `kinds` are the victims of each kind.
 */
export async function inflictFaults(
  count: number,
  kinds: readonly (readonly Victim[])[],
  between: () => Promise<void>,
): Promise<void> {
  const faults = plan(count, kinds);
  const affected = new Set<Victim>();
  const inflictAll = async (): Promise<void> => {
    while (faults.length > 0) {
      await between();
      const index = faults.findIndex(({ victims }) => victims.some((victim) => !affected.has(victim)));
      const [fault] = index < 0 ? [] : faults.splice(index, 1);
      const victim = fault?.victims.find((candidate) => !affected.has(candidate));
      if (fault === undefined || victim === undefined) {
        // Only victims of the other loop are left.
        await sleep(50);
        continue;
      }
      affected.add(victim);
      process.stderr.write(`${fault.type} ${victim.name} for ${fault.outageMs} ms\n`);
      await victim[fault.type](fault.outageMs);
      affected.delete(victim);
    }
  };
  await Promise.all([inflictAll(), inflictAll()]);
}

/** Decides everything before the first fault, so that a seed repeats it. */
function plan(count: number, kinds: readonly (readonly Victim[])[]): Fault[] {
  const faults: Fault[] = [];
  while (faults.length < count) {
    const round = kinds.flatMap((victims) =>
      (['kill', 'freeze'] as const).map((type): Fault => ({
        victims: shuffled(victims),
        type,
        outageMs: OUTAGE_MS.min + Math.floor(random() * (OUTAGE_MS.max - OUTAGE_MS.min)),
      })),
    );
    faults.push(...shuffled(round));
  }
  return faults.slice(0, count);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, two) => one.rank - two.rank)
    .map(({ item }) => item);
}

/** PostgreSQL has a process per connection. Without /proc, only the one that accepts connections is frozen. */
async function freeze(pid: number, outageMs: number): Promise<void> {
  recordFreeze();
  // The parent first, so that it starts no further children.
  signalIfAlive(pid, 'SIGSTOP');
  const children = childrenOf(pid);
  for (const child of children) signalIfAlive(child, 'SIGSTOP');
  await sleep(outageMs);
  for (const frozen of [pid, ...children]) signalIfAlive(frozen, 'SIGCONT');
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  return listProcesses().filter((pid) => parentOf(pid) === parent);
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
