/** How the rows of an entity name resources. All values are SQL over the alias `used`. */
export interface DeclaredUses {
  /** A text that names the row to a person, for example `agent Writer (0198…)`. */
  readonly place: string;
  /**
   * By kind of resource, conditions that hold if the row names one of the `words`, see `EntityUses`. The domain of the
   * resource chooses the text that denotes its kind.
   */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** The parameter of the conditions. */
const WORDS = '$2::text[]';

const USES = 'database:uses';

/** Declares where the rows of an entity name resources. A resource cannot be deleted while a row names it. */
export function Uses(uses: DeclaredUses): ClassDecorator {
  return (target) => Reflect.defineMetadata(USES, uses, target);
}

/** Returns what an entity uses; undefined if it declares nothing. */
export function declaredUsesOf(entity: object): DeclaredUses | undefined {
  return Reflect.getMetadata(USES, entity) as DeclaredUses | undefined;
}

/** Returns the `place` of rows with a name. */
export function namedPlace(kind: string): string {
  return `'${kind} ' || used.name || ' (' || used.id || ')'`;
}

/** Condition: the text is one of the words. */
export function isWord(text: string): string {
  return `${text} = ANY(${WORDS})`;
}

/** Condition: the text is the first of the words, for texts that name a resource by its id only. */
export function isFirstWord(text: string): string {
  return `${text} = (${WORDS})[1]`;
}

/** Condition: a column of the type `text[]` contains one of the words. */
export function listsWord(column: string): string {
  return `${column} && ${WORDS}`;
}

/** Condition: a JSON array contains one of the words. False for every other JSON value. */
export function holdsWord(json: string): string {
  return `EXISTS (SELECT FROM json_array_elements_text(${ofType(json, 'array')}) item (value) WHERE ${isWord('item.value')})`;
}

/**
 * Condition: a value of a JSON object consists of the prefix, a constant without quotes, and one of the words. False for
 * every other JSON value.
 */
export function hasPrefixedWord(json: string, prefix: string): string {
  return `EXISTS (SELECT FROM json_each_text(${ofType(json, 'object')}) item
    WHERE starts_with(item.value, '${prefix}') AND ${isWord(`substr(item.value, ${prefix.length + 1})`)})`;
}

function ofType(json: string, type: 'array' | 'object'): string {
  return `CASE WHEN json_typeof(${json}) = '${type}' THEN ${json} END`;
}
