import { conflict, invalid, notFound, type DomainError, type Fault } from '@app/kernel';
import { MAX_PROJECTS_PER_MEMBER } from './project.types.js';

export const projectNotFound = (): DomainError => notFound('project_not_found', 'Project');

export const projectKeyTaken = (key: string): DomainError =>
  conflict('project_key_taken', `A project with the key ${key} already exists`);

/** `known`: the ids of existing policies. */
export const unknownPolicies = (ids: readonly string[], known: ReadonlySet<string>): DomainError =>
  invalid(
    ids.flatMap((id, index): Fault[] => {
      if (known.has(id)) return [];
      return [{ path: ['policy_ids', String(index)], msg: `There is no policy ${id}`, type: 'value_error' }];
    }),
  );

export const projectMemberNotFound = (kind: string): DomainError =>
  notFound('project_member_not_found', `Membership of the ${kind}`);

export const projectMemberExists = (kind: string): DomainError =>
  conflict('project_member_exists', `The ${kind} already belongs to the project`);

export const tooManyProjects = (kind: string): DomainError =>
  conflict('projects_too_many', `The ${kind} already belongs to ${MAX_PROJECTS_PER_MEMBER} projects`);
