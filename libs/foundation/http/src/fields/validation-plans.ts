import { getMetadataStorage, type MetadataStorage } from 'class-validator';

type Plan = ReturnType<MetadataStorage['getTargetValidationMetadatas']>;

/**
 * Makes class-validator cache the checks of each class, which it otherwise collects for every validation from the
 * metadata of all classes of the process. Registering a check discards the cache. Validations with groups or with a
 * schema, which this code does not use, are not cached.
 */
export function keepValidationPlans(storage = getMetadataStorage()): void {
  const collect = storage.getTargetValidationMetadatas.bind(storage);
  const add = storage.addValidationMetadata.bind(storage);
  let plans = new WeakMap<object, Plan>();
  storage.getTargetValidationMetadatas = (shape, schema, always, strictGroups, groups): Plan => {
    if (schema || always || strictGroups || groups !== undefined) {
      return collect(shape, schema, always, strictGroups, groups);
    }
    const known = plans.get(shape);
    if (known !== undefined) return known;
    const plan = collect(shape, schema, always, strictGroups);
    plans.set(shape, plan);
    return plan;
  };
  storage.addValidationMetadata = (metadata): void => {
    plans = new WeakMap();
    add(metadata);
  };
}
