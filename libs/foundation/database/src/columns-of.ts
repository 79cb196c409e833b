import { getMetadataArgsStorage } from 'typeorm';

/**
 * Returns the columns of an entity in the order of its class, without the given ones and those that reads leave out
 * (`select: false`), for the select lists and inserts of prepared statements, so that they include a new column without
 * a change.
 */
export function columnsOf<T extends object, Excluded extends keyof T = never>(
  entity: new () => T,
  ...excluded: readonly Excluded[]
): readonly Exclude<keyof T & string, Excluded>[] {
  const columns = getMetadataArgsStorage().columns.filter(
    ({ target, options }) => target === entity && options.select !== false,
  );
  const isExcluded = (name: string): boolean => excluded.some((one) => one === name);
  return columns.flatMap(({ propertyName }) =>
    isExcluded(propertyName) ? [] : [propertyName as Exclude<keyof T & string, Excluded>],
  );
}
