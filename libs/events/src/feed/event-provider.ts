import type { JsonObject } from '@app/kernel';
import type { ExecutionRef } from '../event-types.js';

/** The providers that can deliver events. */
export type EventProviderName = 'redis' | 'http' | 'websocket' | 'nats';

/** An event as the log holds it. */
export interface LoggedEvent {
  /** `{execution_id}_{counter}_{unix_micros}` */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  /** As published. */
  readonly timestamp: string;
  /** When it was appended to the log. */
  readonly logged_at: Date;
}

/**
 * Delivers events elsewhere. A provider is one class that a module of the process provides; `EventProviders` discovers it.
 * It reads from the log: what a provider does or fails to do never reaches a publisher.
 */
export abstract class EventProvider {
  abstract readonly name: EventProviderName;
  abstract readonly enabled: boolean;
  /** Does one round trip through what the provider depends on; rejects if that fails. Called at most once a second. */
  abstract probe(): Promise<void>;
}

/** A provider that receives every event of the log, at its own pace. */
export abstract class LogFollower extends EventProvider {
  /** Whether it follows every organization; otherwise those of `GrownLogs.follow`. */
  readonly followsAll: boolean = false;
  /**
   * Takes over the next events of an execution, in the order of the log. Rejects if it could not; then they are offered
   * again. After a crash they are offered again as well, so it must be idempotent by event id.
   */
  abstract deliver(execution: ExecutionRef, events: readonly LoggedEvent[]): Promise<void>;
}
