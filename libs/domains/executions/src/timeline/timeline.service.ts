import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { traceIdFrom } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { executionNotFound } from '../executions/execution.errors.js';
import { TimelineRepository } from './timeline.repository.js';
import { attemptsOf, transitionsOf } from './timeline.js';
import type { LedgerEntry, Timeline, TracedExecution } from './timeline.types.js';

/** Reads the timelines of executions: their attempts and changes of status. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly timelines: TimelineRepository,
    private readonly database: Database,
  ) {}

  /**
   * Returns the attempts and changes of an execution, oldest first, up to its present status. If its ledger has more
   * than `MAX_ENTRIES` entries, returns those of the newest ones.
   */
  async read(scope: Scope, executionId: string): Promise<Timeline> {
    const [facts, entries] = await this.database.snapshot(async () => [
      await this.timelines.findFacts(scope, executionId),
      await this.timelines.findEntries(scope, executionId),
    ]);
    if (facts === undefined) throw executionNotFound();
    const { traceparent, ...execution } = facts;
    const trace_id = traceparent === null ? null : traceIdFrom(traceparent);
    return { ...execution, trace_id, attempts: attemptsOf(entries), transitions: transitionsOf(entries) };
  }

  /** Returns those of the executions that have ended and have a trace, in any order. */
  async findTraced(scope: Scope, ids: readonly string[]): Promise<TracedExecution[]> {
    const executions = await this.timelines.findTraced(scope, ids);
    const ledgers = new Map(executions.map(({ id }): [string, LedgerEntry[]] => [id, []]));
    for (const { execution_id, ...entry } of await this.timelines.findEntriesOf(scope, [...ledgers.keys()])) {
      ledgers.get(execution_id)?.push(entry);
    }
    return executions.map((execution) => ({ ...execution, attempts: attemptsOf(ledgers.get(execution.id) ?? []) }));
  }
}
