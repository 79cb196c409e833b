import { EventStream, type StreamRequest, type StreamSink } from '@app/events';
import { ExecutionService, ExecutionStreamService } from '@app/executions';
import { StreamTickets, type StreamTicket } from '@app/identity';
import type { Caller, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { StreamHints } from './stream-hints.js';

/** Opens the streams of executions for their readers, and issues the tickets with which browsers open them. */
@Injectable()
export class ExecutionStreams {
  constructor(
    private readonly executions: ExecutionService,
    private readonly streams: ExecutionStreamService,
    private readonly events: EventStream,
    private readonly hints: StreamHints,
    private readonly tickets: StreamTickets,
  ) {}

  /**
   * Resolves once the stream has begun. Throws `not_found`, `streams_too_many` or `streams_busy` before anything is
   * sent.
   */
  async open(scope: Scope, executionId: string, lastEventId: string | null, sink: () => StreamSink): Promise<void> {
    await this.events.open(scope, () => this.prepare(scope, executionId, lastEventId), sink);
  }

  private async prepare(scope: Scope, executionId: string, lastEventId: string | null): Promise<StreamRequest> {
    const request = await this.streams.prepare(scope, executionId, lastEventId);
    return { ...request, message: await this.hints.hintFor(scope, request.execution) };
  }

  /** Throws `not_found` if there is no such execution. */
  async issueTicket(caller: Caller, executionId: string): Promise<StreamTicket> {
    const { id } = await this.executions.read(caller, executionId);
    return this.tickets.mint(caller, id);
  }
}
