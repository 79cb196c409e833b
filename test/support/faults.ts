import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@app/testing';
import type { PostgresServer } from '../../tools/provision/postgres.js';
import type { RedisServer } from '../../tools/provision/redis.js';
import type { AppProcess } from './app-process.js';
import { random, recordFreeze } from './chaos.js';
import type { OwnServer } from './own-stores.js';

/** How long a process is dead or frozen: some leases (2 s) expire meanwhile, some do not. */
const OUTAGE_MS = { min: 200, max: 3500 };
/** A process that cannot start because a server is away is started again, as by its supervisor. */
const START_TIMEOUT_MS = 90_000;

/** A process or server of the platform. */
export interface Victim {
  readonly name: string;
  /** Kills it as a crash does, and starts it again after the outage. */
  kill(outageMs: number): Promise<void>;
  /** Stops it without ending it, as a host that hangs does, and lets it go on after the outage. */
  freeze(outageMs: number): Promise<void>;
}

interface Blow {
  readonly victims: readonly Victim[];
  readonly fault: 'kill' | 'freeze';
  readonly outageMs: number;
}

export function appVictim(name: string, app: AppProcess): Victim {
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

/** Loses its data in every second crash. */
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

/**
 * Inflicts `count` blows, two at a time, in random order: each fault on each kind of victim as often as any other, give or
 * take one. Awaits `between` before each blow. `kinds` are the victims of each kind.
 */
export async function inflictFaults(
  count: number,
  kinds: readonly (readonly Victim[])[],
  between: () => Promise<void>,
): Promise<void> {
  const blows = plan(count, kinds);
  const hurt = new Set<Victim>();
  const hand = async (): Promise<void> => {
    while (blows.length > 0) {
      await between();
      const index = blows.findIndex(({ victims }) => victims.some((victim) => !hurt.has(victim)));
      const [blow] = index < 0 ? [] : blows.splice(index, 1);
      const victim = blow?.victims.find((candidate) => !hurt.has(candidate));
      if (blow === undefined || victim === undefined) {
        // Only victims of the other hand are left.
        await sleep(50);
        continue;
      }
      hurt.add(victim);
      process.stderr.write(`${blow.fault} ${victim.name} for ${blow.outageMs} ms\n`);
      await victim[blow.fault](blow.outageMs);
      hurt.delete(victim);
    }
  };
  await Promise.all([hand(), hand()]);
}

/** Decides everything before the first blow, so that a seed repeats it. */
function plan(count: number, kinds: readonly (readonly Victim[])[]): Blow[] {
  const blows: Blow[] = [];
  while (blows.length < count) {
    const round = kinds.flatMap((victims) =>
      (['kill', 'freeze'] as const).map((fault): Blow => ({
        victims: shuffled(victims),
        fault,
        outageMs: OUTAGE_MS.min + Math.floor(random() * (OUTAGE_MS.max - OUTAGE_MS.min)),
      })),
    );
    blows.push(...shuffled(round));
  }
  return blows.slice(0, count);
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

function parentOf(pid: number): number | undefined {
  try {
    // The name in parentheses may contain spaces: the state and the parent follow the last parenthesis.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    // It has ended.
    return undefined;
  }
}
