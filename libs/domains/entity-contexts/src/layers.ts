import { distinctBy, entityKeyOf, type EntityRef } from '@app/kernel';

/**
 * The parts from which `orderLayers` builds the layers of a runnable. Environments are ids of existing environments.
 */
export interface LayerParts {
  readonly own: EntityRef;
  readonly environmentIds: readonly string[];
  /** The runnables of which the runnable is a member, each with its environments. */
  readonly owners: readonly { readonly entity: EntityRef; readonly environmentIds: readonly string[] }[];
  readonly projectIds: readonly string[];
}

/**
 * Returns the entities from which a runnable inherits, in order: its environments, then each owner followed by the
 * environments of that owner, then its projects, then the runnable itself. An entity that occurs several times keeps
 * its first position. Later layers take precedence.
 */
export function orderLayers({ own, environmentIds, owners, projectIds }: LayerParts): EntityRef[] {
  const layers = [
    ...environmentIds.map(environment),
    ...owners.flatMap((owner) => [owner.entity, ...owner.environmentIds.map(environment)]),
    ...projectIds.map((entity_id) => ({ entity_type: 'project', entity_id })),
    own,
  ];
  return distinctBy(layers, entityKeyOf);
}

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

/** Merges lists in first-seen order, without duplicates. */
export function mergeLists(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

function environment(id: string): EntityRef {
  return { entity_type: 'environment', entity_id: id };
}
