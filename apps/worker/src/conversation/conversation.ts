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
      /** The message was interrupted: the run was cancelled or failed. */
      readonly partial?: true;
      /** The message asks the user: its text ends with the question. */
      readonly input_required?: true;
    }
  | {
      readonly role: 'tool';
      readonly content: string;
      readonly tool_call_id: string;
      readonly tool_name: string;
      readonly status: 'success' | 'failed';
    };

/** The messages that precede the next request to the model, as the control plane stores them. */
export interface History {
  /** Texts of earlier runs of the same session. */
  readonly earlier: readonly JsonObject[];
  /** The messages of earlier attempts of this run, and those that users sent to it. */
  readonly own: readonly JsonObject[];
}

export const NO_HISTORY: History = { earlier: [], own: [] };

/** The conversation of one agent within a run. */
export interface Conversation {
  readonly history: History;
  /** Queues messages for storage: new ones, or ones that users sent to the run. Returns at once. */
  append(messages: readonly (NewMessage | JsonObject)[]): void;
  /**
   * Queues messages of an agent that this one called. They are stored in front of the messages of the next `append`.
   */
  attach(messages: readonly JsonObject[]): void;
}

/**
 * Collects the messages of an agent that a run calls. They are stored only after that agent has ended: if the attempt
 * of the execution is lost earlier, the next attempt calls the agent again.
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

  /** Returns the messages with added fields that name their member or step. */
  marked(marks: JsonObject): JsonObject[] {
    return this.messages.map((message) => ({ ...message, ...marks }));
  }

  /**
   * Like `marked`, for a step of a workflow. The ids are the same in each attempt, so that no message is stored twice.
   */
  ofStep(step: string): JsonObject[] {
    return this.marked({ step }).map((message, index) => ({ ...message, message_id: `step:${step}:${index}` }));
  }
}
