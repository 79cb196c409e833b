import type { ExecutionRef, LoggedEvent } from '../log/event-types.js';

/** The providers that can deliver events. */
export type EventProviderName = 'redis' | 'http' | 'websocket' | 'nats';

/**
 * Delivers events to another system. A provider is a class that a module of the process provides; `EventProviders`
 * discovers it. Its events come from the log, so its delays and failures never affect publishers.
 */
export abstract class EventProvider {
  abstract readonly name: EventProviderName;
  abstract readonly enabled: boolean;
  /** Makes one round trip to the system of the provider; rejects if it fails. Called at most once per second. */
  abstract probe(): Promise<void>;
}

/** A provider that receives every event of the log, at its own pace. */
export abstract class LogFollower extends EventProvider {
  /** Whether the provider follows all organizations. If not, it follows those of `UnreadLogs.follow`. */
  readonly followsAll: boolean = false;
  /**
   * Delivers the next events of an execution, in the order of the log. If it rejects, it is called with the same events
   * again. The same can happen after a crash, so it must be idempotent by event id.
   */
  abstract deliver(execution: ExecutionRef, events: readonly LoggedEvent[]): Promise<void>;
}
