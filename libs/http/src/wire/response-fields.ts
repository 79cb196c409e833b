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
}

function out(shape: object, options: OutOptions): PropertyDecorator {
  const described = {
    ...shape,
    required: true,
    ...options,
    ...(options.enum === undefined ? {} : { enum: [...options.enum] }),
  };
  return ApiProperty(described);
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
  out({ type: shape }, options);
export const OutMany = (shape: new () => object, options: OutOptions = {}): PropertyDecorator =>
  out({ type: shape, isArray: true }, options);
/** An object whose keys are data, each with a value of this shape. */
export function OutMap(shape: new () => object, options: OutOptions = {}): PropertyDecorator {
  const described = out({ type: 'object', additionalProperties: { $ref: getSchemaPath(shape) } }, options);
  return (target, property) => {
    ApiExtraModels(shape)(target.constructor);
    described(target, property);
  };
}
