import type { ControlPlanePaths, PlatformApiPaths } from '@app/api-client';

export type Path = keyof ControlPlanePaths | keyof PlatformApiPaths;

/** A command for one route of a kind of resource. Its arguments and its request follow from this description. */
export interface Action {
  /** The kind of resource whose command has this one, or a group of commands. */
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: Path;
  /**
   * The arguments, in their order, each a parameter of the path or a field of the body. The name of a kind: the argument
   * is the name or id of such a resource.
   */
  readonly args: readonly Argument[];
  /** Whether `--file` and `--set` give further fields of the body. */
  readonly hasFields?: true;
  /** The query parameters that `--filter` sets. */
  readonly filters?: readonly string[];
  /** What a table shows: the columns of a list, or the fields of a single row. Default: all fields of the row. */
  readonly columns?: readonly string[];
  /** A list in pages, which has the option `--limit`. */
  readonly isPaged?: true;
  /** What is printed after a success instead of the response. */
  readonly done?: string;
  /** The arguments of the example in the help. */
  readonly example: string;
}

export interface Argument {
  /** A parameter of the path, otherwise a field of the body. */
  readonly to: string;
  /** The name in the help, if it is not `to`. */
  readonly name?: string;
  /** The kind of the resource that the argument names. `by`: the argument with this name says it. */
  readonly kind?: string | { readonly by: string };
  readonly choices?: readonly string[];
}

export const of = (kind: string, to: string): Argument => ({ to, kind, name: kind });
export const entityType = (...choices: readonly string[]): Argument => ({ to: 'entity_type', name: 'type', choices });
export const ENTITY: Argument = { to: 'entity_id', name: 'entity', kind: { by: 'entity_type' } };
