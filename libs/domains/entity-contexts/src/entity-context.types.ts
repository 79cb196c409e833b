import type { EntityRef, Patch } from '@app/kernel';

export const MAX_CONTEXT_IDS = 1000;

/**
 * The lists that a client sets. Ids are stored as sent. Policies must exist and are evaluated at the start of a run;
 * the other ids are passed to the worker unchecked.
 */
export interface ContextLists {
  readonly knowledge_uuids: readonly string[];
  readonly resource_ids: readonly string[];
  /** Policies that apply to everything that inherits from the entity. */
  readonly policy_ids: readonly string[];
}

export interface EntityContext extends ContextLists, EntityRef {
  readonly organization_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type UpdateContext = Patch<ContextLists>;

export interface ContextLayer extends ContextLists, EntityRef {}

/** The context of an entity after all layers; the lists are in first-seen order, without duplicates. */
export interface ResolvedContext extends ContextLists, EntityRef {
  /** The first environment among the layers; null if there is none. */
  readonly environment_id: string | null;
  readonly team_id: string | null;
  readonly project_id: string | null;
  /** In the order of `orderLayers`: later ones take precedence. */
  readonly layers: readonly ContextLayer[];
}
