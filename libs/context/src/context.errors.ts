import { notFound, type DomainError } from '@app/kernel';

export const environmentNotFound = (): DomainError => notFound('environment_not_found', 'Environment');
