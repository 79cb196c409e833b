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

const HOLDS_SECRETS = 'wire:holds-secrets';

/** Whether answers of this class hold a field that is `secret`, in whatever depth. */
export function holdsSecrets(shape: object): boolean {
  return Reflect.getMetadata(HOLDS_SECRETS, shape) === true;
}

function out(shape: object, { secret = false, ...options }: OutOptions, nested?: object): PropertyDecorator {
  const described = ApiProperty({
    ...shape,
    required: true,
    ...options,
    ...(options.enum === undefined ? {} : { enum: [...options.enum] }),
  });
  return (target, property) => {
    described(target, property);
    if (secret || (nested !== undefined && holdsSecrets(nested))) {
      Reflect.defineMetadata(HOLDS_SECRETS, true, target.constructor);
    }
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
  out({ type: shape }, options, shape);
export const OutMany = (shape: new () => object, options: OutOptions = {}): PropertyDecorator =>
  out({ type: shape, isArray: true }, options, shape);
/** An object whose keys are data, each with a value of this shape. */
export function OutMap(shape: new () => object, options: OutOptions = {}): PropertyDecorator {
  const described = out({ type: 'object', additionalProperties: { $ref: getSchemaPath(shape) } }, options, shape);
  return (target, property) => {
    ApiExtraModels(shape)(target.constructor);
    described(target, property);
  };
}
