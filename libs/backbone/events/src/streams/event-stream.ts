import { Clock, type JsonObject, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { encodeStreamFrame, gapFrame, KEEPALIVE } from '../log/event-frame.js';
import { BudgetedSink } from './budgeted-sink.js';
import { EventHub } from './event-hub.js';
import { parseEventId } from '../log/event-id.js';
import { EventLog } from '../log/event-log.js';
import { EventReader } from './event-reader.js';
import type { ExecutionRef } from '../log/event-types.js';
import { FinalExecutions, type FinalExecution } from './final-executions.js';
import { StreamBudget, type StreamShare } from './stream-budget.js';
import type { StreamSink } from './stream-sink.js';

const KEEPALIVE_MS = 15_000;
/**
 * A client that accepts none of its queued bytes for this time is disconnected; the check can delay this to twice the
 * time. The client can resume by id.
 */
const STALL_MS = 30_000;
/** Maximum size of a page of stored messages: that of a message, because a page contains at least one. */
const MAX_HISTORY_BYTES = 10 * 1_048_576;
/** Time within which a new stream must be able to read its first page. */
const OPEN_LIMIT_MS = 5_000;
/** Interval at which streams are compared with the newest event and the final state of their execution. */
const CHECK_MS = 3_000;
/**
 * Time after the last change of a final execution in which its last events are expected to reach the log. An execution
 * is final as soon as its change is committed; its final `status` and its `done` are published after that.
 */
const LAST_EVENTS_DELAY_MS = 30_000;

/** Consecutive messages that are sent in one write. */
export interface HistoryPage {
  readonly messages: readonly JsonObject[];
  /** Whether these are the last messages. */
  readonly complete: boolean;
}

/**
 * The stored messages of a session, oldest first. They are read as fast as the client accepts them, because they can be
 * many megabytes.
 */
export interface History {
  /** Returns the page after the previous one. */
  next(): Promise<HistoryPage>;
}

export interface StreamRequest {
  readonly execution: { readonly id: string; readonly organization_id: string; readonly status: string };
  readonly history: History;
  /** Set if the execution is already final, else `null`. */
  readonly final: FinalExecution | null;
  /** Last event id as the client sent it; `null` for a new client. */
  readonly lastEventId: string | null;
  /** Human-readable text for the `connected` frame, for example why nothing happens yet; `null`: none. */
  readonly message?: string | null;
}

/**
 * Streams an execution to a client: `connected`, the stored messages, `history_complete`, the kept events after the
 * last event of the client, the live events, `done`. The stream of a final execution always sends `done` and closes,
 * even if that event was lost or is no longer kept.
 */
@Injectable()
export class EventStream implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = createLogger('events');
  private readonly readers = new Set<EventReader>();
  /** Clients that still receive stored messages. */
  private readonly sendingHistory = new Set<BudgetedSink>();
  /**
   * Readers to which a `done` was sent in this turn of the event loop. One query checks the executions of all of them.
   */
  private doneSentTo: EventReader[] = [];
  private checks: NodeJS.Timeout | undefined;
  private checking = false;
  private stopping = false;

  constructor(
    private readonly log: EventLog,
    private readonly hub: EventHub,
    private readonly finals: FinalExecutions,
    private readonly budget: StreamBudget,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.checks = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  /** The number of clients that receive a stream from this process. */
  get readerCount(): number {
    return this.readers.size + this.sendingHistory.size;
  }

  /**
   * Resolves when the stream has begun. It lasts until the execution ends, the client disconnects or the process stops.
   * `prepare` is called when the stream may hold a page, then `connect`, which accepts the connection. Throws
   * `streams_too_many` or `streams_busy` if the organization may hold no further stream or page; nothing is sent then.
   */
  async open(scope: Scope, prepare: () => Promise<StreamRequest>, connect: () => StreamSink): Promise<void> {
    const share = this.budget.enter(scope);
    try {
      const begin = (): Promise<void> => this.begin(share, prepare, connect);
      await share.turn(MAX_HISTORY_BYTES, begin, OPEN_LIMIT_MS);
    } catch (error) {
      share.close();
      throw error;
    }
  }

  private async begin(
    share: StreamShare,
    prepare: () => Promise<StreamRequest>,
    connect: () => StreamSink,
  ): Promise<void> {
    const request = await prepare();
    const { messages, complete } = await request.history.next();
    const sink = new BudgetedSink(connect(), share);
    if (this.stopping) return sink.end();
    sink.closeWhenStalled(STALL_MS);
    const { id, organization_id, status } = request.execution;
    const hint = request.message == null ? {} : { message: request.message };
    const connected_at = this.clock.now().toISOString();
    const connected = { execution_id: id, organization_id, status, connected_at, ...hint };
    sink.write(encodeStreamFrame('connected', connected) + encodeMessages(messages));
    if (complete) this.startReader(sink, request, messages.length);
    else void this.sendHistory(sink, request, messages.length);
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    clearInterval(this.checks);
    for (const sink of this.sendingHistory) sink.end();
    for (const reader of this.readers) reader.close();
  }

  /**
   * Sends the stored messages page by page, each page after the client has accepted the previous one: at most one page
   * per client is in memory.
   */
  private async sendHistory(sink: BudgetedSink, request: StreamRequest, alreadySent: number): Promise<void> {
    this.sendingHistory.add(sink);
    try {
      let count = alreadySent;
      while (await sink.drained()) {
        const sent = await sink.turn(MAX_HISTORY_BYTES, () => sendPage(sink, request.history));
        if (sent === undefined) return;
        count += sent.count;
        if (sent.complete) return this.startReader(sink, request, count);
      }
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'session messages unreadable, stream closed');
      sink.end();
    } finally {
      this.sendingHistory.delete(sink);
    }
  }

  private startReader(sink: BudgetedSink, request: StreamRequest, messageCount: number): void {
    if (this.stopping) return sink.end();
    const { id, organization_id } = request.execution;
    const { lastEventId } = request;
    const position = lastEventId === null || lastEventId === '' ? 'first' : parseEventId(id, lastEventId);
    sink.write(encodeStreamFrame('history_complete', { execution_id: id, message_count: messageCount }));
    if (position === null) sink.write(gapFrame(lastEventId, 'unknown_event_id'));
    const execution = { organizationId: organization_id, executionId: id };
    const onDone = (): void => this.onDoneSent(reader);
    const reader = new EventReader({ execution, position: position ?? 'oldest', onDone }, this.log, sink);
    this.register(reader, sink);
    void this.startReading(reader, request.final);
  }

  private async startReading(reader: EventReader, final: FinalExecution | null): Promise<void> {
    if (final !== null && (await this.isComplete(final).catch(() => false))) reader.finish(final.done);
    else await this.follow(reader);
  }

  /**
   * Returns whether the log contains all events of a final execution, or has lost its last ones. Until then its readers
   * continue: a `done` that is created from the final state would end their streams before the final `status`.
   */
  private async isComplete(final: FinalExecution): Promise<boolean> {
    const unchangedMs = this.clock.now().getTime() - final.updatedAt.getTime();
    return unchangedMs > LAST_EVENTS_DELAY_MS || (await this.log.hasDone(final));
  }

  private register(reader: EventReader, sink: BudgetedSink): void {
    const keepalive = setInterval(() => {
      if (sink.queuedBytes === 0) sink.write(KEEPALIVE);
    }, KEEPALIVE_MS);
    this.readers.add(reader);
    sink.onClose(() => {
      clearInterval(keepalive);
      this.readers.delete(reader);
      this.hub.detach(reader);
    });
  }

  /** Subscribes before it reads, so that no event is lost between the list and the live events. */
  private async follow(reader: EventReader): Promise<void> {
    // The client may have disconnected meanwhile; its subscription would then last until the process ends.
    if (reader.closed) return;
    try {
      await this.hub.attach(reader);
      reader.catchUp();
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'subscription to an event channel failed, stream closed');
      reader.close();
    }
  }

  private onDoneSent(reader: EventReader): void {
    if (this.doneSentTo.length === 0) {
      setImmediate(() => {
        const readers = this.doneSentTo;
        this.doneSentTo = [];
        void this.finishFinal(readers);
      });
    }
    this.doneSentTo.push(reader);
  }

  /**
   * Repairs the loss of a live event that no other event follows, and the loss of the `done` of a final execution.
   * Checks never overlap, so a slow store does not get more of them.
   */
  private async check(): Promise<void> {
    const readers = [...this.readers];
    if (this.checking || readers.length === 0) return;
    this.checking = true;
    try {
      await Promise.all([this.finishFinal(readers), this.catchUpBehind(readers)]);
    } finally {
      this.checking = false;
    }
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
      this.logger.debug({ reason: (error as Error).message }, 'newest events unreadable');
    }
  }

  private async finishFinal(readers: readonly EventReader[]): Promise<void> {
    try {
      const byExecution = groupByExecution(readers);
      const final = await this.finals.findFinal([...byExecution.values()].map(([reader]) => reader.execution));
      await Promise.all(final.map((execution) => this.finish(execution, byExecution.get(keyOf(execution)))));
    } catch (error) {
      this.logger.warn({ reason: (error as Error).message }, 'final states unreadable, retrying');
    }
  }

  private async finish(final: FinalExecution, readers: readonly EventReader[] = []): Promise<void> {
    if (await this.isComplete(final)) for (const reader of readers) reader.finish(final.done);
  }
}

/** Does not return the messages: a stream that waits must not keep them in memory. */
async function sendPage(
  sink: BudgetedSink,
  history: History,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const { messages, complete } = await history.next();
  if (messages.length > 0) sink.write(encodeMessages(messages));
  return { count: messages.length, complete };
}

function encodeMessages(messages: readonly JsonObject[]): string {
  return messages.map((message) => encodeStreamFrame('message', message)).join('');
}

type Group = [EventReader, ...EventReader[]];

function groupByExecution(readers: readonly EventReader[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const reader of readers) {
    const group = groups.get(keyOf(reader.execution));
    if (group === undefined) groups.set(keyOf(reader.execution), [reader]);
    else group.push(reader);
  }
  return groups;
}

function keyOf({ organizationId, executionId }: ExecutionRef): string {
  return `${organizationId}:${executionId}`;
}
