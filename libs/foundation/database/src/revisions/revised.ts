import { Column } from 'typeorm';

/** How the changes of an entity, which must have the columns `organization_id` and `id`, are counted. */
export interface RevisedKind {
  readonly kind: string;
  /** The column that grows with each change of a row by a request, and with nothing else. Default: `revision`. */
  readonly column?: string;
  /** Whether a row is also found by its unique `name`. */
  readonly hasUniqueName?: true;
}

const REVISED = 'database:revised';

/** Declares that the rows of an entity have revisions, see `Revisions`. */
export function Revised(revised: RevisedKind): ClassDecorator {
  return (target) => Reflect.defineMetadata(REVISED, revised, target);
}

/** Returns how the changes of an entity are counted; undefined if they are not. */
export function revisedKindOf(entity: object): RevisedKind | undefined {
  return Reflect.getMetadata(REVISED, entity) as RevisedKind | undefined;
}

/** The column `revision`. A trigger of the database counts, so no statement writes it and only `Revisions` reads it. */
export const RevisionColumn = (): PropertyDecorator => Column({ type: 'integer', default: 1, select: false });
