import type { JsonObject } from '@app/kernel';

export const MAX_DEFINED_STEPS = 500;

/** A step of a run, by its name in the definition. */
export interface DefinedStep {
  readonly name: string;
  /** A step whose type is a kind of runnables runs `entity_id`; the other types run no runnable. */
  readonly type: string;
  /**
   * The id of the runnable at the start of the run; null for other types, and if it did not exist or its name was
   * ambiguous.
   */
  readonly entity_id: string | null;
}

/** The steps that the runs of a runnable follow, for the kinds whose runs follow steps. */
export interface RunDefinition {
  readonly version: number;
  /** At most `MAX_DEFINED_STEPS`. */
  readonly steps: readonly DefinedStep[];
}

/**
 * The definition that a run follows, fixed at its start, so that later changes of the runnable do not change what the
 * gate has checked.
 */
export interface FixedDefinition extends RunDefinition {
  readonly params: JsonObject;
}

/** Returns the definition for a run that starts now; null for kinds without one. */
export function fixDefinition(
  runnable: { readonly definition?: RunDefinition } | undefined,
  params: JsonObject,
): FixedDefinition | null {
  return runnable?.definition === undefined ? null : { ...runnable.definition, params };
}
