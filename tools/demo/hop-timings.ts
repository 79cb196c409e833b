/** The timestamps of one run in milliseconds since the epoch. All processes share the clock of this machine. */
export interface RunTimestamps {
  readonly triggered: number;
  readonly responded: number;
  readonly created: number;
  readonly started: number;
  readonly firstChunkPublished: number | undefined;
  readonly firstChunkReceived: number | undefined;
  readonly completed: number;
  readonly doneReceived: number;
}

export interface Hop {
  readonly name: string;
  readonly ms: number;
}

/** Returns the duration of each hop of a run, in order; omits hops that did not happen. */
export function measureHops(timestamps: RunTimestamps): Hop[] {
  const { triggered, responded, created, started, firstChunkPublished, firstChunkReceived, completed, doneReceived } =
    timestamps;
  const between = (name: string, from: number | undefined, to: number | undefined): Hop[] =>
    from === undefined || to === undefined ? [] : [{ name, ms: Math.max(0, to - from) }];
  return [
    ...between('trigger: request until response (execution and outbox row committed)', triggered, responded),
    ...between('relay and lease: execution created until running on the worker', created, started),
    ...between('first chunk: running until first chunk published', started, firstChunkPublished),
    ...between('stream: first chunk published until received here', firstChunkPublished, firstChunkReceived),
    ...between('run: running until completed', started, completed),
    ...between('report: completed until "done" received here', completed, doneReceived),
    ...between('total: trigger until "done" received here', triggered, doneReceived),
  ];
}
