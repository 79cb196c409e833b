import { distinctBy, entityKeyOf, type EntityRef } from '@app/kernel';

/** What is known of a runnable before its layers are in order. Environments are ids, without unknown ones. */
export interface LayerParts {
  readonly own: EntityRef;
  readonly environmentIds: readonly string[];
  /** What it is a member of, each with its environments. */
  readonly owners: readonly { readonly entity: EntityRef; readonly environmentIds: readonly string[] }[];
  readonly projectIds: readonly string[];
}

/**
 * Returns what a runnable inherits from, and itself at the end: its environments, then each owner with the environments of
 * that owner behind it, then its projects. An entity that occurs again counts at its first position. Later layers take
 * precedence.
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

/** Merges lists in first-seen order, without duplicates. */
export function mergeLists(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}

function environment(id: string): EntityRef {
  return { entity_type: 'environment', entity_id: id };
}
