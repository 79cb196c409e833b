import { conflict, notFound, type DomainError, type Fault } from '@app/kernel';
import type { RegoCompileError } from '@app/rego';
import { TOO_MANY } from './policy-bounds.js';

export const policyNotFound = (): DomainError => notFound('Policy');

export const policyVersionNotFound = (): DomainError => notFound('Policy version');

export const policyAssociationNotFound = (): DomainError => notFound('Policy association');

export const entityTypeNotFound = (): DomainError => notFound('Entity type');

export const entityNotFound = (entityType: string): DomainError =>
  notFound(entityType.charAt(0).toUpperCase() + entityType.slice(1));

export const policyAssociated = (): DomainError =>
  conflict('policy_associated', 'The policy is associated with this entity already');

export const tooManyAssociations = (most: number): DomainError =>
  conflict('policy_associations_too_many', `An entity has at most ${most} policy associations`);

export const tooManyPolicies = (): DomainError => conflict('policies_too_many', TOO_MANY);

/** A circle of rules names all of them. */
const MOST_OF_A_MESSAGE = 500;

/** What is told of a fault. */
export function toldOfFault(message: string): string {
  return message.length > MOST_OF_A_MESSAGE ? `${message.slice(0, MOST_OF_A_MESSAGE)}…` : message;
}

/** Each fault of a policy's text as one of the request that brought it, with the line and column where it is. */
export function contentFaults({ faults }: RegoCompileError): readonly Fault[] {
  return faults.map(({ row, col, code, message }): Fault => {
    return {
      loc: ['body', 'policy_content'],
      msg: `line ${row}, column ${col}: ${code}: ${toldOfFault(message)}`,
      type: 'value_error',
    };
  });
}
