import type { JsonObject } from '@app/kernel';

/** A call of a tool by the model. */
export interface StoredToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** A message of a conversation before it is stored. */
export type NewMessage =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly message_id: string;
      readonly tool_calls?: readonly StoredToolCall[];
    }
  | {
      readonly role: 'tool';
      readonly content: string;
      readonly tool_call_id: string;
      readonly tool_name: string;
      readonly status: 'success' | 'failed';
    };

/** What a run said before, in the form in which the control plane stores it. */
export interface History {
  /** Texts of earlier runs of the same session. */
  readonly earlier: readonly JsonObject[];
  /** The messages of earlier attempts of this run, with those that users sent into it. */
  readonly own: readonly JsonObject[];
}

export const NO_HISTORY: History = { earlier: [], own: [] };

/** The conversation of one agent within a run. */
export interface Conversation {
  readonly history: History;
  /** Stores messages, new ones or such that were sent into the run; returns at once. */
  append(messages: readonly (NewMessage | JsonObject)[]): void;
  /** Stores messages of an agent that this one called, together with the next ones that are appended. */
  attach(messages: readonly JsonObject[]): void;
}

/**
 * Collects the messages of an agent that a run calls, and stores them when it has ended: an attempt of the execution that
 * is lost meanwhile calls it again.
 */
export class NestedConversation implements Conversation {
  readonly history = NO_HISTORY;
  private readonly messages: JsonObject[] = [];

  append(messages: readonly (NewMessage | JsonObject)[]): void {
    this.messages.push(...messages.map((message) => ({ ...message })));
  }

  attach(messages: readonly JsonObject[]): void {
    this.append(messages);
  }

  /** Returns the messages with marks that tell whose they are. */
  marked(marks: JsonObject): JsonObject[] {
    return this.messages.map((message) => ({ ...message, ...marks }));
  }

  /** Like `marked`, for a step of a workflow. The ids are the same in each attempt, so that no message is stored twice. */
  ofStep(step: string): JsonObject[] {
    return this.marked({ step }).map((message, index) => ({ ...message, message_id: `step:${step}:${index}` }));
  }
}
