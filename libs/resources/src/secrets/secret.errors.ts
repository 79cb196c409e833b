import { conflict, notFound, unavailable, type DomainError } from '@app/kernel';

/** Names in an error message; more are counted. */
const MAX_NAMES = 5;

export const secretNotFound = (): DomainError => notFound('secret_not_found', 'Secret');

export const secretNameTaken = (name: string): DomainError =>
  conflict('secret_name_taken', `A secret named ${name} already exists; replace its value`);

export const secretsKeyMissing = (): DomainError =>
  unavailable('secrets_key_missing', 'The platform has no key for secrets: its operator must set SECRETS_KEY');

/** `integrations`: the names of those that refer to the secret. */
export function secretInUse(name: string, integrations: readonly string[]): DomainError {
  const others = integrations.length - MAX_NAMES;
  const named = integrations.slice(0, MAX_NAMES).join(', ') + (others > 0 ? ` and ${others} more` : '');
  return conflict('secret_in_use', `The secret ${name} is used by these integrations: ${named}`);
}
