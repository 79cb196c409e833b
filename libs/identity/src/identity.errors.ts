import { conflict, DomainError, notFound } from '@app/kernel';

export const keyMissing = (): DomainError =>
  new DomainError('unauthenticated', 'key_missing', 'No API key was sent: use the Authorization header');

/** One answer for unknown, mistyped, revoked and expired keys, so that none of them can be told from another. */
export const keyInvalid = (): DomainError =>
  new DomainError('unauthenticated', 'key_invalid', 'The API key is not valid or has been revoked');

export const keyNotFound = (): DomainError => notFound('API key');

export const organizationNotFound = (): DomainError => notFound('Organization');

export const organizationExists = (name: string): DomainError =>
  conflict('organization_exists', `An organization named ${name} exists already`);
