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
  /** Values that are not finite are omitted. */
  readonly value: number;
  /** Value of the label: an id or a fixed word, never a name that a client chose. */
  readonly of?: string;
}

/**
 * Gauges that are read from a store or from the memory of a service. A domain registers its metrics by providing a
 * subclass. Values of the whole platform are provided by the handlers module of the domain, so that each dispatcher
 * reports them; values of the process are provided by the module of the domain itself. A gauge has at most 500 series;
 * a source that could have more must select the most important ones.
 */
export abstract class MetricSource {
  abstract readonly gauges: readonly Gauge[];

  /** Returns the current values. If it rejects or takes too long, its gauges are missing in the response. */
  abstract read(): Promise<readonly Reading[]>;
}
