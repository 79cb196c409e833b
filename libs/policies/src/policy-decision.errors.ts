import { conflict, notFound, type DomainError } from '@app/kernel';

export const policyDecisionNotFound = (): DomainError => notFound('Policy decision');

export const decisionInputMissing = (): DomainError =>
  conflict('policy_decision_input_missing', 'The input was too large to be kept; send it to replay the decision');

export const decisionUnasked = (): DomainError =>
  conflict('policy_decision_unasked', 'No policy was asked, because too many applied: there is nothing to replay');

export const decisionInputDiffers = (): DomainError =>
  conflict('policy_decision_input_differs', 'This is not the input of the decision: its digest is another one');

export const decisionVersionGone = (policyId: string, version: number): DomainError =>
  conflict('policy_version_gone', `Version ${version} of the policy ${policyId}, which decided, is not there any more`);
