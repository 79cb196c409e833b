import type { KeyScope } from '@app/kernel';

/**
 * How the search by name shows the rows of an entity, which must have the columns `organization_id`, `id` and `name`.
 */
export interface SearchedKind {
  readonly kind: string;
  /** The scope that a key needs to find the rows. Absent: every key finds them. */
  readonly scope?: KeyScope;
  /** SQL expressions over the alias `named`. */
  readonly detail?: string;
  readonly status?: string;
  /** Whether names can exceed 255 characters. Two indexes then divide the names at this length. */
  readonly hasLongNames?: boolean;
}

const SEARCHED = 'database:searched';

/** Declares that the search by name finds the rows of an entity. The domain of the entity defines what is shown. */
export function Searchable(searched: SearchedKind): ClassDecorator {
  return (target) => Reflect.defineMetadata(SEARCHED, searched, target);
}

/** Returns how an entity is searched; undefined if it is not. */
export function searchedKindOf(entity: object): SearchedKind | undefined {
  return Reflect.getMetadata(SEARCHED, entity) as SearchedKind | undefined;
}
