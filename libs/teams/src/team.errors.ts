import { notFound, type DomainError } from '@app/kernel';

export const teamNotFound = (): DomainError => notFound('team_not_found', 'Team');
