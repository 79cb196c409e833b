import { conflict, notFound, type DomainError } from '@app/kernel';

export const modelNotFound = (): DomainError => notFound('model_not_found', 'Model');

export const modelValueTaken = (value: string): DomainError =>
  conflict('model_value_taken', `A model with the value ${value} exists already`);

export const modelInUse = (value: string, places: string): DomainError =>
  conflict('model_in_use', `The model ${value} is used by: ${places}; choose another model there first`);

export const modelNotStored = (value: string): DomainError =>
  conflict(
    'model_not_stored',
    `The model ${value} exists only at the model gateway. To change or disable it here, create a model with this value`,
  );
