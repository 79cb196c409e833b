import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { createTestContext, type TestContext } from '@app/testing';
import { ExecutionService } from '../executions/execution.service.js';
import { ExecutionsModule } from '../executions.module.js';
import { FIND_STILL_WAITING } from '../worker-deliveries/delivery.sql.js';
import { startRequest } from '../testing/execution-fixtures.js';
import { OpenGateModule } from '../testing/open-gate.module.js';
import { CLAIM_EXECUTIONS, CLAIM_LOCKED_EXECUTIONS, CONFIRM_LEASES, FIND_COMMANDS } from './lease.sql.js';

/** What a poll costs must not depend on the number of executions that wait, also before PostgreSQL knows their number. */
describe('the statements of a poll', () => {
  const organizationId = newId();
  const queueId = newId();
  let context: TestContext;
  let executionId: string;

  beforeAll(async () => {
    context = await createTestContext([OpenGateModule, ExecutionsModule]);
    await context.database.sql('ALTER TABLE executions SET (autovacuum_enabled = false)');
    executionId = (await context.get(ExecutionService).start({ organizationId }, startRequest(queueId))).id;
    await context.database.sql(
      `INSERT INTO executions SELECT (json_populate_record(e, json_build_object('id', e.id || n))).*
       FROM executions e, generate_series(1, 2000) AS n WHERE e.organization_id = $1`,
      [organizationId],
    );
  });

  afterAll(() => context.close());

  /** Returns the indexes and scans of executions in the plan. */
  async function readsOf(statement: string, values: readonly unknown[]): Promise<readonly string[]> {
    const lines = await context.database.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`, values);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    const reads = [
      ...plan.matchAll(
        /(\w+executions\w*)(?= on executions)|(?:Seq|Bitmap Heap) Scan on executions|on (ix_executions\w+)/g,
      ),
    ];
    return [...new Set(reads.map(([all, index, bitmap]) => index ?? bitmap ?? all))];
  }

  it('acquire leases by the keys of the executions alone', async () => {
    const values = [organizationId, [executionId], [1], [newId()], queueId, newId(), 1000, 1000, null];
    for (const { text } of [CLAIM_EXECUTIONS, CLAIM_LOCKED_EXECUTIONS]) {
      expect(await readsOf(text, values)).toEqual(['pk_executions']);
    }
  });

  it('find commands in an index of commands alone', async () => {
    expect(await readsOf(FIND_COMMANDS.text, [organizationId, newId()])).toEqual(['ix_executions_commands']);
  });

  it('confirm leases by the keys of the executions alone', async () => {
    const values = [organizationId, newId(), [executionId], [newId()]];
    const reads = await readsOf(CONFIRM_LEASES.text, values);
    expect(reads.toSorted((a, b) => a.localeCompare(b))).toEqual(['ix_executions_commands', 'pk_executions']);
  });

  it('find the deliveries that still wait by the keys of the executions alone', async () => {
    const values = [queueId, [organizationId], [executionId], [1]];
    expect(await readsOf(FIND_STILL_WAITING, values)).toEqual(['pk_executions']);
  });
});
