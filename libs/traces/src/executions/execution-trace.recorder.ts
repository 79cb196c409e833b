import { setTimeout as pause } from 'node:timers/promises';
import { TracingConfig } from '@app/config';
import { ExecutionTraces, TimelineService, traceOf, type TracedExecution } from '@app/executions';
import type { ExecutionRef } from '@app/events';
import type { Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { TeamService } from '@app/teams';
import { Injectable } from '@nestjs/common';
import type { Received } from '../ingest/sent-span.js';
import { TraceIngestService } from '../ingest/trace-ingest.service.js';
import { SpanClosingService, type OpenSpansOf } from '../ingest/span-closing.service.js';
import { PLATFORM, spansOfExecution } from './execution-spans.js';

/** Milliseconds for which ended executions are collected, because each batch costs a transaction. */
const COLLECT_MS = 50;
/** Maximum number of executions per batch. */
const MAX_BATCH = 200;

interface Batch {
  readonly executions: ExecutionRef[];
  readonly stored: Promise<void>;
}

/** Stores the spans of ended executions, those of a short time together. */
@Injectable()
export class ExecutionTraceRecorder extends ExecutionTraces {
  private readonly logger = createLogger('traces');
  /** The batch of each organization that still accepts executions. */
  private readonly open = new Map<string, Batch>();

  constructor(
    private readonly timelines: TimelineService,
    private readonly teams: TeamService,
    private readonly ingest: TraceIngestService,
    private readonly closing: SpanClosingService,
    private readonly config: TracingConfig,
  ) {
    super();
  }

  /** Resolves after the commit. */
  override async record(execution: ExecutionRef): Promise<void> {
    if (!this.config.isEnabled) return;
    const { organizationId } = execution;
    let batch = this.open.get(organizationId);
    if (batch === undefined || batch.executions.length >= MAX_BATCH) {
      const executions: ExecutionRef[] = [];
      batch = { executions, stored: this.storeSoon(organizationId, executions) };
      this.open.set(organizationId, batch);
    }
    batch.executions.push(execution);
    return batch.stored;
  }

  private async storeSoon(organizationId: string, executions: readonly ExecutionRef[]): Promise<void> {
    await pause(COLLECT_MS);
    if (this.open.get(organizationId)?.executions === executions) this.open.delete(organizationId);
    const ids = executions.map(({ executionId }) => executionId);
    await this.store({ organizationId }, ids);
  }

  private async store(scope: Scope, ids: readonly string[]): Promise<void> {
    const traced = await this.timelines.findTraced(scope, ids);
    const monitored = await this.monitored(scope, traced);
    const received = monitored.flatMap((execution) =>
      spansOfExecution(execution).map((span): Received => ({ resource: PLATFORM, scope: new Map(), span })),
    );
    if (received.length === 0) return;
    const user = { userId: null, userName: null, userEmail: null, userAvatar: null };
    const { refused } = await this.ingest.ingest({ ...scope, ...user }, received);
    await this.closing.close(scope, monitored.flatMap(maybeOpen));
    if (refused.length > 0) this.logger.error({ refused: refused.slice(0, 10) }, 'spans of executions refused');
  }

  /** Returns the executions whose team does not turn off `monitoring`. */
  private async monitored(scope: Scope, executions: readonly TracedExecution[]): Promise<readonly TracedExecution[]> {
    const teamIds = executions.flatMap(({ execution_type: type, entity_id: id }) =>
      type === 'team' && id !== null ? [id] : [],
    );
    if (teamIds.length === 0) return executions;
    const teams = await this.teams.byIds(scope, [...new Set(teamIds)]);
    return executions.filter(({ execution_type: type, entity_id: id }) => {
      const team = type === 'team' && id !== null ? teams.get(id) : undefined;
      return team?.configuration['monitoring'] !== false;
    });
  }
}

/**
 * Returns the execution unless each of its workers has ended it: spans that a lost worker had sent as open remain open.
 * A worker that is only late sends the end of its spans, which replaces the one that they get.
 */
function maybeOpen(execution: TracedExecution): OpenSpansOf[] {
  const trace = traceOf(execution);
  const isLost = execution.attempts.some(({ outcome }) => outcome === 'lease_expired' || outcome === 'handed_back');
  if (trace === undefined || (execution.status === 'completed' && !isLost)) return [];
  const ended_at = BigInt(execution.completed_at.getTime()) * 1_000_000n;
  return [{ trace_id: trace.traceId, execution_id: execution.id, ended_at }];
}
