import { createCounter } from '@app/metrics';
import { HeldPlaces, newId } from '@app/kernel';
import { createLogger, runInContext, traceContextFrom } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { formatEventId } from '../log/event-id.js';
import { InvalidFrameError, isDecodable, readEvent } from '../log/event-frame.js';
import { EventLog, type LogPage } from '../log/event-log.js';
import type { ExecutionRef } from '../log/event-types.js';
import type { LogPosition } from '../log/log-cursor.js';
import type { LogFollower } from './event-provider.js';
import { EventProviders } from './event-providers.js';
import { UnreadLogs } from './unread-logs.js';

/**
 * Places of a provider in one process, each of which reads one execution. An organization gets a place only while more
 * places are free than it holds: one organization alone gets half of them.
 */
const PLACES = 16;
/** Number of consecutive pages of one execution, after which the provider reads other executions. */
const PAGES_PER_TURN = 4;
/** Interval at which unread logs are claimed even without a notification. */
const POLL_MS = 1000;
/**
 * Logs that receive events without a pause are read at this interval: a read costs a provider as much as delivering many
 * events.
 */
const READ_INTERVAL_MS = 50;
const RETRY_MS = 2000;

const providers = { provider: ['http', 'nats'] as const };
const delivered = createCounter('platform_event_provider_events_total', 'Events delivered to a provider', providers);
const failures = createCounter(
  'platform_event_provider_failures_total',
  'Failed attempts to deliver events to a provider, which are retried',
  providers,
);
const undecodable = createCounter(
  'platform_event_provider_undecodable_events_total',
  'Events that a provider did not receive, because their entry in the log cannot be decoded',
  providers,
);
const missedEvents = createCounter(
  'platform_event_provider_missed_events_total',
  'Events that expired before they were delivered to a provider',
  providers,
);
const missedLogs = createCounter(
  'platform_event_provider_gaps_total',
  'Reads of event logs in which events were missing, whether or not their number is known',
  providers,
);

interface Follower {
  readonly provider: LogFollower;
  /** The places of organizations whose logs are being read. */
  readonly held: HeldPlaces;
  /** Whether logs waited for a place after the last claim. */
  othersWait: boolean;
  /** Whether `claim` is running. */
  claiming: boolean;
  /** Whether unread logs were added while `claim` was running. */
  again: boolean;
  /** When `claim` was called last. */
  claimedAt: number;
  /** Calls `claim` when the interval has passed. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Passes the events of the log to the providers that follow it, in the dispatcher role. Each provider has its own
 * queue, positions and failures. Delivery is at least once and, per execution, in the order of the log: a position
 * advances only after the provider has accepted the events.
 */
@Injectable()
export class EventFeed implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = createLogger('events');
  private readonly running = new Set<Promise<void>>();
  private followers: readonly Follower[] = [];
  private poll: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(
    private readonly log: EventLog,
    private readonly logs: UnreadLogs,
    private readonly providers: EventProviders,
  ) {}

  onApplicationBootstrap(): void {
    this.followers = this.providers.followers.map((provider): Follower => ({
      provider,
      held: new HeldPlaces(),
      othersWait: false,
      claiming: false,
      again: false,
      claimedAt: -Infinity,
      timer: undefined,
    }));
    for (const follower of this.followers) {
      this.logs.onAdded(follower.provider.name, () => this.claimInTurn(follower)).catch(() => undefined);
    }
    this.poll = setInterval(() => this.followers.forEach((follower) => void this.claim(follower)), POLL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.poll);
    this.followers.forEach(({ timer }) => clearTimeout(timer));
    await Promise.all(this.running);
  }

  /** Claims at once, or when the interval since the last claim has passed. */
  private claimInTurn(follower: Follower): void {
    if (follower.timer !== undefined || this.stopping) return;
    const wait = follower.claimedAt + READ_INTERVAL_MS - performance.now();
    if (wait <= 0) return void this.claim(follower);
    follower.timer = setTimeout(() => {
      follower.timer = undefined;
      void this.claim(follower);
    }, wait);
  }

  private async claim(follower: Follower): Promise<void> {
    follower.again = true;
    if (follower.claiming) return;
    follower.claiming = true;
    follower.claimedAt = performance.now();
    try {
      while (follower.again && follower.held.total < PLACES && !this.stopping) {
        follower.again = false;
        const { provider, held } = follower;
        const { executions, remaining } = await this.logs.claim(provider.name, PLACES - held.total, held);
        for (const execution of executions) this.start(follower, execution);
        follower.othersWait = remaining;
        if (executions.length > 0) follower.again = true;
      }
    } catch (error) {
      this.logger.debug({ reason: (error as Error).message }, 'claiming unread logs failed, retrying');
    } finally {
      follower.claiming = false;
    }
  }

  /** Counts the place at once, because the next claim needs the number of free places. */
  private start(follower: Follower, execution: ExecutionRef): void {
    follower.held.acquire(execution.organizationId);
    const { organizationId, executionId } = execution;
    // PostgreSQL connections are shared by organization.
    const context = { requestId: newId(), ...traceContextFrom(undefined), organizationId, executionId };
    const reading = runInContext(context, () => this.read(follower, execution)).finally(() =>
      this.running.delete(reading),
    );
    this.running.add(reading);
  }

  private async read(follower: Follower, execution: ExecutionRef): Promise<void> {
    const isComplete = await this.follow(follower.provider, execution);
    const mayOthersWait = follower.othersWait || follower.held.total === PLACES;
    follower.held.release(execution.organizationId);
    if (isComplete && !mayOthersWait) this.claimInTurn(follower);
    else void this.claim(follower);
  }

  /** Returns whether the end of the log was reached. Never rejects: a claim that is not released expires. */
  private async follow(provider: LogFollower, execution: ExecutionRef): Promise<boolean> {
    try {
      const isComplete = await this.deliverPages(provider, execution);
      await this.logs.release(provider.name, execution, isComplete ? undefined : 0);
      return isComplete;
    } catch (error) {
      const reason = (error as Error).message;
      const fields = { reason, provider: provider.name, execution_id: execution.executionId };
      failures.inc({ provider: provider.name });
      this.logger.warn(fields, 'delivering events to a provider failed, retrying');
      await this.logs.release(provider.name, execution, RETRY_MS).catch(() => undefined);
      return true;
    }
  }

  /** Delivers the next pages of an execution. Returns whether the end of the log was reached. */
  private async deliverPages(provider: LogFollower, execution: ExecutionRef): Promise<boolean> {
    let position: LogPosition = (await this.logs.position(provider.name, execution)) ?? 'oldest';
    for (let pages = 0; pages < PAGES_PER_TURN && !this.stopping; pages += 1) {
      const page = await this.log.read(execution, position);
      if (page.gap !== null) this.countMissed(provider, execution, position, page);
      const last = page.frames.at(-1);
      await this.deliver(provider, execution, page);
      if (last !== undefined) {
        await this.logs.setPosition(provider.name, execution, last.id);
        position = last.id;
      }
      if (page.complete) return true;
    }
    return false;
  }

  /**
   * Delivers the events of a page. Those that cannot be decoded are passed over: reading them again cannot succeed, and
   * the later events of the execution must arrive. The content of an event is decoded when the provider needs it, so
   * each event is examined only after the provider met one that cannot be decoded.
   */
  private async deliver(provider: LogFollower, execution: ExecutionRef, page: LogPage): Promise<void> {
    let events = page.frames.map((frame) => readEvent(execution.executionId, frame));
    try {
      if (events.length > 0) await provider.deliver(execution, events);
    } catch (error) {
      if (!(error instanceof InvalidFrameError)) throw error;
      events = events.filter(isDecodable);
      if (events.length > 0) await provider.deliver(execution, events);
    }
    delivered.inc({ provider: provider.name }, events.length);
    const passedOver = page.invalid + page.frames.length - events.length;
    if (passedOver === 0) return;
    undecodable.inc({ provider: provider.name }, passedOver);
    const fields = { provider: provider.name, execution_id: execution.executionId, events: passedOver };
    this.logger.error(fields, 'events that cannot be decoded were not delivered');
  }

  /** Counts the events that expired before the provider read them. If Redis lost the log, their number is unknown. */
  private countMissed(provider: LogFollower, execution: ExecutionRef, position: LogPosition, page: LogPage): void {
    missedLogs.inc({ provider: provider.name });
    if (typeof position !== 'object') return;
    const first = page.frames[0]?.id;
    const missed = first === undefined || first.micros < position.micros ? 0 : first.counter - position.counter - 1;
    if (missed > 0) missedEvents.inc({ provider: provider.name }, missed);
    this.logger.error(
      {
        provider: provider.name,
        execution_id: execution.executionId,
        missed_events: Math.max(0, missed),
        last_event_id: formatEventId(execution.executionId, position),
      },
      'events expired before a provider read them',
    );
  }
}
