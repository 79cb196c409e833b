import type { HistoryPage, StreamRequest } from '@app/events';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { doneOf } from '../executions/execution-done.js';
import { ExecutionService } from '../executions/execution.service.js';
import { isFinal } from '../executions/execution-state.js';
import { SessionService } from '../sessions/session.service.js';

/** What the event stream has to know of an execution before a reader may follow it. */
@Injectable()
export class ExecutionStreamService {
  constructor(
    private readonly executions: ExecutionService,
    private readonly sessions: SessionService,
  ) {}

  /** `lastEventId` is the last event the reader has seen, as it sent it; `null` when it begins. */
  async prepare(scope: Scope, executionId: string, lastEventId: string | null): Promise<StreamRequest> {
    const execution = await this.executions.read(scope, executionId);
    const after = (count: number): Promise<HistoryPage> => this.sessions.history(scope, executionId, count);
    return {
      execution,
      history: { first: await after(0), after },
      done: isFinal(execution.status) ? doneOf(execution) : null,
      findFinal: (executions) => this.executions.findFinal(executions),
      lastEventId,
    };
  }
}
