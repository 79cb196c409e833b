export type Fields = Readonly<Record<string, unknown>>;

/** Marks a field that an empty value does not change. */
export const KEPT = Symbol('kept');

/** Creates a resource and returns its id. */
export type Create = (path: string, body: Fields) => Promise<string>;

/** How clients create, read, update and delete one kind of resource, and what they expect of its fields. */
export interface Cycle {
  readonly api: 'control-plane' | 'platform-api';
  readonly path: string;
  /** Path of one resource. */
  readonly item: string;
  /** The field that the path of one resource contains. Default `id`. */
  readonly key?: string;
  /** The smallest valid body, without the unique fields. */
  readonly minimal: Fields;
  /**
   * Required fields of which no two resources have the same value. A second resource with all of them is a duplicate.
   */
  readonly unique?: Readonly<Record<string, (number: number) => string | Promise<string>>>;
  /** Optional fields, with the values that they have in a response if they are omitted. */
  readonly defaults: Fields;
  /** Fields of `defaults` that have another value in the response if an empty string was sent. */
  readonly blank?: Fields;
  /** Values for all fields, without the unique ones. */
  readonly full: Fields;
  /** Further optional fields of `full` of which no two resources have the same value. */
  readonly distinctInFull?: Readonly<Record<string, (number: number) => string>>;
  /** New values of fields, sent one by one. A resource without changes cannot be updated. */
  readonly changes?: Fields;
  /** Values of fields after an update to null or "". */
  readonly emptied?: Fields;
  /** Fields of `emptied` that null changes although "" keeps them. */
  readonly nulled?: Fields;
  /** Methods of an update, which are equivalent. Default PATCH. */
  readonly verbs?: readonly string[];
  /** Fields of a response that are derived from others. */
  readonly derived?: readonly string[];
  readonly writeOnly?: readonly string[];
  /** Fields that the entries of the list lack. */
  readonly unlisted?: readonly string[];
  /** Fields that only the response for a single resource has. */
  readonly detailed?: readonly string[];
  /** Fields that only the response to the creation has. */
  readonly shownOnce?: readonly string[];
  /** Deletion returns 200 with the id; otherwise 204. */
  readonly isDeletionConfirmed?: boolean;
  readonly isUnpaged?: boolean;
  /** There is no route that reads a single resource. */
  readonly isUnreadable?: boolean;
  /** Unknown fields are rejected instead of ignored. */
  readonly forbidsUnknown?: boolean;
}

/** Free text and objects with details that a server might normalize. */
export const TEXT = '  First line\n\tand "another"  ';
export const OBJECT = { z: 1, a: { 'key with spaces': [null, '', 0, false], b: 1.5 } };
export const OTHER = { other: [] };
export const TAGS = ['b', 'a', 'B'];

export const numbered =
  (prefix: string) =>
  (number: number): string =>
    `${prefix}-${number}`;
