/** A gauge of a `MetricSource`. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** The label that distinguishes its series. Without one the gauge has one series. */
  readonly label?: string;
}

/** The value of one series. */
export interface Reading {
  readonly name: string;
  /** Values that are not finite are left out. */
  readonly value: number;
  /** Value of the label: an id or a fixed word, never a name that a client chose. */
  readonly of?: string;
}

/**
 * Gauges that are read from a store or from the memory of a service. A domain registers its metrics by providing a
 * subclass: in its handlers module if the values are those of the platform, which each dispatcher then reports, in its
 * own module if they are those of the process. Beyond 500 series of a gauge the rest is left out; a source that could
 * have more chooses the most important ones itself.
 */
export abstract class MetricSource {
  abstract readonly gauges: readonly Gauge[];

  /** Returns the current values. May reject or take long: its gauges are then absent from this response. */
  abstract read(): Promise<readonly Reading[]>;
}
