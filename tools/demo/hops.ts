/** When things happened, in milliseconds since the epoch of one clock (all processes are on this machine). */
export interface Moments {
  readonly triggered: number;
  readonly answered: number;
  readonly created: number;
  readonly started: number;
  readonly firstChunkPublished: number | undefined;
  readonly firstChunkSeen: number | undefined;
  readonly completed: number;
  readonly doneSeen: number;
}

export interface Hop {
  readonly name: string;
  readonly ms: number;
}

/** What each hop of a run took, in the order in which they happen; a hop that did not happen is left out. */
export function hops(moments: Moments): Hop[] {
  const { triggered, answered, created, started, firstChunkPublished, firstChunkSeen, completed, doneSeen } = moments;
  const between = (name: string, from: number | undefined, to: number | undefined): Hop[] =>
    from === undefined || to === undefined ? [] : [{ name, ms: Math.max(0, to - from) }];
  return [
    ...between('trigger: request to answer, execution and outbox committed', triggered, answered),
    ...between('relay and lease: execution created to running on the worker', created, started),
    ...between('think: running to first chunk published', started, firstChunkPublished),
    ...between('publish and stream: first chunk published to seen here', firstChunkPublished, firstChunkSeen),
    ...between('run: running to completed', started, completed),
    ...between('report: completed to "done" seen here', completed, doneSeen),
    ...between('all: trigger to "done"', triggered, doneSeen),
  ];
}
