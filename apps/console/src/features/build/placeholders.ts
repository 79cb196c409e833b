import { stringifyWithBigInts } from '@app/api-client';
import { placeholdersIn } from '../../api/templates';

/** Returns the names of the parameters that the templates of a workflow's steps use. */
export function workflowParameters(steps: readonly unknown[]): string[] {
  const names = placeholdersIn(stringifyWithBigInts(steps)).flatMap(
    (name) => /^params\.(\w[\w-]*)/.exec(name)?.[1] ?? [],
  );
  return [...new Set(names)];
}

/** Returns the values by placeholder as an object: the value of `a.b` is inside `a`. Empty values are left out. */
export function nestedValues(values: ReadonlyMap<string, string>): Record<string, unknown> {
  const nested: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of values) {
    if (value === '') continue;
    const parts = name.split('.');
    const last = parts.pop() ?? name;
    let place = nested;
    for (const part of parts) {
      const inside = place[part];
      const next = typeof inside === 'object' && inside !== null ? inside : (Object.create(null) as object);
      place[part] = next;
      place = next as Record<string, unknown>;
    }
    place[last] = value;
  }
  return nested;
}
