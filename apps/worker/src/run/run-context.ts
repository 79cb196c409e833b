import type { Clock } from '@app/kernel';
import type { Logger } from '@app/observability';
import type { Tracer } from '@opentelemetry/api';
import type { ControlPlanePort } from '../control-plane/control-plane.port.js';
import type { RuntimeRegistry } from '../runtimes/registry.js';
import type { ModelGateway } from '../runtimes/runtime.js';
import type { OfferedSkills } from '../skills/offered-skills.js';

/** How the spans of runs are recorded. */
export interface RunTracing {
  readonly tracer: Tracer;
  /** Whether spans contain prompts, answers, and the arguments and results of tools. */
  readonly hasContent: boolean;
}

/** The dependencies shared by all runs of one worker session. */
export interface RunContext {
  readonly controlPlane: ControlPlanePort;
  readonly runtimes: RuntimeRegistry;
  readonly gateway: ModelGateway;
  readonly skills: OfferedSkills;
  /** The folder in which each run gets a folder of its own. */
  readonly workspaceFolder: string;
  /** Values to redact in events, errors and log entries, in addition to those of the lease. */
  readonly secrets: readonly string[];
  readonly workerId: string;
  readonly tracing: RunTracing;
  readonly clock: Clock;
  readonly logger: Logger;
}
