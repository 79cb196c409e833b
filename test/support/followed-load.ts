import { expect } from '@jest/globals';
import type { AnyEvent } from '@app/api-client';
import { eventually } from '@app/testing';
import { lostOf, recordEvents, recordPause } from './chaos.js';
import { requestContinuously, type Ledger } from './ledger.js';
import { findOrderViolations, ofType, type EventReader } from './scenario.js';

export interface FollowedLoadOptions {
  /** Starts an execution and returns its id. */
  readonly start: (n: number) => Promise<string>;
  /** Reads the stream of the execution. */
  readonly follow: (id: string, n: number) => EventReader;
  /** Number of concurrent starts. */
  readonly width: number;
  readonly until: AbortSignal;
  /** No execution is started while this number are open: a longer backlog would only prolong the test. */
  readonly maxOpen: number;
  /** Runs a statement on the database of the platform. */
  readonly sql: (text: string) => Promise<readonly object[]>;
  /** Whether nothing can be completed: starts that fail add nothing to the backlog. Default: never. */
  readonly isDown?: () => boolean;
}

const ENDED_TIMEOUT_MS = 120_000;
const OPEN = `SELECT id FROM executions WHERE status IN ('pending', 'running')`;
const COMPLETED = `SELECT id FROM executions WHERE status = 'completed'`;

/** Starts executions continuously, and reads their streams, while servers are killed. */
export class FollowedLoad {
  readonly ledger: Ledger<string>;
  /** Number of streams that said that they lack events. */
  gaps = 0;
  onAccepted: () => void = () => undefined;
  /** Called for each event of any stream. */
  onEvent: () => void = () => undefined;
  /** Called with all events of each stream that has ended. */
  onRead: (events: readonly AnyEvent[]) => void = () => undefined;
  private readonly stop: () => Promise<unknown>;
  /** The streams that have not ended. */
  private readonly open = new Set<EventReader>();
  private readonly violations: string[] = [];

  constructor(private readonly options: FollowedLoadOptions) {
    const { width, until, maxOpen, sql, isDown = (): boolean => false } = options;
    const mayContinue = async (): Promise<boolean> => isDown() || (await sql(OPEN).catch(() => [])).length < maxOpen;
    const load = requestContinuously((n) => this.start(n), { width, until, mayContinue });
    this.ledger = load.ledger;
    this.stop = load.stop;
  }

  /** Resolves when more than this number of further executions were accepted. */
  accepts(more: number): Promise<void> {
    const target = this.ledger.acknowledged.length + more;
    return eventually(() => expect(this.ledger.acknowledged.length).toBeGreaterThan(target));
  }

  /**
   * To be called when the successor of a lost server was chosen. Resolves when an execution was accepted and each stream
   * that was in the middle of its run has continued. Returns and records how long that took.
   */
  async resumes(): Promise<number> {
    const begun = [...this.open].filter(({ events }) => ofType(events, 'message_chunk').length > 0);
    const waiting = new Map(begun.map((reader) => [reader, reader.events.length]));
    const promotedAt = performance.now();
    await this.accepts(0);
    await eventually(() => {
      const stopped = [...waiting].filter(([reader, count]) => this.open.has(reader) && reader.events.length === count);
      expect(stopped).toHaveLength(0);
    });
    const ms = Math.round(performance.now() - promotedAt);
    recordPause(ms);
    return ms;
  }

  /**
   * Ends the load. Expects that no accepted execution is lost, that all have completed at the first attempt or a later
   * one, and that each stream is in order up to its end, or says what it lacks.
   */
  async end(): Promise<void> {
    await this.stop();
    const { sql } = this.options;
    await eventually(async () => expect(await sql(OPEN)).toEqual([]), ENDED_TIMEOUT_MS);
    await eventually(() => expect(this.open.size).toBe(0), ENDED_TIMEOUT_MS);
    recordEvents({ lost: this.violations.length, gaps: this.gaps });
    const completed = (await sql(COMPLETED)) as readonly { readonly id: string }[];
    const lost = lostOf(
      this.ledger.acknowledged,
      completed.map(({ id }) => id),
    );
    expect({ lost, violations: this.violations }).toEqual({ lost: [], violations: [] });
  }

  private async start(n: number): Promise<string> {
    const { start, follow } = this.options;
    const id = await start(n);
    this.onAccepted();
    const reader = follow(id, n);
    reader.onEvent = () => this.onEvent();
    this.open.add(reader);
    void reader.done
      .then((events) => this.finish(id, events))
      .catch((error: unknown) => this.violations.push(`${id}: ${String(error)}`))
      .finally(() => this.open.delete(reader));
    return id;
  }

  private finish(id: string, events: readonly AnyEvent[]): void {
    this.violations.push(...findOrderViolations(events));
    const last = events.at(-1)?.event;
    if (last !== 'done') this.violations.push(`${id}: the last event is ${last}`);
    if (ofType(events, 'gap_detected').length > 0) this.gaps += 1;
    this.onRead(events);
  }
}
