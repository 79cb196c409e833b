import type { StreamRequest } from '@app/events';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { finalExecutionOf } from '../executions/execution.events.js';
import { ExecutionService } from '../executions/execution.service.js';
import type { Execution } from '../executions/execution.types.js';
import { isFinal } from '../executions/execution-state.js';
import { SessionService } from '../conversations/session.service.js';

/** Prepares the event stream of an execution for a reader. */
@Injectable()
export class ExecutionStreamService {
  constructor(
    private readonly executions: ExecutionService,
    private readonly sessions: SessionService,
  ) {}

  /**
   * `lastEventId` is the reader's `Last-Event-ID`; null for a reader that connects for the first time. Throws
   * `not_found`.
   */
  async prepare(
    scope: Scope,
    executionId: string,
    lastEventId: string | null,
  ): Promise<StreamRequest & { readonly execution: Execution }> {
    const execution = await this.executions.read(scope, executionId);
    return {
      execution,
      history: this.sessions.history(scope, executionId),
      final: isFinal(execution.status) ? finalExecutionOf(execution) : null,
      lastEventId,
    };
  }
}
