import { conflict, notFound, type DomainError } from '@app/kernel';

export const policyDecisionNotFound = (): DomainError => notFound('policy_decision_not_found', 'Policy decision');

export const decisionInputMissing = (): DomainError =>
  conflict('policy_decision_input_missing', 'The input was too large to be stored. Send it to replay the decision');

export const decisionNotEvaluated = (): DomainError =>
  conflict(
    'policy_decision_unasked',
    'The decision cannot be replayed: too many policies applied, so none was evaluated',
  );

export const decisionInputDiffers = (): DomainError =>
  conflict('policy_decision_input_differs', 'The input differs from that of the decision: the digests are not equal');

export const decisionVersionMissing = (policyId: string, version: number): DomainError =>
  conflict('policy_version_gone', `Version ${version} of the policy ${policyId} no longer exists`);
