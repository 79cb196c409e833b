import { notFound, type DomainError } from '@app/kernel';

export const taskNotFound = (): DomainError => notFound('task_not_found', 'Task');
