import { notFound, type DomainError } from '@app/kernel';

export const contextEntityTypeNotFound = (): DomainError => notFound('entity_type_not_found', 'Entity type');

export const environmentNotFound = (): DomainError => notFound('environment_not_found', 'Environment');
