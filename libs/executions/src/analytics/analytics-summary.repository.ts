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

/** An execution counts in `all` and in the rows of its agent or team and of its model, if it names them. */
export interface UsageRow extends UsageSums {
  readonly kind: 'agent' | 'all' | 'model' | 'team';
  /** The agent, team or model; empty for `all`. */
  readonly key: string;
  readonly status: ExecutionStatus;
}

export interface DayRow extends UsageSums {
  readonly day: Date;
  /** Durations of those that ended. */
  readonly run: Counts;
}

export interface RecordRow {
  readonly kind: 'task' | RecordKind;
  /** Empty for tool calls, turns and tasks with less frequent statuses. */
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

  /** All rows of one snapshot. */
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
