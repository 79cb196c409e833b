import { Database, GroupCommit, rejectDuplicate, statementOf, type ReportResult } from '@app/database';
import type { OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import { withoutUndefined, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { Any, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import { batchLimit, MAX_BATCH, MAX_BATCH_BYTES, MAX_BATCHES_IN_FLIGHT } from './batch-limit.js';
import { CONFIG_COLUMNS, EXECUTION_COLUMNS, OWNER_COLUMNS, REPEATABLE_COLUMNS } from './execution-columns.sql.js';
import { ExecutionEntity } from './execution.entity.js';
import { executionIdTaken } from './execution.errors.js';
import {
  FIND_DONE_EXECUTION,
  FIND_EXECUTION,
  FIND_EXECUTION_GUARDS,
  FIND_EXECUTIONS_IN,
  FIND_RECENT_BY_TRACE,
  FIND_TRACES,
  insertStatement,
  LOCK_EXECUTION,
} from './execution.sql.js';
import { WorkStoppedError } from '../stops/work-stops.js';
import { FINAL_STATUSES } from './execution-state.js';
import type {
  DoneExecution,
  Execution,
  ExecutionFilter,
  ExecutionGuards,
  ExecutionOwner,
  ExecutionWithConfig,
  NewExecution,
  Participant,
  RepeatableExecution,
} from './execution.types.js';

type PlannedDone = DoneExecution & Pick<ExecutionWithConfig, 'plan'>;

/** A new execution. */
interface Start {
  readonly organizationId: string;
  readonly id: string;
  /** The row, its source and its messages, as the statement reads them. */
  readonly json: string;
}

@Injectable()
export class ExecutionRepository {
  private readonly insertions = new GroupCommit<Start, boolean>((starts, done) => this.insertAll(starts, done), {
    keyOf: ({ organizationId, id }) => `${organizationId} ${id}`,
    holderOf: ({ organizationId }) => organizationId,
    bytesOf: ({ json }) => json.length,
    maxItems: MAX_BATCH,
    maxBytes: MAX_BATCH_BYTES,
    maxInFlight: MAX_BATCHES_IN_FLIGHT,
  });

  constructor(private readonly database: Database) {}

  /**
   * Inserts the execution, the counters of its job and its outbox messages, together with those of other callers outside a
   * transaction. Throws `conflict` if the id is in use, and `WorkStoppedError` if the source of the start is stopped.
   */
  async insert(execution: NewExecution, messages: OutboxDraft | undefined, sourceId: string | null): Promise<void> {
    const { organization_id: organizationId, id } = execution;
    const json = JSON.stringify({ execution, source_id: sourceId, messages: messages?.rows });
    const start = { organizationId, id, json };
    const insertion = this.database.isInTransaction ? this.insertAlone(start) : this.insertions.add(start);
    if (!(await rejectDuplicate(insertion, 'pk_executions', () => executionIdTaken(id)))) throw new WorkStoppedError();
    messages?.send();
  }

  async find({ organizationId }: Scope, id: string): Promise<Execution | undefined> {
    const [row] = await this.database.prepared<Execution>(FIND_EXECUTION, [organizationId, id]);
    return row;
  }

  /** Returns the executions with these ids, in any order. */
  async findByIds(scope: Scope, ids: readonly string[]): Promise<Execution[]> {
    const query = this.executions(scope, { id: Any(ids) });
    return this.database.boundedRows<Execution>(ids.length, statementOf(query));
  }

  /** Returns the users of the executions with these ids, in any order. */
  async findOwners(scope: Scope, ids: readonly string[]): Promise<ExecutionOwner[]> {
    const query = this.executions(scope, { id: Any(ids) }).select(OWNER_COLUMNS.map((column) => `execution.${column}`));
    return this.database.rows<ExecutionEntity, ExecutionOwner>(query);
  }

  async findTraces({ organizationId }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.prepared<{ id: string; traceparent: string }>(FIND_TRACES, [organizationId, ids]);
    return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
  }

  /** Returns up to `limit` executions of a trace that have not ended, or not before `endedSince`, oldest first. */
  async findRecentByTrace(
    { organizationId }: Scope,
    traceId: string,
    { endedSince, limit }: { readonly endedSince: Date; readonly limit: number },
  ): Promise<Execution[]> {
    return this.database.prepared<Execution>(FIND_RECENT_BY_TRACE, [organizationId, traceId, endedSince, limit]);
  }

  async findWithConfig(scope: Scope, id: string): Promise<ExecutionWithConfig | undefined> {
    const query = this.executions(scope, { id }).select(CONFIG_COLUMNS.map((column) => `execution.${column}`));
    const [row] = await this.database.rows<ExecutionEntity, ExecutionWithConfig>(query);
    return row;
  }

  async findRepeatable(scope: Scope, id: string): Promise<RepeatableExecution | undefined> {
    const query = this.executions(scope, { id }).select(REPEATABLE_COLUMNS.map((column) => `execution.${column}`));
    const [row] = await this.database.rows<ExecutionEntity, RepeatableExecution>(query);
    return row;
  }

  /** Returns what the `done` event of an execution contains, and its plan. */
  async findDone({ organizationId, executionId }: ExecutionRef): Promise<PlannedDone | undefined> {
    const [row] = await this.database.shared<PlannedDone>(FIND_DONE_EXECUTION, [organizationId, executionId]);
    return row;
  }

  /** Returns those of the executions that are in a final state. */
  async findFinal(executions: readonly ExecutionRef[]): Promise<Execution[]> {
    return this.database.sql<Execution>(FIND_EXECUTIONS_IN, [
      executions.map(({ organizationId }) => organizationId),
      executions.map(({ executionId }) => executionId),
      FINAL_STATUSES,
    ]);
  }

  async findGuards({ organizationId }: Scope, id: string): Promise<ExecutionGuards | undefined> {
    const [row] = await this.database.prepared<ExecutionGuards>(FIND_EXECUTION_GUARDS, [organizationId, id]);
    return row;
  }

  /**
   * Newest first. An index-only scan finds the page, so no other rows are read even for a deep page or a rare status.
   */
  async list(scope: Scope, filter: ExecutionFilter, page: Page): Promise<PageResult<Execution>> {
    const { status, executionType: execution_type, entityId: entity_id, jobId: job_id, sessionId: session_id } = filter;
    const where = withoutUndefined({ status, execution_type, entity_id, job_id, session_id });
    const query = this.executions(scope, where);
    return this.database.listPage<ExecutionEntity, Execution>(query.orderBy('execution.created_at', 'DESC'), page);
  }

  /** Locks the row until the transaction ends; returns false if there is none. */
  async lock({ organizationId }: Scope, id: string): Promise<boolean> {
    return (await this.database.prepared(LOCK_EXECUTION, [organizationId, id])).length > 0;
  }

  /** Returns status and participants, and locks the row until the transaction ends. */
  async lockParticipants(scope: Scope, id: string): Promise<Pick<Execution, 'status' | 'participants'> | undefined> {
    const query = this.executions(scope, { id }).select(['execution.status', 'execution.participants']);
    const [row] = await this.database.rows(query.setLock('pessimistic_write'));
    return row;
  }

  async recordMessage({ organizationId }: Scope, id: string, message: LastMessage): Promise<void> {
    const { at, preview, participants } = message;
    const executions = this.database.repository(ExecutionEntity);
    await executions.update(
      { organization_id: organizationId, id },
      {
        last_message_at: at,
        last_message_preview: preview,
        updated_at: at,
        ...withoutUndefined({ participants }),
      },
    );
  }

  /** Inserts executions, and reports for each whether it was inserted: false if its source is stopped. */
  private async insertAll(starts: readonly Start[], done: ReportResult<Start, boolean>): Promise<void> {
    const statement = insertStatement(batchLimit(starts.length));
    const rows = await this.database.prepared<{ id: string; organization_id: string }>(statement, [
      `[${starts.map(({ json }) => json).join(',')}]`,
    ]);
    const inserted = new Set(rows.map(({ organization_id, id }) => `${organization_id} ${id}`));
    for (const start of starts) done(start, inserted.has(`${start.organizationId} ${start.id}`));
  }

  private async insertAlone(start: Start): Promise<boolean> {
    let isInserted = false;
    await this.insertAll([start], (_start, result) => (isInserted = result === true));
    return isInserted;
  }

  private executions(
    { organizationId }: Scope,
    where: FindOptionsWhere<ExecutionEntity>,
  ): SelectQueryBuilder<ExecutionEntity> {
    return this.database
      .select(ExecutionEntity, 'execution', { ...where, organization_id: organizationId })
      .select(EXECUTION_COLUMNS.map((column) => `execution.${column}`));
  }
}

export interface LastMessage {
  readonly at: Date;
  readonly preview: string | null;
  readonly participants?: readonly Participant[];
}
