import { conflict, DomainError, notFound } from '@app/kernel';

/** Maximum number of keys that an error names; the others are only counted. */
const MAX_NAMED_KEYS = 10;

function listed(names: readonly string[]): string {
  const others = names.length - MAX_NAMED_KEYS;
  return names.slice(0, MAX_NAMED_KEYS).join(', ') + (others > 0 ? ` and ${others} more` : '');
}

/** The same error for unknown, mistyped and revoked keys, so that callers cannot distinguish them. */
export const keyInvalid = (): DomainError =>
  new DomainError('key_invalid', 'The API key is not valid or has been revoked');

/**
 * Discloses nothing to others than the holder: keys are found by the hash of all their characters. A key that was rotated
 * expires at the end of the overlap.
 */
export const keyExpired = (): DomainError =>
  new DomainError('key_expired', 'The API key has expired: use its successor, or create another key');

/**
 * The same error for unknown and expired tickets, tickets of other executions, and tickets of keys that no longer work.
 */
export const ticketInvalid = (): DomainError =>
  new DomainError('ticket_invalid', 'The stream ticket is not valid for this stream or has expired: request a new one');

export const keyNotFound = (): DomainError => notFound('api_key_not_found', 'API key');

export const userNotFound = (): DomainError => notFound('user_not_found', 'User');

export const userEmailTaken = (email: string): DomainError =>
  conflict('user_email_taken', `A user with the e-mail address ${email} exists already`);

export const userSuspended = (name: string): DomainError =>
  conflict('user_suspended', `The user ${name} is suspended: keys cannot be created for suspended users`);

export const userHasKeys = (names: readonly string[]): DomainError =>
  conflict('user_has_keys', `The user still has API keys (${listed(names)}). Revoke them, or suspend the user`);

/** `names`: names of the used keys whose rows still exist; `lastUsed`: time of their last use. */
export const userHasHistory = (names: readonly string[], lastUsed: Date | undefined): DomainError => {
  const keys = names.length === 0 ? 'API keys' : `the API keys ${listed(names)}`;
  const when = lastUsed === undefined ? '' : ` (last at ${lastUsed.toISOString()})`;
  return conflict(
    'user_has_history',
    `The user has used ${keys}${when}, and records name the user: suspend the user instead`,
  );
};

export const lastAdmin = (): DomainError =>
  conflict(
    'user_is_last_admin',
    'No other active user has a working API key with the scope admin, so nobody could undo the suspension',
  );

export const lastAdminKey = (): DomainError =>
  conflict(
    'api_key_is_last_admin',
    'No other working API key of an active user has the scope admin, so nobody could manage the organization: create one first',
  );

export const organizationNotFound = (): DomainError => notFound('organization_not_found', 'Organization');

export const organizationExists = (name: string): DomainError =>
  conflict('organization_exists', `An organization named ${name} already exists`);
