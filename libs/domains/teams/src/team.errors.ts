import { conflict, notFound, type DomainError } from '@app/kernel';

export const teamNotFound = (): DomainError => notFound('team_not_found', 'Team');

export const teamInUse = (name: string, places: string): DomainError =>
  conflict('team_in_use', `The team ${name} is used by: ${places}; choose another team there first`);
