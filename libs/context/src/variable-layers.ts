/** The execution environments that a run inherits, by where they come from. */
export interface VariableLayers<Layer> {
  readonly ofEnvironments: readonly Layer[];
  readonly ofProjects: readonly Layer[];
  /** Those of the runnables of which it is a member, then its own. */
  readonly ofRunnables: readonly Layer[];
}

/** Returns the layers in the order in which every run applies them: each overrides those before it. */
export function orderVariableLayers<Layer>(layers: VariableLayers<Layer>): Layer[] {
  return [...layers.ofEnvironments, ...layers.ofProjects, ...layers.ofRunnables];
}
