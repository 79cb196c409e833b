/**
 * A type of outbox message, named `<noun>.<past participle>`, such as `execution.created`. The modules whose services add
 * messages of a topic declare it (`OutboxTopicsModule.forFeature`). An application in which a declared topic does not have
 * exactly one handler does not start.
 */
export class OutboxTopic<Payload extends object> {
  /** Only a type, without a value at run time: the JSON object that `Outbox.add` stores and the handler receives. */
  declare readonly payload: Payload;

  constructor(readonly name: string) {}
}

/** The topics that one module declares. */
export class DeclaredTopics {
  constructor(readonly topics: readonly OutboxTopic<object>[]) {}
}

/** How a message reached its handler. */
export interface RelayContext {
  /**
   * Whether a sweeper relays the message, which happens some seconds after the commit or later. Messages that were
   * stored after this one may already have been handled.
   */
  readonly isOverdue: boolean;
}

/**
 * Handles the messages of a topic. Called after the commit and retried until it succeeds, so a message is handled at least
 * once, possibly concurrently. Handlers must be idempotent.
 */
export abstract class TopicHandler<Payload extends object> {
  abstract readonly topic: OutboxTopic<Payload>;
  abstract handle(payload: Payload, context: RelayContext): Promise<void>;
}
