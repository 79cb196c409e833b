import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ExecutionStatus } from '../executions/execution-state.js';
import type { RecordKind } from '../task-records/task-record.types.js';
import type { AnalyticsSummaryFilter } from './analytics.types.js';
import type { Counts } from './histogram.js';
import { daysStatement, recordsStatement, usageStatement } from './analytics-summary.sql.js';

/** Sums over executions. */
export interface UsageSums {
  readonly executions: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cost_nanos: number;
}

/**
 * An execution is counted in the row `all`, in the row of its agent or team, and in the row of its model, if it has
 * them.
 */
export interface UsageRow extends UsageSums {
  readonly kind: 'agent' | 'all' | 'model' | 'team';
  /** The agent, team or model; empty for `all`. */
  readonly key: string;
  readonly status: ExecutionStatus;
}

export interface DayRow extends UsageSums {
  readonly day: Date;
  /** Durations of the executions that ended. */
  readonly run: Counts;
}

export interface RecordRow {
  readonly kind: 'task' | RecordKind;
  /** Empty for tool calls, for turns, and for the tasks of all less frequent statuses together. */
  readonly status: string;
  readonly records: number;
}

export interface AnalyticsSummaryRows {
  readonly usage: readonly UsageRow[];
  readonly days: readonly DayRow[];
  readonly records: readonly RecordRow[];
}

@Injectable()
export class AnalyticsSummaryRepository {
  constructor(private readonly database: Database) {}

  /** Returns all rows, read from one snapshot. */
  async read({ organizationId }: Scope, filter: AnalyticsSummaryFilter): Promise<AnalyticsSummaryRows> {
    const usage = usageStatement(organizationId, filter);
    const days = daysStatement(organizationId, filter);
    const records = recordsStatement(organizationId, filter);
    return this.database.snapshot(async () => ({
      usage: await this.database.sql<UsageRow>(usage.text, usage.values),
      days: await this.database.sql<DayRow>(days.text, days.values),
      records: await this.database.sql<RecordRow>(records.text, records.values),
    }));
  }
}
