import { conflict, invalid, notFound, type DomainError } from '@app/kernel';
import type { SecretReference } from '../secrets/secret.types.js';

export const integrationNotFound = (): DomainError => notFound('integration_not_found', 'Integration');

export const integrationNameTaken = (name: string): DomainError =>
  conflict('integration_name_taken', `An integration named ${name} already exists`);

export const integrationInUse = (name: string, places: string): DomainError =>
  conflict('integration_in_use', `The integration ${name} is used by: ${places}; remove it there first`);

/** Reports each reference to a secret that does not exist. */
export function unknownSecrets(references: readonly SecretReference[]): DomainError {
  return invalid(
    references.map(({ name, path }) => ({
      path: ['configuration', ...path],
      msg: `There is no secret named ${name}`,
      type: 'value_error',
    })),
  );
}
