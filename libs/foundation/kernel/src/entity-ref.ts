import { invalid } from './errors.js';

/** An entity of some type, by its id: the fields with which skills, contexts and policies refer to it. */
export interface EntityRef<Type extends string = string> {
  readonly entity_type: Type;
  readonly entity_id: string;
}

/** Returns a key that is unique among the entities of all types, for example `team:0198…`. */
export function entityKeyOf({ entity_type, entity_id }: EntityRef): string {
  return `${entity_type}:${entity_id}`;
}

/** Returns the type that the path of a request names. Throws the fault of the path for any other word. */
export function parseEntityType<Type extends string>(word: string, types: readonly Type[]): Type {
  const type = types.find((one) => one === word);
  if (type === undefined) {
    const msg = `Input should be ${types.map((one) => `'${one}'`).join(' or ')}`;
    throw invalid([{ path: ['entity_type'], place: 'path', msg, type: 'enum' }]);
  }
  return type;
}

/** Like `parseEntityType`, but also accepts the plural of a type, such as `agents`. */
export function parseEntityTypeOrPlural<Type extends string>(word: string, types: readonly Type[]): Type {
  return parseEntityType(word.replace(/s$/, ''), types);
}
