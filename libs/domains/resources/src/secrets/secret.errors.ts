import { conflict, notFound, unavailable, type DomainError } from '@app/kernel';

export const secretNotFound = (): DomainError => notFound('secret_not_found', 'Secret');

export const secretNameTaken = (name: string): DomainError =>
  conflict('secret_name_taken', `A secret named ${name} already exists; replace its value`);

export const secretsKeyMissing = (): DomainError =>
  unavailable('secrets_key_missing', 'The platform has no key for secrets: its operator must set SECRETS_KEY');

export const secretInUse = (name: string, places: string): DomainError =>
  conflict('secret_in_use', `The secret ${name} is used by: ${places}; remove it there first`);
