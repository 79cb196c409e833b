import { Database } from '@app/database';
import { withoutUndefined, type JsonObject, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, MoreThanOrEqual, type SelectQueryBuilder } from 'typeorm';
import { IS_OPEN } from '../executions/execution-state.sql.js';
import { ExecutionEntity } from '../executions/execution.entity.js';
import { duration } from '../executions/execution-duration.sql.js';
import {
  SUMMARY_COLUMNS,
  type ExecutionSummary,
  type ExecutionSummaryFilter,
  type SummaryOrder,
} from './execution-summary.types.js';

const ERROR_LENGTH = 300;

/** The usage, or null if it is large: a client can report a megabyte, which a list must not read for each row. */
const USAGE = 'CASE WHEN octet_length(execution.usage::text) <= 10000 THEN execution.usage END';

/** The conditions that an order implies, as in its partial index. Executions that have ended wait in no queue. */
const OF_ORDER: Readonly<Record<string, readonly string[]>> = {
  completed_at: ['execution.completed_at IS NOT NULL'],
  queued_at: ['execution.queued_at IS NOT NULL', `execution.${IS_OPEN}`],
};

type SummaryRow = Omit<ExecutionSummary, 'total_tokens'> & { readonly usage: JsonObject | null };

/** Reads executions without their texts. Each order has an index that contains its column and the id. */
@Injectable()
export class ExecutionSummaryRepository {
  constructor(private readonly database: Database) {}

  async list(
    scope: Scope,
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
    page: Page,
  ): Promise<PageResult<ExecutionSummary>> {
    const query = this.executions(scope, filter, order)
      .select(SUMMARY_COLUMNS.map((column) => `execution.${column}`))
      .addSelect('execution.lease_worker_id', 'worker_id')
      .addSelect(`left(execution.error_message, ${ERROR_LENGTH})`, 'error_message')
      .addSelect(duration('execution'), 'duration_ms')
      .addSelect(USAGE, 'usage')
      .orderBy(`execution.${columnOf(order)}`, order.startsWith('-') ? 'DESC' : 'ASC');
    const listed = await this.database.listPage<ExecutionEntity, SummaryRow>(query, { ...page, total: false });
    return { ...listed, items: listed.items.map(({ usage, ...row }) => ({ ...row, total_tokens: tokensIn(usage) })) };
  }

  /** Returns the number of executions, at most `max`. */
  async count(scope: Scope, filter: ExecutionSummaryFilter, order: SummaryOrder, max: number): Promise<number> {
    return this.database.countUpTo(this.executions(scope, filter, order), max);
  }

  private executions(
    { organizationId }: Scope,
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
  ): SelectQueryBuilder<ExecutionEntity> {
    const { ids, statuses, minAttempt, from, to } = filter;
    const given = withoutUndefined({
      id: ids && Any(ids),
      status: statuses && (statuses.length === 1 ? statuses[0] : Any(statuses)),
      execution_type: filter.executionType,
      entity_id: filter.entityId,
      job_id: filter.jobId,
      worker_queue_id: filter.workerQueueId,
      lease_worker_id: filter.workerId,
      parent_execution_id: filter.parentExecutionId,
      session_id: filter.sessionId,
      user_id: filter.userId,
      trigger_type: filter.triggerType,
      cause: filter.cause,
      attempt: minAttempt && MoreThanOrEqual(minAttempt),
    });
    const column = columnOf(order);
    const query = this.database.select(ExecutionEntity, 'execution', { ...given, organization_id: organizationId });
    for (const condition of OF_ORDER[column] ?? []) query.andWhere(condition);
    // The condition allows the use of the index of causes, which contains only failed executions.
    if (filter.cause !== undefined) query.andWhere("execution.status = 'failed'");
    if (from !== undefined) query.andWhere(`execution.${column} >= :from`, { from });
    if (to !== undefined) query.andWhere(`execution.${column} < :to`, { to });
    return query;
  }
}

function columnOf(order: SummaryOrder): 'created_at' | 'completed_at' | 'queued_at' {
  return order.replace('-', '') as ReturnType<typeof columnOf>;
}

/** Reads the tokens defensively, because workers can report any usage. */
function tokensIn(usage: JsonObject | null): number | null {
  const tokens = usage?.['total_tokens'];
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null;
}
