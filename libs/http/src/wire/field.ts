import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import type { FaultType } from '@app/kernel';

/**
 * One decorator per request field: it validates the value, converts it, and describes it in the OpenAPI document, so
 * the three can not disagree. Each check is named by the fault type it answers with.
 */
export interface FieldOptions {
  /** A missing or `null` value is a fault. */
  readonly required?: boolean;
  /**
   * What `null` or `""` means in an optional field: `clear` hands on `null` ("not given" on create, "clear it" on
   * update), `keep` drops the field, so that the default or the present value stays.
   */
  readonly empty?: 'clear' | 'keep';
  /** What `""` stands for where it is not the same as `null`. */
  readonly blank?: unknown;
  readonly description?: string;
  readonly example?: unknown;
  /** Stated default, for the document only; services apply it. */
  readonly default?: unknown;
  /** Another name under which clients send the same field; the field's own name wins. */
  readonly alias?: string;
}

export interface Check {
  readonly type: FaultType;
  readonly message: string;
  readonly passes: (value: unknown) => boolean;
  /** The check is on each item of a list: `passes` sees one item, and a fault names the item. */
  readonly eachItem?: true;
}

/** Marks the name of a check on items, so that its faults can be told item by item. */
export const ITEM_PREFIX = 'items:';

type Convert = (value: unknown) => unknown;

/** The part of a JSON schema that fields here use. */
interface Shape {
  readonly allOf?: readonly (Shape | { readonly $ref: string })[];
  readonly oneOf?: readonly Shape[];
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean;
}

/** The building stone of the field decorators in `fields.ts`. */
export function field(
  options: FieldOptions,
  shape: Shape,
  checks: readonly Check[],
  convert?: Convert,
): PropertyDecorator {
  return (target, property) => {
    Expose()(target, property);
    Type(() => NotTakenApart)(target, property);
    Transform(({ obj }: { obj: Record<string, unknown> }) => received(obj, String(property), options, convert))(
      target,
      property,
    );
    requirePresence(options, target, property);
    for (const check of checks) applyCheck(check, target, property);
    ApiProperty(documentation(options, shape))(target, property);
    if (options.alias !== undefined) {
      const aliases = { ...aliasesOf(target), [String(property)]: options.alias };
      Reflect.defineMetadata(ALIASES, aliases, target);
      ApiProperty(documentationOfAlias(shape, String(property)))(target, options.alias);
    }
  };
}

/**
 * The type of what is read from the source as it came. Without one the transformer first makes a copy of the value in
 * depth, for nothing, in a time that grows with the square of an object's keys.
 */
class NotTakenApart {}

const ALIASES = 'wire:aliases';

/** The other names of the fields of a request class, by its prototype. */
export function aliasesOf(prototype: object): Readonly<Record<string, string>> {
  return (Reflect.getMetadata(ALIASES, prototype) as Record<string, string> | undefined) ?? {};
}

/** A field whose value is an object (or a list of objects) of another request class, validated in depth. */
export function nestedField(
  item: new () => object,
  options: FieldOptions & { readonly list?: boolean; readonly maxItems?: number },
): PropertyDecorator {
  return (target, property) => {
    Expose()(target, property);
    Type(() => item)(target, property);
    Transform(({ value }: { value: unknown }) => presentOr(value, options))(target, property);
    requirePresence(options, target, property);
    const list = options.list === true;
    for (const check of list ? LIST_OF_DICTS : [isDict]) applyCheck(check, target, property);
    ValidateNested()(target, property);
    const { maxItems } = options;
    if (maxItems !== undefined) {
      Reflect.defineMetadata(ITEM_LIMITS, { ...itemLimitsOf(target), [String(property)]: maxItems }, target);
    }
    const limit = maxItems === undefined ? {} : { maxItems };
    ApiProperty({ type: item, isArray: list, required: options.required === true, ...limit })(target, property);
  };
}

const ITEM_LIMITS = 'wire:item-limits';

/** How many items the lists of a request class may have, by its prototype; told before any item is taken apart. */
export function itemLimitsOf(prototype: object): Readonly<Record<string, number>> {
  return (Reflect.getMetadata(ITEM_LIMITS, prototype) as Record<string, number> | undefined) ?? {};
}

export const isDict: Check = {
  type: 'dict_type',
  message: 'Input should be a valid object',
  passes: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

const LIST_OF_DICTS: readonly Check[] = [
  { type: 'list_type', message: 'Input should be a valid list', passes: Array.isArray },
  { ...isDict, eachItem: true },
];

function received(source: Record<string, unknown>, name: string, options: FieldOptions, convert?: Convert): unknown {
  const sent = source[name] ?? (options.alias === undefined ? source[name] : source[options.alias]);
  if (options.required !== true && sent === '' && options.blank !== undefined) return options.blank;
  const value = presentOr(sent, options);
  return convert === undefined || value === undefined || value === null ? value : convert(value);
}

/** The value, or what `null` and `""` stand for in an optional field. */
function presentOr(value: unknown, options: FieldOptions): unknown {
  if (options.required === true || (value !== null && value !== '')) return value;
  return options.empty === 'keep' ? undefined : null;
}

function requirePresence(options: FieldOptions, target: object, property: string | symbol): void {
  if (options.required === true) {
    applyCheck(
      { type: 'missing', message: 'Field required', passes: (value) => value !== undefined },
      target,
      property,
    );
  } else {
    ValidateIf((_object, value) => value !== undefined && value !== null)(target, property);
  }
}

function applyCheck(check: Check, target: object, property: string | symbol): void {
  const passes = (value: unknown): boolean =>
    check.eachItem === true ? !Array.isArray(value) || value.every(check.passes) : check.passes(value);
  const validate = (value: unknown): boolean => (value === undefined && check.type !== 'missing') || passes(value);
  const name = check.eachItem === true ? ITEM_PREFIX + check.type : check.type;
  ValidateBy({ name, validator: { validate, defaultMessage: () => check.message } })(target, property);
}

function documentationOfAlias(shape: Shape, property: string): ApiPropertyOptions {
  return documentation({ description: `Another name of ${property}` }, shape);
}

function documentation(options: FieldOptions, shape: Shape): ApiPropertyOptions {
  const described = {
    ...shape,
    required: options.required === true,
    nullable: options.required !== true,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
    ...(options.default === undefined ? {} : { default: options.default }),
  };
  return described as ApiPropertyOptions;
}
