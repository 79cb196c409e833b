import { notFound, type DomainError } from '@app/kernel';

export const agentNotFound = (): DomainError => notFound('Agent');
