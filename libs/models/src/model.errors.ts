import { conflict, notFound, type DomainError } from '@app/kernel';

export const modelNotFound = (): DomainError => notFound('Model');

export const modelValueTaken = (value: string): DomainError =>
  conflict('model_value_taken', `A model with the value ${value} exists already`);
