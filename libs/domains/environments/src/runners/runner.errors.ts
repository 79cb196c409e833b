import { conflict, notFound, type DomainError } from '@app/kernel';

export const runnerNotFound = (): DomainError => notFound('runner_not_found', 'Runner');

export const runnerNameTaken = (name: string): DomainError =>
  conflict('runner_name_taken', `A runner named ${name} already exists`);

export const runnerHasWorkers = (name: string, workers: number): DomainError =>
  conflict('runner_has_workers', `The runner ${name} has connected workers (${workers}); disconnect them first`);
