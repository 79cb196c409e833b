import type { JsonObject } from '@app/kernel';
import type { Logger } from '@app/observability';
import type { Conversation } from '../conversation/conversation.js';
import type { StepReport } from '../control-plane/control-plane.port.js';
import type { Lease } from '../control-plane/lease.js';
import type { Redactor } from '../redaction/secrets.js';
import type { KnowledgeReader } from '../skills/knowledge-tools.js';
import type { OfferedSkills } from '../skills/offered-skills.js';
import type { RunSpans } from '../tracing/run-spans.js';
import type { ModelRetries } from '../model/model-fetch.js';
import type { Workspace } from '../workspace/workspace.js';

/** An OpenAI-compatible endpoint; `url` includes the version path, for example `/v1`. */
export interface ModelGateway {
  readonly url: string;
  readonly apiKey: string | null;
  readonly retries: ModelRetries;
}

/** The input of one run. */
export interface RuntimeTask {
  readonly lease: Lease;
  readonly gateway: ModelGateway;
  readonly redactor: Redactor;
  /** The folder of the run, which all its agents share. */
  readonly workspace: Workspace;
  readonly skills: OfferedSkills;
  readonly knowledge: KnowledgeReader;
  readonly logger: Logger;
  readonly spans: RunSpans;
  /** Aborted when the run must stop: the runtime cancels its requests and rejects. */
  readonly signal: AbortSignal;
  /** Queues an event of the execution and returns at once; events are published in the order of the calls. */
  readonly publish: (type: string, data: JsonObject) => void;
  /** Resolves when the execution is not paused. The runtime awaits it between steps. */
  readonly waitWhilePaused: () => Promise<void>;
  /**
   * Stores the states of steps at the control plane, for the next attempt of the execution. Rejects if they are not
   * stored.
   */
  readonly reportSteps: (steps: readonly StepReport[]) => Promise<void>;
  /** Contains the earlier messages and stores new ones. */
  readonly conversation: Conversation;
  /** Whether the agent may ask the user, if its configuration says so: the run then ends until the user answers. */
  readonly mayAsk: boolean;
  /** Agents that this agent can delegate tasks to; absent: none. */
  readonly delegates?: readonly Delegate[];
  /** Names of the tools that the agent may call; absent or null: all. */
  readonly allowedTools?: ReadonlySet<string> | null;
  /** What the configuration of a team adds to the run of its leader; absent: nothing. */
  readonly options?: RunOptions;
  /** Finds the runtimes of the agents and teams that a run calls. */
  readonly runtimes: RuntimeFinder;
}

export interface RunOptions {
  /** The JSON Schema of the answer; null: any text. */
  readonly responseSchema: JsonObject | null;
  /** Null: no reasoning. */
  readonly reasoning: ReasoningOptions | null;
  /** Whether the size and time of each request to the model are published. */
  readonly isDebugged: boolean;
}

/** Thinking before the first request of the agent loop. */
export interface ReasoningOptions {
  /** The model that thinks; null: that of the run. */
  readonly model: string | null;
  /** The system prompt for thinking; null: that of the run. */
  readonly systemPrompt: string | null;
  readonly minSteps: number;
  readonly maxSteps: number;
}

/** An agent that another agent can delegate tasks to. */
export interface Delegate {
  /** Not unique. */
  readonly name: string;
  readonly description: string | null;
  /** Runs the task and returns the answer. */
  readonly run: (task: string, signal: AbortSignal) => Promise<string>;
}

export interface RuntimeFinder {
  /** Throws a RuntimeFailure if this worker has no runtime for the lease. */
  for(lease: Lease): Runtime;
}

/** Totals over all requests of one run to the model. */
export interface RuntimeUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly model: string;
  readonly requests: number;
  readonly tool_calls: number;
}

export interface RuntimeResult {
  readonly response: string;
  /** The `message_id` of the `message_chunk` events that make up the response. */
  readonly messageId: string;
  readonly usage: RuntimeUsage;
  /**
   * The message that ends with the question of the agent to the user; the run continues with the answer. Absent: the run
   * is complete.
   */
  readonly question?: string;
}

/** Runs agents. One instance runs several executions concurrently and keeps no state between them. */
export interface Runtime {
  /** The value of an agent's `runtime` field that selects this runtime. */
  readonly name: string;
  run(task: RuntimeTask): Promise<RuntimeResult>;
}

/** A failure whose message is shown to users as the execution's error; `usage` is the usage up to the failure. */
export class RuntimeFailure extends Error {
  override readonly name = 'RuntimeFailure';

  constructor(
    message: string,
    readonly usage: RuntimeUsage | null = null,
  ) {
    super(message);
  }
}
