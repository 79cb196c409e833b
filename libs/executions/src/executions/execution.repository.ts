import { Database, isUniqueViolation } from '@app/database';
import { insertOutboxRows, type OutboxDraft } from '@app/dispatch';
import type { ExecutionRef } from '@app/events';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { countCte } from './execution-counts.sql.js';
import {
  patchStatement,
  requeueStatement,
  type PatchFields,
  type PatchGuard,
  type PatchStatement,
} from './execution-patch.sql.js';
import { EXECUTION, EXECUTION_ORDER } from './execution.columns.js';
import type { ExecutionEntity } from './execution.entity.js';
import { executionIdTaken } from './execution.errors.js';
import { FINAL_STATUSES, type ExecutionStatus } from './execution-state.js';
import type { Execution, ExecutionFilter, ExecutionOrder, Participant } from './execution.types.js';

export type NewExecution = Omit<
  ExecutionEntity,
  'duration_ms' | 'lease_token' | 'lease_worker_id' | 'lease_expires_at' | 'lease_ms' | 'command' | 'command_at'
>;

export interface PatchedExecution extends Execution {
  readonly attempt: number;
  readonly previous_status: ExecutionStatus;
}

@Injectable()
export class ExecutionRepository {
  constructor(private readonly database: Database) {}

  /** With the job's counters and the messages that follow, in one statement. */
  async insert(execution: NewExecution, messages: OutboxDraft | undefined): Promise<void> {
    try {
      await this.database.prepared('execution.insert', INSERT, [
        ...INSERTED.map((column) => written(execution[column])),
        messages?.rows ?? '[]',
      ]);
      messages?.send();
    } catch (error) {
      throw isUniqueViolation(error, 'pk_executions') ? executionIdTaken(execution.id) : error;
    }
  }

  async find(scope: Scope, id: string): Promise<Execution | undefined> {
    const [row] = await this.database.prepared<Execution>(
      'execution.find',
      `SELECT ${EXECUTION} FROM executions e WHERE e.organization_id = $1 AND e.id = $2`,
      [scope.organizationId, id],
    );
    return row;
  }

  /** Those of the ids that exist, in no order. */
  async findAll(scope: Scope, ids: readonly string[]): Promise<Execution[]> {
    return this.database.page<Execution>(
      { limit: ids.length },
      `SELECT ${EXECUTION} FROM executions e WHERE e.organization_id = $1 AND e.id = ANY($2)`,
      [scope.organizationId, ids],
    );
  }

  async findOrder(scope: Scope, id: string): Promise<ExecutionOrder | undefined> {
    const [row] = await this.database.sql<ExecutionOrder>(
      `SELECT ${EXECUTION_ORDER} FROM executions e WHERE e.organization_id = $1 AND e.id = $2`,
      [scope.organizationId, id],
    );
    return row;
  }

  /** Those of the given executions that are in a final state. */
  async findFinal(executions: readonly ExecutionRef[]): Promise<Execution[]> {
    return this.database.sql<Execution>(
      `SELECT ${EXECUTION} FROM unnest($1::text[], $2::text[]) AS asked (organization_id, id)
       JOIN executions e USING (organization_id, id) WHERE e.status = ANY($3)`,
      [
        executions.map(({ organizationId }) => organizationId),
        executions.map(({ executionId }) => executionId),
        FINAL_STATUSES,
      ],
    );
  }

  /** What decides whether a write may pass. */
  async findGuards(
    scope: Scope,
    id: string,
  ): Promise<Pick<ExecutionEntity, 'status' | 'lease_token' | 'job_id'> | undefined> {
    const [row] = await this.database.prepared<Pick<ExecutionEntity, 'status' | 'lease_token' | 'job_id'>>(
      'execution.find_guards',
      'SELECT status, lease_token, job_id FROM executions WHERE organization_id = $1 AND id = $2',
      [scope.organizationId, id],
    );
    return row;
  }

  /** Newest first. The page is found in an index alone: neither a deep page nor a rare status reads other rows. */
  async list(scope: Scope, filter: ExecutionFilter, page: Page): Promise<Listed<Execution>> {
    const values = [
      scope.organizationId,
      filter.status ?? null,
      filter.executionType ?? null,
      filter.entityId ?? null,
      filter.jobId ?? null,
    ];
    const where = `e.organization_id = $1
      AND ($2::text IS NULL OR e.status = $2) AND ($3::text IS NULL OR e.execution_type = $3)
      AND ($4::text IS NULL OR e.entity_id = $4) AND ($5::text IS NULL OR e.job_id = $5)`;
    const [items, counted] = await Promise.all([
      this.database.page<Execution>(
        page,
        `SELECT ${EXECUTION} FROM (
           SELECT e.organization_id, e.id FROM executions e WHERE ${where}
           ORDER BY e.created_at DESC, e.id DESC OFFSET $6 LIMIT $7
         ) listed JOIN executions e USING (organization_id, id)
         ORDER BY e.created_at DESC, e.id DESC`,
        [...values, page.skip, page.limit],
      ),
      this.database.sql<{ total: number }>(
        `SELECT count(*)::integer AS total FROM executions e WHERE ${where}`,
        values,
      ),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }

  /** Undefined when the execution is missing, when token or state forbid the write, or when it is parked and was to run. */
  async patch(guard: PatchGuard, fields: PatchFields): Promise<PatchedExecution | undefined> {
    return this.write(patchStatement(guard, fields));
  }

  /** Writes `running` to a parked execution, which makes it pending; undefined when it is not parked. */
  async requeue(guard: PatchGuard, fields: PatchFields): Promise<PatchedExecution | undefined> {
    return this.write(requeueStatement(guard, fields));
  }

  /** Locks the row until the transaction ends. */
  async lock(scope: Scope, id: string): Promise<void> {
    await this.database.sql('SELECT 1 AS one FROM executions WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
      scope.organizationId,
      id,
    ]);
  }

  /** Who takes part, and whether it goes on; locks the row until the transaction ends. */
  async lockParticipants(scope: Scope, id: string): Promise<Pick<Execution, 'status' | 'participants'> | undefined> {
    const [row] = await this.database.sql<Pick<Execution, 'status' | 'participants'>>(
      'SELECT status, participants FROM executions WHERE organization_id = $1 AND id = $2 FOR UPDATE',
      [scope.organizationId, id],
    );
    return row;
  }

  async noteMessage(scope: Scope, id: string, note: MessageNote): Promise<void> {
    await this.database.sql(
      `UPDATE executions SET last_message_at = $3, last_message_preview = $4, updated_at = $3,
         participants = coalesce($5, participants)
       WHERE organization_id = $1 AND id = $2`,
      [
        ...[scope.organizationId, id, note.at, note.preview],
        note.participants === undefined ? null : JSON.stringify(note.participants),
      ],
    );
  }

  private async write({ name, text, values }: PatchStatement): Promise<PatchedExecution | undefined> {
    const [row] = await this.database.prepared<PatchedExecution>(name, text, values);
    return row;
  }
}

export interface MessageNote {
  readonly at: Date;
  readonly preview: string | null;
  readonly participants?: readonly Participant[];
}

const INSERTED = [
  ...(['organization_id', 'id', 'execution_type', 'entity_id', 'entity_name', 'prompt', 'system_prompt'] as const),
  ...(['status', 'response', 'error_message', 'runner_name', 'user_id', 'user_name', 'user_email'] as const),
  ...(['user_avatar', 'usage', 'execution_metadata', 'participants', 'created_at', 'started_at'] as const),
  ...(['completed_at', 'updated_at', 'last_message_at', 'last_message_preview', 'job_id'] as const),
  ...(['parent_execution_id', 'trigger_type', 'trigger_metadata', 'config', 'execution_environment'] as const),
  ...(['traceparent', 'worker_queue_id', 'queued_at', 'attempt', 'max_attempts'] as const),
] as const satisfies (keyof NewExecution)[];

const INSERT = `
  WITH inserted AS (
    INSERT INTO executions (${INSERTED.join(', ')}) VALUES (${INSERTED.map((_column, index) => `$${index + 1}`).join(', ')})
    RETURNING organization_id, id, job_id, status
  ), ${countCte('inserted', 'new')}, messages AS (${insertOutboxRows(`$${INSERTED.length + 1}`)})
  SELECT 1 AS one`;

/** Objects and lists of the row are JSON columns. */
function written(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? JSON.stringify(value) : value;
}
