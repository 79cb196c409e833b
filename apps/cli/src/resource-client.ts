import { ApiError, unwrap, unwrapWithHeaders, type ControlPlaneClient, type PlatformApiClient } from '@app/api-client';
import type { Connection } from './connection.js';
import { CommandError, EXIT_CODES } from './errors.js';
import type { Row } from './output.js';
import { filtersOf, type Resource } from './resources.js';

interface Request {
  readonly params?: { readonly path?: Row; readonly query?: Row; readonly header?: Row };
  readonly body?: unknown;
}
interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}
/**
 * Calls the generated client with a path and a method that are known at run time only; resources.spec.ts checks them.
 */
interface UntypedClient {
  request(method: string, path: string, request: Request): Promise<Answer>;
}

/** The largest page that every list allows. */
const PAGE_SIZE = 100;

class NotFound extends CommandError {}

/** 422: the text is not a valid id, so no resource has it. */
function isNotFound(error: unknown): boolean {
  return error instanceof NotFound || (error instanceof ApiError && (error.status === 404 || error.status === 422));
}

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The routes of one kind of resource. All methods throw an ApiError for an error response. */
export class ResourceClient {
  /** The lists that `matching` has requested, by query. Dropped when this client changes a resource. */
  private readonly lists = new Map<string, Promise<readonly Row[]>>();
  /** The `ETag` of the rows that were read and have one. */
  private readonly tags = new WeakMap<Row, string>();

  constructor(
    private readonly connection: Connection,
    private readonly resource: Resource,
  ) {}

  idOf(row: Row): string {
    return String(row[this.resource.id ?? 'id']);
  }

  /** Returns up to `limit` rows, requesting as many pages as needed. */
  async list(query: Row, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const page of this.pages(query, limit)) rows.push(...page);
    return rows.slice(0, limit);
  }

  /**
   * Returns the resource with this id. If none has it, throws the ApiError of the response; a CommandError if the item
   * route has no GET.
   */
  async read(id: string): Promise<Row> {
    if (this.resource.isRead === false) {
      const [row] = await this.matching({ id });
      return row ?? this.fail(id);
    }
    const sent = this.send('get', this.resource.item, { params: { path: this.itemParameters(id) } });
    const { data, headers } = await unwrapWithHeaders(sent);
    const row = data as Row;
    const tag = headers.get('etag');
    if (tag !== null) this.tags.set(row, tag);
    return row;
  }

  /** Creates a resource. Fields with the names of path parameters become part of the path. */
  async create(fields: Row): Promise<Row> {
    const { list, create = list } = this.resource;
    const names = parametersOf(create);
    const inPath = Object.entries(fields).filter(([name]) => names.includes(name));
    const inBody = Object.entries(fields).filter(([name]) => !names.includes(name));
    const missing = names.find((name) => fields[name] === undefined);
    if (missing !== undefined) throw new CommandError(`${missing}: is required`, EXIT_CODES.data);
    const params = { path: Object.fromEntries(inPath) };
    return this.change('post', create, { params, body: Object.fromEntries(inBody) });
  }

  async update(id: string, changes: Row): Promise<Row> {
    const { item, update = 'patch' } = this.resource;
    return this.change(update, item, { params: { path: this.itemParameters(id) }, body: changes });
  }

  /** Updates a row that was read. Throws an ApiError with the status 412 if others have changed it since. */
  async updateRead(row: Row, changes: Row): Promise<Row> {
    const { item, update = 'patch' } = this.resource;
    const tag = this.tags.get(row);
    const header = tag === undefined ? {} : { header: { 'If-Match': tag } };
    const params = { path: this.itemParameters(this.idOf(row)), ...header };
    return this.change(update, item, { params, body: changes });
  }

  async delete(id: string): Promise<void> {
    await this.change('delete', this.resource.item, { params: { path: this.itemParameters(id) } });
  }

  /**
   * Returns the resource with this id, else the one with this name. Throws a CommandError if there is none, or if
   * several have the name.
   */
  async find(idOrName: string): Promise<Row> {
    try {
      return await this.read(idOrName);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    const { plural, knownBy = ['name'] } = this.resource;
    const [name] = knownBy;
    const [found, ...others] = name === undefined ? [] : await this.matching({ [name]: idOrName });
    if (others.length > 0) {
      const ids = [found ?? {}, ...others].map((row) => this.idOf(row)).join(', ');
      throw new CommandError(`Several ${plural} are called "${idOrName}": ${ids}.`, EXIT_CODES.failed, 'Use the id.');
    }
    return found === undefined ? this.fail(idOrName) : this.read(this.idOf(found));
  }

  /**
   * Returns all resources with these values of fields. Lists those that match the fields by which the route can filter;
   * each such list is requested once until this client changes a resource.
   */
  async matching(fields: Row): Promise<Row[]> {
    const filters = filtersOf(this.resource);
    const query = Object.fromEntries(Object.entries(fields).filter(([name]) => filters.includes(name)));
    const rows = await this.listOnce(query);
    return rows.filter((row) => Object.entries(fields).every(([name, value]) => row[name] === value));
  }

  private listOnce(query: Row): Promise<readonly Row[]> {
    const key = JSON.stringify(query);
    const known = this.lists.get(key);
    if (known !== undefined) return known;
    const list = this.list({ ...query, total: false }, Infinity);
    this.lists.set(key, list);
    // A list that failed is requested again.
    list.catch(() => this.lists.delete(key));
    return list;
  }

  private async *pages(query: Row, limit: number): AsyncGenerator<readonly Row[]> {
    let cursor: string | null = null;
    for (let left = limit; left > 0; left -= PAGE_SIZE) {
      const position = cursor === null ? {} : { cursor };
      const page = { ...query, [this.resource.pageSize ?? 'limit']: Math.min(left, PAGE_SIZE), ...position };
      const sent = this.send('get', this.resource.list, { params: { query: page } });
      const { data, headers } = await unwrapWithHeaders(sent);
      yield rowsOf(data);
      cursor = headers.get('x-next-cursor');
      if (cursor === null) return;
    }
  }

  private fail(idOrName: string): never {
    const { kind, plural } = this.resource;
    const advice = `List them: agentctl ${plural} list`;
    throw new NotFound(`There is no ${kind} "${idOrName}".`, EXIT_CODES.failed, advice);
  }

  private itemParameters(id: string): Row {
    return Object.fromEntries(parametersOf(this.resource.item).map((name) => [name, id]));
  }

  private async change(method: string, path: string, request: Request): Promise<Row> {
    try {
      return await this.request(method, path, request);
    } finally {
      this.lists.clear();
    }
  }

  private async request(method: string, path: string, request: Request): Promise<Row> {
    return (await unwrap(this.send(method, path, request))) as Row;
  }

  private send(method: string, path: string, request: Request): Promise<Answer> {
    const client = this.resource.api === 'platform' ? this.connection.platformApi : this.connection.controlPlane;
    return sendTo(client, method, path, request);
  }
}

/** Sends a request whose path and method are known at run time only. */
export function sendTo(
  client: ControlPlaneClient | PlatformApiClient,
  method: string,
  path: string,
  request: Request,
): Promise<Answer> {
  return (client as unknown as UntypedClient).request(method, path, request);
}

/** The body of a list is an array, or an object that contains one array and counts. */
export function rowsOf(body: unknown): readonly Row[] {
  if (Array.isArray(body)) return body as Row[];
  return (Object.values(body as Row).find(Array.isArray) as Row[] | undefined) ?? [];
}
