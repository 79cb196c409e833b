import type { JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import type { Lease } from '../lease.js';
import type { Redactor } from '../secrets.js';

/** Where a runtime finds its models: an OpenAI-compatible endpoint, its address up to and including the version. */
export interface ModelGateway {
  readonly url: string;
  readonly apiKey: string | null;
}

/** One execution as a runtime sees it. */
export interface RuntimeTask {
  readonly lease: Lease;
  readonly gateway: ModelGateway;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Ends the work; a runtime stops what it has under way and rejects. */
  readonly signal: AbortSignal;
  /** Publishes an event of the execution, in order, without waiting. */
  readonly publish: (type: string, data: JsonObject) => void;
  /** To be awaited between steps: holds while the execution is paused. */
  readonly whilePaused: () => Promise<void>;
}

/** Tokens are counted over all requests to the model. */
export interface RuntimeUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly model: string;
  /** Requests to the model. */
  readonly requests: number;
  readonly tool_calls: number;
}

export interface RuntimeResult {
  readonly response: string;
  /** Id of the message whose chunks make up the response. */
  readonly messageId: string;
  readonly usage: RuntimeUsage;
}

/** A way to run an agent. It keeps no state between executions; several run at the same time. */
export interface Runtime {
  /** What an agent's `runtime` field says to get this one. */
  readonly name: string;
  run(task: RuntimeTask): Promise<RuntimeResult>;
}

/** A failure whose message is for the execution's reader, with what was used up to it. */
export class RuntimeFailure extends Error {
  override readonly name = 'RuntimeFailure';

  constructor(
    message: string,
    readonly usage: RuntimeUsage | null = null,
  ) {
    super(message);
  }
}
