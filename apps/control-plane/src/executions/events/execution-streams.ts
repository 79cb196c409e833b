import { EventStream, type StreamSink } from '@app/events';
import { ExecutionStreamService } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { StreamHints } from './stream-hints.js';

/** Opens the streams of executions for their readers. */
@Injectable()
export class ExecutionStreams {
  constructor(
    private readonly executions: ExecutionStreamService,
    private readonly events: EventStream,
    private readonly hints: StreamHints,
  ) {}

  /** Resolves once the stream has begun. Throws `not_found` before anything is sent. */
  async open(scope: Scope, executionId: string, lastEventId: string | null, sink: () => StreamSink): Promise<void> {
    const request = await this.executions.prepare(scope, executionId, lastEventId);
    const message = await this.hints.hintFor(scope, request.execution);
    this.events.open(sink(), { ...request, message });
  }
}
