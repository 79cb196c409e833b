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
  /** With its parameters in braces. */
  readonly path: string;
  /** `none`: public. `any`: any valid key. */
  readonly scope: string;
  readonly parameters: readonly Parameter[];
  /** The schema of a JSON body, with its references in place. */
  readonly body: Schema | undefined;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

export interface AnswerOnTheWire {
  readonly status: number;
  readonly contentType: string | null;
  /** Parsed, where it is JSON. */
  readonly body: unknown;
}

/** A published OpenAPI document, and whether an answer keeps to it. */
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
    // Of two routes that fit a path, the one with the fewer parameters is meant.
    this.routes = this.operations
      .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
      .sort((one, other) => parameterCount(one.operation.path) - parameterCount(other.operation.path));
  }

  static of(api: ApiName): Contract {
    const contract = Contract.loaded.get(api) ?? new Contract(api);
    Contract.loaded.set(api, contract);
    return contract;
  }

  /** The schema behind a reference, or the schema itself. */
  resolve(schema: Schema): Schema {
    const reference = schema['$ref'];
    const name = typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : this.resolve(this.document.components.schemas[name] ?? {});
  }

  /** What an answer to a request has that the document does not allow; nothing for routes the document does not have. */
  faults(method: string, path: string, answer: AnswerOnTheWire): string[] {
    const route = this.routes.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(decodedOr(path)),
    );
    if (route === undefined) return [];
    const { operation } = route;
    const response = operation.responses[String(answer.status)];
    const where = `${method} ${operation.path}: ${answer.status}`;
    if (response === undefined) return [`${where} is not documented`];
    const [mediaType] = (answer.contentType ?? '').split(';');
    const { content } = response;
    if (content === undefined) return answer.body === undefined ? [] : [`${where} should have no body`];
    if (mediaType === undefined || !(mediaType in content)) return [`${where} came as ${answer.contentType}`];
    if (mediaType !== 'application/json') return [];
    return this.schemaFaults(operation, answer.status, answer.body).map((fault) => `${where}${fault}`);
  }

  private schemaFaults({ method, path, responses }: Operation, status: number, body: unknown): string[] {
    if (responses[String(status)]?.content?.['application/json'] === undefined) return [];
    const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', 'application/json'];
    const key = `${this.api}#/${[...pointer, 'schema'].map(escapePointer).join('/')}`;
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

/** The value of a model is the one parameter that takes slashes. */
function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (name === 'model' ? '.+' : '[^/]+'));
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
