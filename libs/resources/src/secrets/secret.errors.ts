import { conflict, notFound, unavailable, type DomainError } from '@app/kernel';

export const MAX_NAMED_INTEGRATIONS = 5;

export const secretNotFound = (): DomainError => notFound('secret_not_found', 'Secret');

export const secretNameTaken = (name: string): DomainError =>
  conflict('secret_name_taken', `A secret named ${name} already exists; replace its value`);

export const secretsKeyMissing = (): DomainError =>
  unavailable('secrets_key_missing', 'The platform has no key for secrets: its operator must set SECRETS_KEY');

/** `integrations` are names of those that refer to the secret, at most `MAX_NAMED_INTEGRATIONS` of the `total`. */
export function secretInUse(name: string, integrations: readonly string[], total: number): DomainError {
  const others = total - integrations.length;
  const named = integrations.join(', ') + (others > 0 ? ` and ${others} more` : '');
  return conflict('secret_in_use', `The secret ${name} is used by these integrations: ${named}`);
}
