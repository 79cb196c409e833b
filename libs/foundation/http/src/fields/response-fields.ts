import { ApiExtension, ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

/**
 * Decorators for response classes: they describe the shape in the OpenAPI document. Every key of a response is always
 * present, so all fields are required; fields that can be `null` are `nullable`. Only an `OpenResponse` has optional
 * fields.
 */
export interface ResponseFieldOptions {
  readonly nullable?: boolean;
  readonly optional?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly enum?: readonly string[];
  /** The value grants access: responses that contain it are never stored in plain text. */
  readonly secret?: boolean;
}

/** Returns a response, or a list of responses, with its secrets replaced by `null`. */
export type Redaction = (answer: unknown) => unknown;

/** Redactions by the name of a field that is a secret or contains secrets. */
type FieldRedactions = ReadonlyMap<string, Redaction>;

const REDACTIONS = 'wire:redactions';

/** Returns the redaction of the `secret` fields of a response class, however deep; undefined if it has none. */
export function redactionOf(shape: object): Redaction | undefined {
  const fields = Reflect.getMetadata(REDACTIONS, shape) as FieldRedactions | undefined;
  if (fields === undefined) return undefined;
  const asItIs: Redaction = (value) => value;
  const redact: Redaction = (answer) => mapValues(answer, (value, field) => (fields.get(field) ?? asItIs)(value));
  return (answer) => (Array.isArray(answer) ? answer.map(redact) : redact(answer));
}

function redactionOfValues(shape: object): Redaction | undefined {
  const redact = redactionOf(shape);
  return redact && ((answers) => mapValues(answers, redact));
}

function mapValues(object: unknown, change: (value: unknown, key: string) => unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function hide(target: object, property: string | symbol, nullable: boolean): Redaction {
  return () => {
    if (!nullable)
      throw new Error(`${target.constructor.name}.${String(property)} cannot be redacted: it is not nullable`);
    return null;
  };
}

function out(
  shape: object,
  { secret = false, optional = false, ...options }: ResponseFieldOptions,
  nested?: Redaction,
): PropertyDecorator {
  const described = ApiProperty({
    ...shape,
    required: !optional,
    ...options,
    ...(options.enum === undefined ? {} : { enum: [...options.enum] }),
  });
  return (target, property) => {
    described(target, property);
    const redact = secret ? hide(target, property, options.nullable === true) : nested;
    if (redact === undefined) return;
    const others = Reflect.getMetadata(REDACTIONS, target.constructor) as FieldRedactions | undefined;
    Reflect.defineMetadata(REDACTIONS, new Map([...(others ?? []), [String(property), redact]]), target.constructor);
  };
}

/** Marks the schema of an `OpenResponse`, see `buildDocument`. */
export const OPEN_SCHEMA = 'x-open';

/** The class describes the known fields of objects that others wrote: they can have further ones. */
export const OpenResponse = (): ClassDecorator => (target) => {
  ApiExtension(OPEN_SCHEMA, true)(target);
};

export const ResponseString = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'string' }, options);
export const ResponseTime = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'string', format: 'date-time' }, options);
export const ResponseInteger = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'integer' }, options);
export const ResponseNumber = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'number' }, options);
export const ResponseBoolean = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'boolean' }, options);
export const ResponseObject = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'object', additionalProperties: true }, options);
const ANY_LIST = { type: 'array', items: {} };
const ANY_JSON = { anyOf: [...['string', 'number', 'boolean', 'object'].map((type) => ({ type })), ANY_LIST] };
/** Any JSON value. */
export const ResponseAny = (options: ResponseFieldOptions = {}): PropertyDecorator => out(ANY_JSON, options);
export const ResponseStringList = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'array', items: { type: 'string' } }, options);
export const ResponseObjectList = (options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: 'array', items: { type: 'object', additionalProperties: true } }, options);
/** A list of objects whose known keys are those of a request class; other keys are possible. */
export function ResponseOpenObjectList(known: new () => object, options: ResponseFieldOptions = {}): PropertyDecorator {
  const items = { allOf: [{ $ref: getSchemaPath(known) }, { type: 'object', additionalProperties: true }] };
  const described = out({ type: 'array', items }, options);
  return (target, property) => {
    ApiExtraModels(known)(target.constructor);
    described(target, property);
  };
}
export const ResponseNested = (shape: new () => object, options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: shape }, options, redactionOf(shape));
export const ResponseList = (shape: new () => object, options: ResponseFieldOptions = {}): PropertyDecorator =>
  out({ type: shape, isArray: true }, options, redactionOf(shape));
/** An object whose keys are data, each with a value of this shape. */
export function ResponseMap(shape: new () => object, options: ResponseFieldOptions = {}): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: { $ref: getSchemaPath(shape) } };
  const described = out(schema, options, redactionOfValues(shape));
  return (target, property) => {
    ApiExtraModels(shape)(target.constructor);
    described(target, property);
  };
}
