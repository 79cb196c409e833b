import { conflict, notFound, type DomainError } from '@app/kernel';

export const workflowNotFound = (): DomainError => notFound('workflow_not_found', 'Workflow');

export const workflowVersionNotFound = (): DomainError => notFound('workflow_version_not_found', 'Workflow version');

export const workflowNameTaken = (name: string): DomainError =>
  conflict('workflow_name_taken', `A workflow named ${name} already exists`);

export const workflowInUse = (name: string, places: string): DomainError =>
  conflict('workflow_in_use', `The workflow ${name} is used by: ${places}; choose another workflow there first`);
