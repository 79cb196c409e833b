/** The execution environments that a run inherits, by their origin. */
export interface VariableLayers<Layer> {
  readonly ofEnvironments: readonly Layer[];
  readonly ofProjects: readonly Layer[];
  /** Those of the runnables of which the run's runnable is a member, then those of the runnable itself. */
  readonly ofRunnables: readonly Layer[];
}

/** Returns the layers in the order in which every run applies them: each overrides those before it. */
export function orderVariableLayers<Layer>(layers: VariableLayers<Layer>): Layer[] {
  return [...layers.ofEnvironments, ...layers.ofProjects, ...layers.ofRunnables];
}
