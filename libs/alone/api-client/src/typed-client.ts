import type { Client, FetchOptions, FetchResponse, ParseAs } from 'openapi-fetch';

type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** The paths that have an operation of the method. */
export type PathsWith<Paths, Method extends HttpMethod> = {
  [Path in keyof Paths]: Paths[Path] extends { readonly [M in Method]: object } ? Path : never;
}[keyof Paths];

export type Operation<Item, Method extends HttpMethod> = Item extends {
  readonly [M in Method]: infer Of extends object;
}
  ? Of
  : never;

/**
 * `'json'` is in the union so that options whose type is inferred from this one, as those that a generic function
 * returns, leave `As` at its default.
 */
type OptionsAs<Of, As> = FetchOptions<Of> & { readonly parseAs?: As | 'json' };

/** The options of a request; they can be omitted if none of them is required. */
export type OptionsOf<Of, As> =
  Partial<FetchOptions<Of>> extends FetchOptions<Of> ? [options?: OptionsAs<Of, As>] : [options: OptionsAs<Of, As>];

type ResponseOf<Of extends object, As> = Promise<FetchResponse<Of, { parseAs: As }, `${string}/${string}`>>;

type CallOf<Paths extends object, Method extends HttpMethod> = <
  Path extends PathsWith<Paths, Method>,
  As extends ParseAs = 'json',
>(
  path: Path,
  ...options: OptionsOf<Operation<Paths[Path], Method>, As>
) => ResponseOf<Operation<Paths[Path], Method>, As>;

/**
 * The client of openapi-fetch, with options that are not inferred. openapi-fetch infers the type of the options from the
 * argument itself and allows further keys, so that the compiler accepts names that no body and no query has.
 */
export interface TypedClient<Paths extends object> extends Pick<Client<Paths>, 'use' | 'eject'> {
  readonly GET: CallOf<Paths, 'get'>;
  readonly PUT: CallOf<Paths, 'put'>;
  readonly POST: CallOf<Paths, 'post'>;
  readonly PATCH: CallOf<Paths, 'patch'>;
  readonly DELETE: CallOf<Paths, 'delete'>;
  readonly request: <Method extends HttpMethod, Path extends PathsWith<Paths, Method>, As extends ParseAs = 'json'>(
    method: Method,
    path: Path,
    ...options: OptionsOf<Operation<Paths[Path], Method>, As>
  ) => ResponseOf<Operation<Paths[Path], Method>, As>;
}
