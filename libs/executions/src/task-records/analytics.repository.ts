import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { SummaryFilter } from './task-record.types.js';

export interface Count {
  readonly what: string;
  readonly count: number;
}

/** How many of what there are, for the summary. */
@Injectable()
export class AnalyticsRepository {
  constructor(private readonly database: Database) {}

  async executionsByStatus(scope: Scope, filter: SummaryFilter): Promise<Count[]> {
    return this.count('SELECT status AS what, count(*)::integer AS count FROM executions', 'id', scope, filter);
  }

  async tasksByStatus(scope: Scope, filter: SummaryFilter): Promise<Count[]> {
    return this.count(
      'SELECT status AS what, count(*)::integer AS count FROM task_records',
      'execution_id',
      scope,
      filter,
    );
  }

  async recordsByKind(scope: Scope, filter: SummaryFilter): Promise<Count[]> {
    return this.count(
      'SELECT kind AS what, count(*)::integer AS count FROM execution_records',
      'execution_id',
      scope,
      filter,
    );
  }

  private async count(
    select: string,
    executionColumn: 'id' | 'execution_id',
    scope: Scope,
    filter: SummaryFilter,
  ): Promise<Count[]> {
    return this.database.sql<Count>(
      `${select} WHERE organization_id = $1 AND ($2::text IS NULL OR ${executionColumn} = $2)
         AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at < $4)
       GROUP BY 1 ORDER BY 1`,
      [scope.organizationId, filter.executionId ?? null, filter.from ?? null, filter.to ?? null],
    );
  }
}
