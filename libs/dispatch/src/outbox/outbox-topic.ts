const declared = new Map<string, OutboxTopic<never>>();

/**
 * A kind of message that goes through the outbox, named `<thing>.<what happened>`. Declared once, beside its one
 * handler; an application in which a declared topic has no handler, or two, does not start.
 */
export class OutboxTopic<Payload extends object> {
  /** Only a type: what `Outbox.add` takes, what travels as JSON, and what the handler gets. */
  declare readonly payload: Payload;

  constructor(readonly name: string) {
    if (declared.has(name)) throw new Error(`The outbox topic ${name} is declared twice`);
    declared.set(name, this as unknown as OutboxTopic<never>);
  }
}

export function declaredTopics(): readonly string[] {
  return [...declared.keys()];
}

/**
 * Does what a topic's messages ask for. Called right after the commit and again until it succeeded once, perhaps twice
 * at the same time: the same message again must change nothing.
 */
export abstract class TopicHandler<Payload extends object> {
  abstract readonly topic: OutboxTopic<Payload>;
  abstract handle(payload: Payload): Promise<void>;
}
