import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

/**
 * Decorators for response classes: they describe the shape in the OpenAPI document. Every key of a response is always
 * present, so all are required; what may be `null` says so.
 */
export interface OutOptions {
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly enum?: readonly string[];
  /** Whoever has this value may do something by it: answers that hold it are never stored in plain text. */
  readonly secret?: boolean;
}

/** Gives back an answer, or each of a list, with its secrets `null`. */
export type Redaction = (answer: unknown) => unknown;

/** By the name of a field that is secret, or has secrets in it. */
type FieldRedactions = ReadonlyMap<string, Redaction>;

const REDACTIONS = 'wire:redactions';

/** How answers of this class are told without their `secret` fields, however deep; undefined where it has none. */
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
    if (!nullable) throw new Error(`${target.constructor.name}.${String(property)} can not be told without its secret`);
    return null;
  };
}

function out(shape: object, { secret = false, ...options }: OutOptions, nested?: Redaction): PropertyDecorator {
  const described = ApiProperty({
    ...shape,
    required: true,
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

export const OutString = (options: OutOptions = {}): PropertyDecorator => out({ type: 'string' }, options);
export const OutTime = (options: OutOptions = {}): PropertyDecorator =>
  out({ type: 'string', format: 'date-time' }, options);
export const OutInteger = (options: OutOptions = {}): PropertyDecorator => out({ type: 'integer' }, options);
export const OutNumber = (options: OutOptions = {}): PropertyDecorator => out({ type: 'number' }, options);
export const OutBoolean = (options: OutOptions = {}): PropertyDecorator => out({ type: 'boolean' }, options);
export const OutObject = (options: OutOptions = {}): PropertyDecorator =>
  out({ type: 'object', additionalProperties: true }, options);
export const OutStrings = (options: OutOptions = {}): PropertyDecorator =>
  out({ type: 'array', items: { type: 'string' } }, options);
export const OutObjects = (options: OutOptions = {}): PropertyDecorator =>
  out({ type: 'array', items: { type: 'object', additionalProperties: true } }, options);
export const OutOne = (shape: new () => object, options: OutOptions = {}): PropertyDecorator =>
  out({ type: shape }, options, redactionOf(shape));
export const OutMany = (shape: new () => object, options: OutOptions = {}): PropertyDecorator =>
  out({ type: shape, isArray: true }, options, redactionOf(shape));
/** An object whose keys are data, each with a value of this shape. */
export function OutMap(shape: new () => object, options: OutOptions = {}): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: { $ref: getSchemaPath(shape) } };
  const described = out(schema, options, redactionOfValues(shape));
  return (target, property) => {
    ApiExtraModels(shape)(target.constructor);
    described(target, property);
  };
}
