/** The part of an error that is logged. */
export interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause?: unknown;
  readonly aggregate_errors?: readonly unknown[];
  readonly [property: string]: unknown;
}

/**
 * The properties of errors that are logged. All others are omitted, because those of a store or of an HTTP client
 * contain values of the request: `parameters` and `driverError` of TypeORM, `detail` and `where` of PostgreSQL,
 * `command` of ioredis, `requestBodyValues` of a model client. `query` is the text of a statement, which has
 * placeholders instead of values.
 */
const SHOWN = [
  ...(['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'kind'] as const),
  ...(['severity', 'schema', 'table', 'column', 'dataType', 'constraint', 'routine', 'query'] as const),
] as const;

/** Maximum number of levels of `cause`, and of errors in one AggregateError. */
const MAX_CAUSES = 5;
const MAX_ERRORS = 10;

/** SQLSTATE class 22 (data exception). The message of such an error quotes the value. */
const DATA_EXCEPTION = /^22[0-9A-Z]{3}$/;
/** Greedy: the value can itself contain quotes. */
const QUOTED = /"[^]*"/g;

/**
 * Serializes an error for the log, without the input values of the failed operation. Returns a value that is not an
 * error unchanged.
 */
export function serializeError(error: unknown): unknown {
  return error instanceof Error || isErrorLike(error) ? serialize(error, 0) : error;
}

function serialize(error: ErrorLike, depth: number): SerializedError {
  const hide = redactorOf(error);
  return {
    type: error.constructor?.name ?? error.name ?? 'Error',
    message: hide(error.message),
    stack: error.stack === undefined ? undefined : hide(error.stack),
    ...shownOf(error),
    ...(isErrorLike(error.cause) && depth < MAX_CAUSES ? { cause: serialize(error.cause, depth + 1) } : {}),
    ...aggregateOf(error, depth),
  };
}

function shownOf(error: object): Record<string, unknown> {
  const shown = SHOWN.map((name) => [name, (error as Record<string, unknown>)[name]] as const);
  return Object.fromEntries(shown.filter(([, value]) => typeof value === 'string' || typeof value === 'number'));
}

function aggregateOf({ errors }: ErrorLike, depth: number): { aggregate_errors?: readonly unknown[] } {
  if (!Array.isArray(errors) || depth >= MAX_CAUSES) return {};
  const likely = errors.filter(isErrorLike).slice(0, MAX_ERRORS);
  return { aggregate_errors: likely.map((error) => serialize(error, depth + 1)) };
}

/** Returns a function that removes the quoted values of a data exception from a text. */
function redactorOf({ code, message }: ErrorLike): (text: string) => string {
  if (typeof code !== 'string' || !DATA_EXCEPTION.test(code)) return (text) => text;
  const hidden = message.replace(QUOTED, '"[redacted]"');
  return (text) => text.replaceAll(message, () => hidden);
}

interface ErrorLike {
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
}

/** Errors of another realm (such as a vm context) are not instances of this realm's `Error`. */
function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && typeof (value as ErrorLike).message === 'string';
}
