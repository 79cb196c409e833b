import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { isJsonObject, type FaultType } from '@app/kernel';

/**
 * Options of the request field decorators. One decorator validates the value, converts it, and describes it in the
 * OpenAPI document, so that the three agree. Each check has the name of the fault type that it reports.
 */
export interface FieldOptions {
  /** A missing or `null` value is a fault. */
  readonly required?: boolean;
  /**
   * The meaning of `null` and `""` in an optional field. `clear` (the default) yields `null`, which means "not given"
   * on creation and "clear the value" in an update. `keep` removes the field, so that the default or the stored value
   * applies.
   */
  readonly empty?: 'clear' | 'keep';
  /** The value that `""` means, if it differs from that of `null`; `UNCHANGED` keeps the stored one. */
  readonly blank?: unknown;
  /** The value that `null` means in an update, if it is not null itself. */
  readonly cleared?: unknown;
  /** Whether the field is one of an update, see `PatchOf`. `null` then sets an object or a list to its default. */
  readonly isUpdate?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  /** The documented default. Services apply it. */
  readonly default?: unknown;
  /** A second name that clients may send; the field's own name takes precedence. */
  readonly alias?: string;
}

/** See `FieldOptions.blank`. */
export const UNCHANGED = Symbol('unchanged');

export interface Check {
  readonly type: FaultType;
  readonly message: string;
  readonly passes: (value: unknown) => boolean;
  /** The check applies to each item of a list: `passes` receives one item, and a fault names the item. */
  readonly eachItem?: true;
}

/** Prefix of the name of a check on items, so that each wrong item is reported as a separate fault. */
export const ITEM_PREFIX = 'items:';

type Convert = (value: unknown) => unknown;

/** The subset of JSON Schema that request fields use. */
export interface Shape {
  readonly allOf?: readonly (Shape | { readonly $ref: string })[];
  readonly oneOf?: readonly Shape[];
  readonly anyOf?: readonly (Shape | { readonly $ref: string })[];
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

type Redeclare = (change: Partial<FieldOptions>) => PropertyDecorator;

/** A field of a request class, and a function that declares it in another class with other options. */
interface DeclaredField {
  readonly required: boolean;
  readonly redeclare: Redeclare;
}

const FIELDS = 'wire:fields';

/** The fields of a request class, inherited ones included, by its prototype; in the order of declaration. */
export function declaredFieldsOf(prototype: object): ReadonlyMap<string, DeclaredField> {
  return (Reflect.getMetadata(FIELDS, prototype) as ReadonlyMap<string, DeclaredField> | undefined) ?? new Map();
}

/** Declares a field and records its declaration, so that `PatchOf` can repeat it in another class. */
export function redeclarable<Options extends FieldOptions>(
  options: Options,
  declare: (options: Options) => PropertyDecorator,
): PropertyDecorator {
  const decorate = declare(options);
  return (target, property) => {
    decorate(target, property);
    const redeclare: Redeclare = (change) => redeclarable({ ...options, ...change }, declare);
    const declared = { required: options.required === true, redeclare };
    Reflect.defineMetadata(FIELDS, new Map([...declaredFieldsOf(target), [String(property), declared]]), target);
  };
}

/** The base of the field decorators in `fields.ts`. */
export function field(
  options: FieldOptions,
  shape: Shape,
  checks: readonly Check[],
  convert?: Convert,
): PropertyDecorator {
  return redeclarable(options, (declared) => plainField(declared, shape, checks, convert));
}

function plainField(
  options: FieldOptions,
  shape: Shape,
  checks: readonly Check[],
  convert?: Convert,
): PropertyDecorator {
  return (target, property) => {
    Expose()(target, property);
    Type(() => Untransformed)(target, property);
    const read = (source: Record<string, unknown>): unknown =>
      received(source, String(property), { ...options, ...clearedOf(shape, options) }, convert);
    Transform(({ obj }: { obj: Record<string, unknown> }) => read(obj))(target, property);
    if (options.isUpdate === true)
      noteKept(target, String(property), (sent) => read({ [property]: sent }) === undefined);
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
 * The type of values that are read from the source unchanged. Without a type, the transformer makes an unused deep copy,
 * in time that grows with the square of the number of keys.
 */
class Untransformed {}

/** What `null` means in an update of a field whose empty value is not null. */
function clearedOf(shape: Shape, { isUpdate, empty }: FieldOptions): Pick<FieldOptions, 'cleared' | 'blank'> {
  if (isUpdate !== true || empty !== 'keep') return {};
  if (shape.type === 'array') return { cleared: [], blank: UNCHANGED };
  return shape.type === 'object' || shape.allOf !== undefined ? { cleared: {}, blank: UNCHANGED } : {};
}

const KEPT = 'wire:kept';

type IsKept = (sent: unknown) => boolean;

/**
 * Returns, for each field of an update by name, whether a sent value keeps the stored one, from the prototype of the
 * request class.
 */
export function keptFieldsOf(prototype: object): Readonly<Record<string, IsKept>> {
  return (Reflect.getMetadata(KEPT, prototype) as Record<string, IsKept> | undefined) ?? {};
}

function noteKept(target: object, property: string, isKept: IsKept): void {
  Reflect.defineMetadata(KEPT, { ...keptFieldsOf(target), [property]: isKept }, target);
}

const ALIASES = 'wire:aliases';

/** Returns the aliases of a request class by field name, from its prototype. */
export function aliasesOf(prototype: object): Readonly<Record<string, string>> {
  return (Reflect.getMetadata(ALIASES, prototype) as Record<string, string> | undefined) ?? {};
}

const KEYS_WITH_EFFECT = 'wire:keys-with-effect';

/** Keys of a free-form object that have an effect; `true`: its value is not described further. */
export interface KeyTree {
  readonly [key: string]: true | KeyTree;
}

/** Returns which keys have an effect in the free-form fields of a request class, by field name, from its prototype. */
export function keysWithEffectOf(prototype: object): Readonly<Record<string, KeyTree>> {
  return (Reflect.getMetadata(KEYS_WITH_EFFECT, prototype) as Record<string, KeyTree> | undefined) ?? {};
}

/** Declares that only these keys of a free-form object have an effect. */
export function setKeysWithEffect(target: object, property: string | symbol, keys: KeyTree): void {
  Reflect.defineMetadata(KEYS_WITH_EFFECT, { ...keysWithEffectOf(target), [String(property)]: keys }, target);
}

interface NestedOptions extends FieldOptions {
  readonly list?: boolean;
  readonly maxItems?: number;
}

/** A field whose value is an object (or a list of objects) of another request class, validated in depth. */
export function nestedField(item: new () => object, options: NestedOptions): PropertyDecorator {
  return redeclarable(options, (declared) => plainNestedField(item, declared));
}

function plainNestedField(item: new () => object, options: NestedOptions): PropertyDecorator {
  return (target, property) => {
    Expose()(target, property);
    Type(() => item)(target, property);
    Transform(({ value }: { value: unknown }) => presentOr(value, options))(target, property);
    requirePresence(options, target, property);
    const list = options.list === true;
    for (const check of list ? LIST_OF_DICTS : [isDict]) applyCheck(check, target, property);
    ValidateNested()(target, property);
    Reflect.defineMetadata(NESTED, { ...nestedFieldsOf(target), [String(property)]: item }, target);
    const { maxItems } = options;
    if (maxItems !== undefined) {
      Reflect.defineMetadata(ITEM_LIMITS, { ...itemLimitsOf(target), [String(property)]: maxItems }, target);
    }
    const limit = maxItems === undefined ? {} : { maxItems };
    const described = options.description === undefined ? {} : { description: options.description };
    ApiProperty({ type: item, isArray: list, required: options.required === true, ...described, ...limit })(
      target,
      property,
    );
  };
}

const NESTED = 'wire:nested';

/** Returns the classes of the nested objects, or lists of them, of a request class by field name, from its prototype. */
export function nestedFieldsOf(prototype: object): Readonly<Record<string, new () => object>> {
  return (Reflect.getMetadata(NESTED, prototype) as Record<string, new () => object> | undefined) ?? {};
}

const ITEM_LIMITS = 'wire:item-limits';

/**
 * Returns the item limits of a request class by field name, from its prototype. They are checked before any item is
 * parsed.
 */
export function itemLimitsOf(prototype: object): Readonly<Record<string, number>> {
  return (Reflect.getMetadata(ITEM_LIMITS, prototype) as Record<string, number> | undefined) ?? {};
}

export const isDict: Check = {
  type: 'dict_type',
  message: 'Input should be a valid object',
  passes: isJsonObject,
};

const LIST_OF_DICTS: readonly Check[] = [
  { type: 'list_type', message: 'Input should be a valid list', passes: Array.isArray },
  { ...isDict, eachItem: true },
];

function received(source: Record<string, unknown>, name: string, options: FieldOptions, convert?: Convert): unknown {
  const sent = source[name] ?? (options.alias === undefined ? source[name] : source[options.alias]);
  if (options.required !== true && sent === '' && options.blank !== undefined) {
    return options.blank === UNCHANGED ? undefined : options.blank;
  }
  if (options.isUpdate === true && sent === null && options.cleared !== undefined) {
    return structuredClone(options.cleared);
  }
  const value = presentOr(sent, options);
  return convert === undefined || value === undefined || value === null ? value : convert(value);
}

/** Returns the value, or what `null` and `""` mean in an optional field. */
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
  return documentation({ description: `Alias of \`${property}\`` }, shape);
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
