/**
 * Work a dispatcher does again and again, one concern each. Several dispatchers run at once, so two runs of the same
 * task may overlap on different machines; within a process a run starts only after the last one ended.
 * Every provider of this class in a dispatcher's modules is found and run.
 */
export abstract class PeriodicTask {
  /** `<domain>.<what it does>`, for logs. */
  abstract readonly name: string;
  /** Milliseconds between the end of a run and the next one's start. */
  abstract readonly intervalMs: number;
  /** `signal` is aborted when the process stops: finish the present step and return. */
  abstract run(signal: AbortSignal): Promise<void>;
}
