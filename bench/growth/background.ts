import { setTimeout as delay } from 'node:timers/promises';
import { PRUNE_EXECUTIONS } from '@app/executions';
import { oneByOne } from '../load.js';
import { percentile } from '../statistics.js';
import { RETENTION_DAYS } from './fill.sql.js';
import type { SizedPlatform } from './sized-platform.js';

interface BackgroundRow {
  readonly unit: string;
  readonly measure: (platform: SizedPlatform) => Promise<number>;
}

const REST_MS = 20_000;
const DUE_JOBS = 50;
const BATCHES = 5;
const BATCH_SIZE = 200;

/** What the dispatcher does by itself. */
export const backgroundRows: Readonly<Record<string, BackgroundRow>> = {
  'at rest, CPU of the control plane': {
    unit: 'ms/s',
    measure: async ({ build }) => {
      const before = await build.cpuMs();
      await delay(REST_MS);
      return ((await build.cpuMs()) - before) / (REST_MS / 1000);
    },
  },
  'at rest, time of statements in PostgreSQL': {
    unit: 'ms/s',
    measure: async (platform) => {
      const before = await activeMs(platform);
      await delay(REST_MS);
      return ((await activeMs(platform)) - before) / (REST_MS / 1000);
    },
  },
  [`${DUE_JOBS} cron jobs due at once, until the last has started`]: { unit: 'ms', measure: dueAtOnce },
  [`retention, a batch of ${BATCH_SIZE} executions`]: {
    unit: 'ms',
    measure: async ({ database }) => {
      const before = new Date(Date.now() - RETENTION_DAYS * 86_400_000);
      return percentile(await oneByOne(BATCHES, () => prune(database, before)), 0.5);
    },
  },
};

/** Deletes a batch of expired executions in the same way as the dispatcher. Returns how many were deleted. */
export async function prune(database: SizedPlatform['database'], before: Date): Promise<number> {
  const { rows } = await database.query<{ deleted: number }>(PRUNE_EXECUTIONS, [before, BATCH_SIZE]);
  return rows[0]?.deleted ?? 0;
}

async function activeMs({ database }: SizedPlatform): Promise<number> {
  const { rows } = await database.query<{ ms: number }>(
    'SELECT active_time AS ms FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.ms ?? Number.NaN;
}

/** Makes jobs of the measured organization due and waits for their executions. */
async function dueAtOnce({ database }: SizedPlatform): Promise<number> {
  const started = performance.now();
  await database.query(
    `UPDATE jobs SET next_execution_at = now(), enabled = true, entity_id = origin.entity_id
     FROM (SELECT entity_id FROM jobs WHERE name = 'bench' LIMIT 1) origin
     WHERE id IN (SELECT id FROM jobs WHERE engine_schedule_id IS NOT NULL ORDER BY id LIMIT ${DUE_JOBS})`,
  );
  const text = `SELECT count(*)::integer AS started FROM executions WHERE trigger_type = 'cron' AND created_at > now() - interval '10 minutes'`;
  while (((await database.query<{ started: number }>(text)).rows[0]?.started ?? 0) < DUE_JOBS) await delay(50);
  return performance.now() - started;
}
