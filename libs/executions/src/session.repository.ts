import { Database } from '@app/database';
import type { JsonObject, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionMessageEntity } from './execution-message.entity.js';
import type { ExecutionSession, SaveSession } from './session.types.js';

@Injectable()
export class SessionRepository {
  constructor(private readonly database: Database) {}

  async find(scope: Scope, executionId: string): Promise<ExecutionSession | undefined> {
    const [row] = await this.database.sql<ExecutionSession>(
      `SELECT execution_id, session_id, user_id, messages, metadata, created_at, updated_at
       FROM execution_sessions WHERE organization_id = $1 AND execution_id = $2`,
      [scope.organizationId, executionId],
    );
    return row;
  }

  /** What is not given stays as it was. */
  async save(scope: Scope, executionId: string, session: SaveSession, now: Date): Promise<ExecutionSession> {
    const [row] = await this.database.sql<ExecutionSession>(
      `INSERT INTO execution_sessions AS session
         (organization_id, execution_id, session_id, user_id, messages, metadata, created_at, updated_at)
       VALUES ($1, $2, $3, $4, coalesce($5::json, '[]'), coalesce($6::json, '{}'), $7, $7)
       ON CONFLICT (organization_id, execution_id) DO UPDATE SET
         session_id = coalesce($3, session.session_id), user_id = coalesce($4, session.user_id),
         messages = coalesce($5::json, session.messages), metadata = coalesce($6::json, session.metadata),
         updated_at = $7
       RETURNING execution_id, session_id, user_id, messages, metadata, created_at, updated_at`,
      [
        ...[scope.organizationId, executionId, session.session_id ?? null, session.user_id ?? null],
        ...[written(session.messages), written(session.metadata), now],
      ],
    );
    if (row === undefined) throw new Error('The session was not written');
    return row;
  }

  async insertMessage(scope: Scope, executionId: string, id: string, message: JsonObject, now: Date): Promise<void> {
    await this.database.insert(ExecutionMessageEntity, {
      organization_id: scope.organizationId,
      execution_id: executionId,
      message_id: id,
      message,
      created_at: now,
    });
  }

  /** Messages sent into the execution, oldest first. */
  async messages(scope: Scope, executionId: string): Promise<readonly JsonObject[]> {
    const rows = await this.database.sql<{ message: JsonObject }>(
      `SELECT message FROM execution_messages WHERE organization_id = $1 AND execution_id = $2
       ORDER BY created_at, message_id`,
      [scope.organizationId, executionId],
    );
    return rows.map(({ message }) => message);
  }
}

function written(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
