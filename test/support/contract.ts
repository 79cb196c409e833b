import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type ApiName = 'control-plane' | 'platform-api';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export type Schema = Record<string, unknown>;

export interface Operation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** `none`: public. `any`: every valid key. */
  readonly scope: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the JSON body, with unresolved references. */
  readonly body: Schema | undefined;
  /** By status; shared responses are references. */
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: { readonly 'X-Error-Code': { readonly schema: { readonly enum: readonly string[] } } };
  };
}

/** Media types of responses that clients may decode with another charset than UTF-8 if none is named. */
const TEXTUAL = /^text\/|^application\/json$/;
/** Exporters of OTLP compare the whole header: they overlook refused spans in a response that names its charset. */
const OTLP_PATH = '/v1/traces';

export interface ReceivedResponse {
  readonly status: number;
  readonly contentType: string | null;
  /** The value of `X-Error-Code`. */
  readonly errorCode: string | null;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

/** A published OpenAPI document; checks responses against it. */
export class Contract {
  private static readonly loaded = new Map<ApiName, Contract>();
  readonly operations: readonly Operation[];
  private readonly document: Document;
  private readonly routes: readonly { readonly operation: Operation; readonly pattern: RegExp }[];
  private readonly validator = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  private constructor(private readonly api: ApiName) {
    const file = join(__dirname, '..', '..', 'docs', 'openapi', `${api}.json`);
    this.document = JSON.parse(readFileSync(file, 'utf8')) as Document;
    addFormats.default(this.validator);
    this.validator.addSchema(this.document, api);
    this.operations = Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => readOperation(method, path, operation)),
    );
    // If two routes match a path, the one with fewer parameters applies.
    this.routes = this.operations
      .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
      .sort((one, other) => parameterCount(one.operation.path) - parameterCount(other.operation.path));
  }

  static of(api: ApiName): Contract {
    const contract = Contract.loaded.get(api) ?? new Contract(api);
    Contract.loaded.set(api, contract);
    return contract;
  }

  /** Returns the referenced schema, or the schema itself. */
  resolve(schema: Schema): Schema {
    const reference = schema['$ref'];
    const name = typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : this.resolve(this.document.components.schemas[name] ?? {});
  }

  /**
   * Returns the deviations of a response from the document. For a route that is not in the document, only `X-Error-Code` is
   * checked.
   */
  faults(method: string, path: string, received: ReceivedResponse): string[] {
    return [...this.codeFaults(method, path, received), ...this.routeFaults(method, path, received)];
  }

  private codeFaults(method: string, path: string, { status, errorCode }: ReceivedResponse): string[] {
    const { enum: codes } = this.document.components.headers['X-Error-Code'].schema;
    const fits = status < 400 ? errorCode === null : errorCode !== null && codes.includes(errorCode);
    return fits ? [] : [`${method} ${path}: ${status} has the X-Error-Code ${errorCode}`];
  }

  private routeFaults(method: string, path: string, received: ReceivedResponse): string[] {
    const route = this.routes.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(decodedOr(path)),
    );
    if (route === undefined) return [];
    const { operation } = route;
    const response = this.responseOf(operation, received.status);
    const label = `${method} ${operation.path}: ${received.status}`;
    if (response === undefined) return [`${label} is not documented`];
    const [mediaType] = (received.contentType ?? '').split(';');
    const { content } = response;
    if ('*/*' in (content ?? {})) return [];
    if (content === undefined) return received.body === undefined ? [] : [`${label} should have no body`];
    if (mediaType === undefined || !(mediaType in content)) return [`${label} came as ${received.contentType}`];
    const isTextual = TEXTUAL.test(mediaType) && operation.path !== OTLP_PATH;
    if (isTextual && received.contentType?.endsWith('; charset=utf-8') !== true)
      return [`${label} does not name its charset: ${received.contentType}`];
    if (mediaType !== 'application/json') return [];
    return this.schemaFaults(operation, received.status, received.body).map((fault) => `${label}${fault}`);
  }

  /** Returns the documented response of a status; undefined if there is none. */
  responseOf({ responses }: Operation, status: number): Response | undefined {
    const response = responses[String(status)];
    if (response === undefined || !('$ref' in response)) return response;
    return this.document.components.responses[response.$ref.replace('#/components/responses/', '')];
  }

  private schemaFaults(operation: Operation, status: number, body: unknown): string[] {
    if (this.responseOf(operation, status)?.content?.['application/json'] === undefined) return [];
    const { method, path, responses } = operation;
    const response = responses[String(status)];
    const shared = response !== undefined && '$ref' in response ? response.$ref : undefined;
    const own = ['paths', path, method.toLowerCase(), 'responses', String(status)].map(escapePointer).join('/');
    const key = `${this.api}${shared ?? `#/${own}`}/content/application~1json/schema`;
    const validate = this.compiled.get(key) ?? this.validator.compile({ $ref: key });
    this.compiled.set(key, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => ` ${instancePath || 'the body'} ${message}`);
  }
}

function readOperation(method: string, path: string, operation: Record<string, unknown>): Operation {
  const body = operation['requestBody'] as { content?: Record<string, { schema?: Schema }> } | undefined;
  return {
    method: method.toUpperCase(),
    path,
    scope: String(operation['x-required-scope']),
    parameters: (operation['parameters'] ?? []) as Parameter[],
    body: body?.content?.['application/json']?.schema,
    responses: operation['responses'] as Operation['responses'],
  };
}

const PATHS = ['model', 'file_name'];

/** Only the path parameters in `PATHS` may contain slashes. */
function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (PATHS.includes(name) ? '.+' : '[^/]+'));
  return new RegExp(`^${pattern}$`);
}

function parameterCount(path: string): number {
  return path.split('{').length;
}

function decodedOr(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
