import { Client } from 'pg';
import { inTurn, toFigure, alone, type Figure } from '../figures.js';
import { percentiles } from '../latency.js';
import { prune } from './background.js';
import { RETENTION_DAYS } from './fill.sql.js';
import type { SizedPlatform } from './sized-platform.js';

/**
 * Batches of retention one after the other, and triggers beside them, compared with triggers alone. Then how much of the
 * table is dead, how long VACUUM takes, and whether later executions fill the space.
 */
export async function retentionBesideTriggers(
  platform: SizedPlatform,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const { database, build, size } = platform;
  const of = `of ${size.executions.toLocaleString('en')} executions`;
  const before = new Date(Date.now() - RETENTION_DAYS * 86_400_000);
  const rates: number[] = [];
  const quiet = (): Promise<number[]> => triggersFor(platform, seconds);
  const beside = async (): Promise<number[]> => {
    const pruning = new Client({ connectionString: build.databaseUrl });
    await pruning.connect();
    const stop = new AbortController();
    const deleting = pruneUntil(stop, () => prune(pruning, before));
    const times = await triggersFor(platform, seconds, stop.signal);
    stop.abort();
    rates.push(await deleting);
    await pruning.end();
    return times;
  };
  const bytesBefore = await tableBytes(database);
  const [baseline = [], ours = []] = await inTurn([quiet, beside], rounds);
  const dead = await deadRows(database);
  const started = performance.now();
  await database.query('VACUUM ANALYZE executions');
  const vacuumSeconds = (performance.now() - started) / 1000;
  const bytesAfter = await tableBytes(database);
  return [
    alone(`retention ${of}, deleted beside triggers`, '/s', rates),
    ...percentiles(`trigger beside the retention ${of}`, 'the same without the retention', ours, baseline),
    alone(`retention ${of}, dead rows afterwards`, '', [dead]),
    alone(`retention ${of}, VACUUM afterwards`, 's', [vacuumSeconds]),
    toFigure(
      { name: `retention ${of}, table and indexes`, unit: 'MB', baselineIs: 'before' },
      { ours: [bytesAfter / 1e6], baseline: [bytesBefore / 1e6], against: [] },
    ),
  ];
}

/** Triggers a job, each after the response to the previous one. Returns the durations in milliseconds. */
async function triggersFor(
  { build: { call }, setting: { jobId } }: SizedPlatform,
  seconds: number,
  signal = new AbortController().signal,
): Promise<number[]> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  while (performance.now() < end && !signal.aborted) {
    const started = performance.now();
    await call('POST', `/api/v1/jobs/${jobId}/trigger`, { parameters: { name: 'Ada' } });
    times.push(performance.now() - started);
  }
  return times;
}

/** Returns the deleted executions per second. Aborts when none is left. */
async function pruneUntil(stop: AbortController, batch: () => Promise<number>): Promise<number> {
  const started = performance.now();
  let deleted = 0;
  while (!stop.signal.aborted) {
    const rows = await batch();
    if (rows === 0) stop.abort();
    deleted += rows;
  }
  if (deleted === 0) throw new Error('There were not enough expired executions: measure fewer rounds');
  return deleted / ((performance.now() - started) / 1000);
}

async function tableBytes(database: Client): Promise<number> {
  const { rows } = await database.query<{ bytes: string }>(
    `SELECT pg_total_relation_size('executions')::text AS bytes`,
  );
  return Number(rows[0]?.bytes);
}

async function deadRows(database: Client): Promise<number> {
  const { rows } = await database.query<{ dead: string }>(
    `SELECT n_dead_tup::text AS dead FROM pg_stat_user_tables WHERE relname = 'executions'`,
  );
  return Number(rows[0]?.dead);
}
