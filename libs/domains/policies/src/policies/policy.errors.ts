import { conflict, type DomainError, type Fault, headOf, notFound, unavailable } from '@app/kernel';
import type { Fault as CompileFault } from '@app/rego';
import { DECISION_LIMITS } from './policy.types.js';

/**
 * Used as an error message and as the violation of a decision. Policies are not omitted instead, because an omitted one
 * could deny.
 */
export const TOO_MANY_POLICIES =
  'More policies apply than can be evaluated together: ' +
  `at most ${DECISION_LIMITS.policies} policies with ${DECISION_LIMITS.bytes} bytes of text are allowed`;

/**
 * Maximum number of characters of a compiler message, because the message about a recursion names every rule of the
 * cycle.
 */
const MAX_FAULT_MESSAGE_LENGTH = 500;

export const policyNotFound = (): DomainError => notFound('policy_not_found', 'Policy');

export const policyVersionNotFound = (): DomainError => notFound('policy_version_not_found', 'Policy version');

export const policyAssociationNotFound = (): DomainError =>
  notFound('policy_association_not_found', 'Policy association');

export const policyAssociated = (): DomainError =>
  conflict('policy_associated', 'The policy is already associated with this entity');

export const policyInUse = (users: readonly string[]): DomainError =>
  conflict('policy_in_use', `The policy is still used by ${users.join(', ')}; remove it there first`);

export const tooManyAssociations = (max: number): DomainError =>
  conflict('policy_associations_too_many', `An entity can have at most ${max} policy associations`);

export const tooManyPolicies = (): DomainError => conflict('policies_too_many', TOO_MANY_POLICIES);

export const policyEvaluationBusy = (): DomainError =>
  unavailable('policy_evaluation_busy', 'Too many policy evaluations are waiting, try again');

export function truncateFaultMessage(message: string): string {
  return message.length > MAX_FAULT_MESSAGE_LENGTH ? `${headOf(message, MAX_FAULT_MESSAGE_LENGTH)}…` : message;
}

/** Returns the errors of a compilation as faults of the request field, with line and column. */
export function toContentFaults(faults: readonly CompileFault[]): readonly Fault[] {
  return faults.map(({ row, col, code, message }): Fault => {
    return {
      path: ['policy_content'],
      msg: `line ${row}, column ${col}: ${code}: ${truncateFaultMessage(message)}`,
      type: 'value_error',
    };
  });
}
