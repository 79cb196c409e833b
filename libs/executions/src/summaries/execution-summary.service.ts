import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionSummaryRepository } from './execution-summary.repository.js';
import type {
  ExecutionSummary,
  SummaryCount,
  ExecutionSummaryFilter,
  SummaryOrder,
} from './execution-summary.types.js';

/** A count stops here: its cost does not grow with the table. */
const COUNT_LIMIT = 10_000;

/** Executions without their texts, for tables that are filtered, ordered and refreshed often. */
@Injectable()
export class ExecutionSummaryService {
  constructor(private readonly summaries: ExecutionSummaryRepository) {}

  /**
   * Not counted; see `count`. Ordered by `completed_at`, only executions that have ended are listed; by `queued_at`, only
   * those that have not and were queued.
   */
  async list(
    scope: Scope,
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
    page: Page,
  ): Promise<PageResult<ExecutionSummary>> {
    return this.summaries.list(scope, filter, order, page);
  }

  /** Counts what `list` lists, up to 10,000. */
  async count(scope: Scope, filter: ExecutionSummaryFilter, order: SummaryOrder): Promise<SummaryCount> {
    const count = await this.summaries.count(scope, filter, order, COUNT_LIMIT + 1);
    return { count: Math.min(count, COUNT_LIMIT), exact: count <= COUNT_LIMIT };
  }
}
