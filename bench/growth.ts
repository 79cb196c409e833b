import { Client } from 'pg';
import { inTurn, type Figure } from './figures.js';
import { percentiles } from './latency.js';
import { oneByOne } from './load.js';
import type { BenchPlatform } from './platform.js';

const MANY = 100_000;
const FEW = 1_000;

/** Finished executions of one job. Inserted by SQL: the API would take a minute. */
const FILL = `
  INSERT INTO executions (organization_id, id, execution_type, entity_id, prompt, status, response, usage,
    execution_metadata, participants, created_at, updated_at, job_id, trigger_type, trigger_metadata, config,
    execution_environment, attempt, max_attempts)
  SELECT organization_id, $1 || '-' || n, 'agent', entity_id, repeat('p', 300), 'completed', repeat('r', 600), '{}',
    '{}', '[]', now() - n * interval '1 second', now(), $1, 'manual', '{}', '{}', '{}', 1, 3
  FROM executions, generate_series(1, $2::int) n WHERE id = $3`;

/** A page of a job's executions, with the total, compared with the same page of a job with a hundredth of the executions. */
export async function growth(
  { call, databaseUrl }: BenchPlatform,
  executionId: string,
  rounds: number,
  count: number,
): Promise<Figure[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(FILL, ['job-of-many', MANY, executionId]);
  await database.query(FILL, ['job-of-few', FEW, executionId]);
  await database.query('VACUUM ANALYZE executions');
  await database.end();
  const page = async (job: string): Promise<void> => {
    const items = await call<unknown[]>('GET', `/api/v1/executions?job_id=${job}&limit=20`);
    if (items.length !== 20) throw new Error('The page is not full');
  };
  const [baseline = [], ours = []] = await inTurn(
    [() => oneByOne(count, () => page('job-of-few')), () => oneByOne(count, () => page('job-of-many'))],
    rounds,
  );
  return percentiles('a page of 20 of 100,000 executions', 'the same page of 1,000', ours, baseline);
}
