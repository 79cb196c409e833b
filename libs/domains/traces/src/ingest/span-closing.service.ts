import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { IngestRepository, type OpenExecution } from './ingest.repository.js';
import { updatedTrace } from './trace-batch.js';

const MESSAGE = 'The execution ended while the span was open';

/** An execution that has ended, some of whose spans may be open for ever, because the worker that began them was lost. */
export type OpenSpansOf = Omit<OpenExecution, 'day'>;

/** Ends spans that nobody else will end, because a trace with an open span counts as running. */
@Injectable()
export class SpanClosingService {
  constructor(
    private readonly database: Database,
    private readonly repository: IngestRepository,
  ) {}

  /** Idempotent. */
  async close(scope: Scope, executions: readonly OpenSpansOf[]): Promise<void> {
    if (executions.length === 0) return;
    await this.database.transactionOf(scope, async () => {
      const ids = [...new Set(executions.map(({ trace_id }) => trace_id))];
      const locked = new Map((await this.repository.lockTraces(scope, ids)).map((trace) => [trace.trace_id, trace]));
      const open = executions.flatMap((execution) => {
        const day = locked.get(execution.trace_id)?.day;
        return day === undefined ? [] : [{ ...execution, day }];
      });
      const changed = await this.repository.closeSpans(scope, MESSAGE, open);
      const traces = [...locked.values()].filter(({ trace_id }) => changed.has(trace_id));
      if (traces.length === 0) return;
      const summaries = await this.repository.summarize(scope, traces);
      const updated = traces.flatMap((trace) => {
        const whole = summaries.get(trace.trace_id);
        return whole === undefined ? [] : [updatedTrace(trace, { whole }, NO_OWNER)];
      });
      await this.repository.updateTraces(updated);
    });
  }
}

const NO_OWNER = {
  execution_id: null,
  execution_type: null,
  user_id: null,
  user_email: null,
  user_name: null,
  user_avatar: null,
};
