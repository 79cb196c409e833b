import { declaredFieldsOf, type FieldOptions } from './field.js';

/** The options of a field that an update may override. */
type FieldChange = Partial<Pick<FieldOptions, 'empty' | 'blank' | 'cleared' | 'description' | 'example'>>;

type FieldChanges<Create> = { readonly [Field in keyof Create]?: FieldChange };

type Patched<Value, Change> = Change extends { readonly empty: 'clear' }
  ? Value | null
  : Change extends { readonly empty: 'keep' }
    ? Exclude<Value, null>
    : Value;

export type PatchRequest<Create, Omitted extends keyof Create, Changes> = {
  readonly [Field in Exclude<keyof Create, Omitted>]?: Patched<
    Create[Field],
    Field extends keyof Changes ? Changes[Field] : unknown
  >;
};

/**
 * Returns the base class of an update request, derived from the create request. Every field is optional and keeps its
 * checks. An absent field keeps the stored value. The `empty` of the field defines the effect of `null` and `""`
 * (`keep` for a field that the create request requires), except that `null` sets an object or a list to its default. Defaults and the meaning of `blank` apply to creation only and
 * are dropped, and a rule over several fields (`@ValidateObject`) is not inherited.
 *
 * Fields that only the update has are declared in the class that extends this one.
 *
 * @param options.omit fields that cannot be updated
 * @param options.change options of single fields that differ
 */
export function PatchOf<
  Create extends object,
  const Omitted extends keyof Create & string = never,
  const Changes extends FieldChanges<Create> = FieldChanges<Create>,
>(
  create: new () => Create,
  options: { readonly omit?: readonly Omitted[]; readonly change?: Changes } = {},
): new () => PatchRequest<Create, Omitted, Changes> {
  class Patch {}
  const omitted: readonly string[] = options.omit ?? [];
  const changes: Readonly<Record<string, FieldChange>> = { ...options.change };
  for (const [name, { required, redeclare }] of declaredFieldsOf(create.prototype as object)) {
    if (omitted.includes(name)) continue;
    const optional: FieldChange = required ? { empty: 'keep' } : {};
    const update: Partial<FieldOptions> = { required: false, default: undefined, isUpdate: true };
    const decorate = redeclare({ ...optional, blank: undefined, ...changes[name], ...update });
    copyDesignType(create.prototype as object, Patch.prototype, name);
    decorate(Patch.prototype, name);
  }
  return Patch;
}

/**
 * Copies the type of a property, which Swagger needs: the compiler emits it with the declaration of the property, which
 * the derived class lacks.
 */
function copyDesignType(from: object, to: object, property: string): void {
  Reflect.defineMetadata('design:type', Reflect.getMetadata('design:type', from, property), to, property);
}
