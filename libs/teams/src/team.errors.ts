import { notFound, type DomainError } from '@app/kernel';

export const teamNotFound = (): DomainError => notFound('Team');
