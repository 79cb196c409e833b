import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionSummaryRepository } from './execution-summary.repository.js';
import type {
  ExecutionSummary,
  SummaryCount,
  ExecutionSummaryFilter,
  SummaryOrder,
} from './execution-summary.types.js';

/** Counting stops at this number, so that its cost does not grow with the table. */
const COUNT_LIMIT = 10_000;

/** Executions without their texts, for tables that are filtered, ordered and refreshed often. */
@Injectable()
export class ExecutionSummaryService {
  constructor(private readonly summaries: ExecutionSummaryRepository) {}

  /**
   * Returns a page without a total; see `count`. In the order of `completed_at`, only executions that have ended are
   * listed; in the order of `queued_at`, only queued executions that have not ended.
   */
  async list(
    scope: Scope,
    filter: ExecutionSummaryFilter,
    order: SummaryOrder,
    page: Page,
  ): Promise<PageResult<ExecutionSummary>> {
    return this.summaries.list(scope, filter, order, page);
  }

  /** Counts the executions that `list` returns, up to 10,000. */
  async count(scope: Scope, filter: ExecutionSummaryFilter, order: SummaryOrder): Promise<SummaryCount> {
    const count = await this.summaries.count(scope, filter, order, COUNT_LIMIT + 1);
    return { count: Math.min(count, COUNT_LIMIT), exact: count <= COUNT_LIMIT };
  }
}
