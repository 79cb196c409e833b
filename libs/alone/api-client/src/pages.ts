import type { FetchResponse } from 'openapi-fetch';
import { unwrapWithHeaders, type Call } from './client.js';
import type { Operation, OptionsOf, PathsWith, TypedClient } from './typed-client.js';

/** The names of the query parameters of an operation. */
type ParameterOf<Of> = Of extends { parameters: { query?: infer Query } }
  ? [NonNullable<Query>] extends [never]
    ? never
    : keyof NonNullable<Query>
  : never;

/** The paths of lists that have pages: those whose GET takes a cursor. */
type ListPath<Paths> = {
  [Path in PathsWith<Paths, 'get'>]: 'cursor' extends ParameterOf<Operation<Paths[Path], 'get'>> ? Path : never;
}[PathsWith<Paths, 'get'>];

type BodyOf<Paths, Path extends keyof Paths> = NonNullable<
  FetchResponse<Operation<Paths[Path], 'get'>, object, `${string}/${string}`>['data']
>;

/** The body of a list is an array, or an object with one array. */
type ItemOf<Body> = Body extends readonly (infer Item)[]
  ? Item
  : { [Key in keyof Body]: Body[Key] extends readonly (infer Item)[] ? Item : never }[keyof Body];

/** A page of a list, with the headers of its response: `X-Total-Count` is the size of the list if it was counted. */
export interface ListPage<Body> {
  readonly data: Body;
  readonly headers: Headers;
}

type Query = Readonly<Record<string, unknown>>;

interface ListOptions {
  readonly params?: { readonly query?: Query };
}

interface ListClient {
  GET(path: string, options: ListOptions): Call<unknown>;
}

/**
 * Requests the pages of a list one after another, each when the loop asks for it. Begins at the `cursor`, `skip` or `page`
 * of the query. Throws an ApiError for an error response.
 */
export async function* pages<Paths extends object, Path extends ListPath<Paths>>(
  client: Pick<TypedClient<Paths>, 'GET'>,
  path: Path,
  ...[options]: OptionsOf<Operation<Paths[Path], 'get'>, 'json'>
): AsyncGenerator<ListPage<BodyOf<Paths, Path>>, void, undefined> {
  // The compiler cannot resolve the types of a route that is a type parameter.
  const list = client as unknown as ListClient;
  let next: ListOptions | null = options ?? {};
  while (next !== null) {
    const { data, headers } = await unwrapWithHeaders(list.GET(String(path), next));
    yield { data: data as BodyOf<Paths, Path>, headers };
    next = optionsOfNextPage(next, headers);
  }
}

/** Iterates over the rows of all pages of a list: `for await (const agent of items(client, '/api/v1/agents')) …`. */
export async function* items<Paths extends object, Path extends ListPath<Paths>>(
  client: Pick<TypedClient<Paths>, 'GET'>,
  path: Path,
  ...options: OptionsOf<Operation<Paths[Path], 'get'>, 'json'>
): AsyncGenerator<ItemOf<BodyOf<Paths, Path>>, void, undefined> {
  for await (const { data } of pages(client, path, ...options)) yield* rowsOf(data) as ItemOf<BodyOf<Paths, Path>>[];
}

/** Null after the last page. A list that was counted is not counted again for each page. */
function optionsOfNextPage(options: ListOptions, headers: Headers): ListOptions | null {
  const cursor = headers.get('x-next-cursor');
  if (cursor === null) return null;
  const { skip: _skip, page: _page, ...query } = options.params?.query ?? {};
  const total = headers.has('x-total-count') ? { total: false } : {};
  return { ...options, params: { ...options.params, query: { ...query, ...total, cursor } } };
}

function rowsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  return Object.values(body as object).find(Array.isArray) ?? [];
}
