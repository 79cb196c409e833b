import { Clock, type JsonObject } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { encodeOwnFrame, gapFrame, KEEPALIVE } from './event-frame.js';
import { EventHub } from './event-hub.js';
import { parseEventId } from './event-id.js';
import { EventLog } from './event-log.js';
import { EventReader } from './event-reader.js';
import type { ExecutionRef } from './event-types.js';
import type { StreamSink } from './stream-sink.js';

const KEEPALIVE_MS = 15_000;
/** A client that takes nothing of what is sent to it for so long is cut off, at most twice as late; it resumes by id. */
const STALL_MS = 30_000;
/** How often running streams are checked against the truth: newest event, and final state of the execution. */
const CHECK_MS = 3_000;

/** An execution in a final state, with what its `done` event says. */
export interface FinalExecution extends ExecutionRef {
  readonly done: JsonObject;
}

/** Answers those of the executions that are final. Asked of PostgreSQL, one statement for all of them. */
export type FindFinal = (executions: readonly ExecutionRef[]) => Promise<readonly FinalExecution[]>;

/** Messages in a row, as many as are worth one write. */
export interface HistoryPage {
  readonly messages: readonly JsonObject[];
  /** Whether none comes after them. */
  readonly complete: boolean;
}

/** The stored messages of a session, oldest first: read as the client takes them, because they may be many megabytes. */
export interface History {
  readonly first: HistoryPage;
  /** Those after so many. */
  readonly after: (count: number) => Promise<HistoryPage>;
}

export interface StreamRequest {
  readonly execution: { readonly id: string; readonly organization_id: string; readonly status: string };
  readonly history: History;
  /** What `done` says, when the execution is final already; else `null`. */
  readonly done: JsonObject | null;
  readonly findFinal: FindFinal;
  /** The last event the client has seen, as it sent it; `null` when it begins. */
  readonly lastEventId: string | null;
}

/**
 * Streams an execution to a client: `connected`, the stored messages, `history_complete`, the kept events after the
 * client's last one, the live ones, `done`. A stream of a final execution always says `done` and closes, also when that
 * event was lost or is no longer kept.
 */
@Injectable()
export class EventStream implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = createLogger('events');
  private readonly readers = new Map<EventReader, FindFinal>();
  /** Clients that are still told of what was said before. */
  private readonly beginning = new Set<StreamSink>();
  /** Readers that were sent a `done`: whether it is the end is asked once for all that got it in the same turn. */
  private doneSeen: EventReader[] = [];
  private checks: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly log: EventLog,
    private readonly hub: EventHub,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.checks = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  /** Returns at once; the stream lives until the execution ends, the client leaves, or the process stops. */
  open(sink: StreamSink, request: StreamRequest): void {
    if (this.stopping) return sink.end();
    sink.closeWhenStalled(STALL_MS);
    const { id, organization_id, status } = request.execution;
    const connected = { execution_id: id, organization_id, status, connected_at: this.clock.now().toISOString() };
    const { messages, complete } = request.history.first;
    sink.write(encodeOwnFrame('connected', connected) + encodeMessages(messages));
    if (complete) this.begin(sink, request, messages.length);
    else void this.tellOn(sink, request, messages.length);
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    clearInterval(this.checks);
    for (const sink of this.beginning) sink.end();
    for (const reader of this.readers.keys()) reader.close();
  }

  /** One page after another, each when the client has taken the one before: no more than one is held for it. */
  private async tellOn(sink: StreamSink, request: StreamRequest, toldAlready: number): Promise<void> {
    this.beginning.add(sink);
    try {
      let told = toldAlready;
      while (await sink.drained()) {
        const { messages, complete } = await request.history.after(told);
        sink.write(encodeMessages(messages));
        told += messages.length;
        if (complete) return this.begin(sink, request, told);
      }
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'the history of an execution not readable; reader closed');
      sink.end();
    } finally {
      this.beginning.delete(sink);
    }
  }

  private begin(sink: StreamSink, request: StreamRequest, messageCount: number): void {
    if (this.stopping) return sink.end();
    const { id, organization_id } = request.execution;
    const { lastEventId } = request;
    const position = lastEventId === null || lastEventId === '' ? 'first' : parseEventId(id, lastEventId);
    sink.write(encodeOwnFrame('history_complete', { execution_id: id, message_count: messageCount }));
    if (position === null) sink.write(gapFrame(lastEventId, 'unknown_event_id'));
    const execution = { organizationId: organization_id, executionId: id };
    const onDone = (): void => this.noteDone(reader);
    const reader = new EventReader({ execution, position: position ?? 'oldest', onDone }, this.log, sink);
    this.keep(reader, sink, request.findFinal);
    // A client that went while its request was prepared would be listened for until the process ends.
    if (reader.closed) return;
    if (request.done === null) void this.follow(reader);
    else reader.finish(request.done);
  }

  private keep(reader: EventReader, sink: StreamSink, findFinal: FindFinal): void {
    const keepalive = setInterval(() => {
      if (sink.queuedBytes === 0) sink.write(KEEPALIVE);
    }, KEEPALIVE_MS);
    this.readers.set(reader, findFinal);
    sink.onClose(() => {
      clearInterval(keepalive);
      this.readers.delete(reader);
      this.hub.detach(reader);
    });
  }

  /** Listens before it reads, so that nothing falls between the list and the live events. */
  private async follow(reader: EventReader): Promise<void> {
    try {
      await this.hub.attach(reader);
      reader.catchUp();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'channel of an execution not listened to');
      reader.close();
    }
  }

  private noteDone(reader: EventReader): void {
    if (this.doneSeen.length === 0) {
      setImmediate(() => {
        const readers = this.doneSeen;
        this.doneSeen = [];
        void this.finishEnded(readers);
      });
    }
    this.doneSeen.push(reader);
  }

  /** Mends what was lost on the way: a live event without a successor, or the `done` of an ended execution. */
  private async check(): Promise<void> {
    const readers = [...this.readers.keys()];
    if (readers.length > 0) await Promise.all([this.finishEnded(readers), this.catchUpBehind(readers)]);
  }

  private async catchUpBehind(readers: readonly EventReader[]): Promise<void> {
    try {
      const byExecution = groupByExecution(readers);
      const newest = await this.log.newest([...byExecution.values()].map(([reader]) => reader.execution));
      for (const [index, group] of [...byExecution.values()].entries()) {
        const event = newest[index];
        if (event !== undefined) for (const reader of group) reader.catchUpTo(event);
      }
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'newest events not readable');
    }
  }

  private async finishEnded(readers: readonly EventReader[]): Promise<void> {
    try {
      for (const findFinal of new Set(readers.map((reader) => this.readers.get(reader)))) {
        const byExecution = groupByExecution(readers.filter((reader) => this.readers.get(reader) === findFinal));
        const final = await findFinal?.([...byExecution.values()].map(([reader]) => reader.execution));
        for (const execution of final ?? []) {
          for (const reader of byExecution.get(nameOf(execution)) ?? []) reader.finish(execution.done);
        }
      }
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'final states not readable; asked again soon');
    }
  }
}

function encodeMessages(messages: readonly JsonObject[]): string {
  return messages.map((message) => encodeOwnFrame('message', message)).join('');
}

type Group = [EventReader, ...EventReader[]];

function groupByExecution(readers: readonly EventReader[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const reader of readers) {
    const group = groups.get(nameOf(reader.execution));
    if (group === undefined) groups.set(nameOf(reader.execution), [reader]);
    else group.push(reader);
  }
  return groups;
}

function nameOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId}:${executionId}`;
}
