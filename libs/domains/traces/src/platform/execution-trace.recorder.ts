import { setTimeout as pause } from 'node:timers/promises';
import { ExecutionTraces, TimelineService, traceOf, type TracedExecution } from '@app/executions';
import type { ExecutionRef } from '@app/events';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { SpanClosingService, type OpenSpansOf } from '../ingest/span-closing.service.js';
import { spansOfExecution } from './execution-spans.js';
import { PlatformSpansService } from './platform-spans.service.js';

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
  /** The batch of each organization that still accepts executions. */
  private readonly open = new Map<string, Batch>();

  constructor(
    private readonly timelines: TimelineService,
    private readonly spans: PlatformSpansService,
    private readonly closing: SpanClosingService,
  ) {
    super();
  }

  /** Resolves after the commit. */
  override async record(execution: ExecutionRef): Promise<void> {
    if (!this.spans.isEnabled) return;
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
    await this.spans.store(scope, traced.flatMap(spansOfExecution));
    await this.closing.close(scope, traced.flatMap(maybeOpen));
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
