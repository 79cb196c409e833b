import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { keepPreviousData, queryOptions, useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { onlyOver } from '../../api/entity-tag';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';

type Schemas = ControlPlaneComponents['schemas'];
export type Policy = Schemas['PolicyResponse'];
export type PolicyVersion = Schemas['PolicyVersionSummaryResponse'];
export type Association = Schemas['PolicyAssociationResponse'];
export type Validation = Schemas['PolicyDraftValidationResponse'];
export type Backtest = Schemas['BacktestResponse'];
export type Reach = Schemas['PolicyReachResponse'];
export type ReplayedDecision = Schemas['ReplayedDecisionResponse'];
/** Lists leave the input out. */
export type Decision = Schemas['PolicyDecisionSummaryResponse'] & Partial<Schemas['PolicyDecisionResponse']>;

/** A source that is not stored. */
export interface Draft {
  readonly content: string;
  /** Absent: the source is only compiled. */
  readonly input?: Record<string, unknown>;
}

/** Compiles a source as the platform does, and evaluates an input with it. Nothing is stored. */
export function draftQuery({ controlPlane, can }: Session, { content, input }: Draft) {
  return queryOptions({
    queryKey: ['/policies', 'draft', content, input],
    enabled: can('agents:read') && content !== '',
    // The same text and input give the same answer, but for policies that ask for the time.
    staleTime: Infinity,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const trial = input === undefined ? {} : { input_data: input, explain: true };
      return unwrap(
        controlPlane.POST('/api/v1/policies/validate', { body: { policy_content: content, ...trial }, signal }),
      );
    },
  });
}

/** Returns a source in the standard layout. */
export function useFormat(): UseMutationResult<Schemas['FormattedPolicyResponse'], Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (policy_content: string) =>
      unwrap(controlPlane.POST('/api/v1/policies/format', { body: { policy_content } })),
  });
}

/** Evaluates a source on the inputs of recent decisions of the policy. Nothing is recorded. */
export function useBacktest(policyId: string): UseMutationResult<Backtest, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (policy_content: string) =>
      unwrap(controlPlane.POST('/api/v1/policies/backtest', { body: { policy_content, policy_id: policyId } })),
  });
}

/** What a source would do to recent decisions of the policy, as `useBacktest` says it, while the key may know. */
export function backtestQuery({ controlPlane, can }: Session, policyId: string, policy_content: string) {
  return queryOptions({
    queryKey: ['/policies', 'backtest', policyId, policy_content],
    enabled: can('agents:read') && can('tasks:read'),
    queryFn: ({ signal }) =>
      unwrap(controlPlane.POST('/api/v1/policies/backtest', { body: { policy_content, policy_id: policyId }, signal })),
  });
}

/** Whom a policy reaches. */
export function reachQuery({ controlPlane }: Session, policyId: string) {
  return queryOptions({
    queryKey: ['/policies', 'reach', policyId],
    queryFn: ({ signal }) => {
      const params = { path: { policy_id: policyId } };
      return unwrap(controlPlane.GET('/api/v1/policies/{policy_id}/reach', { params, signal }));
    },
  });
}

const RECENT_DECISIONS = 20;

/** The newest decisions for which a policy was evaluated. */
export function recentDecisionsQuery({ controlPlane }: Session, policyId: string) {
  return queryOptions({
    queryKey: ['/policies', 'recent decisions', policyId],
    queryFn: ({ signal }) => {
      const query = { policy_id: policyId, limit: RECENT_DECISIONS, total: false } as const;
      return unwrap(controlPlane.GET('/api/v1/policies/decisions', { params: { query }, signal }));
    },
  });
}

/** A decision with its input. It never changes. */
export function decisionQuery({ controlPlane }: Session, id: string | undefined) {
  return queryOptions({
    queryKey: ['/decisions', 'input', id],
    enabled: id !== undefined,
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { decision_id: id ?? '' } };
      return unwrap(controlPlane.GET('/api/v1/policies/decisions/{decision_id}', { params, signal }));
    },
  });
}

/** A source that replaces the one with the tag. */
export interface NewSource {
  readonly content: string;
  readonly tag: string | undefined;
}

export function useSaveSource(policyId: string): UseMutationResult<Policy, Error, NewSource> {
  const { controlPlane } = useSession();
  return useChange(['/policies'], ({ content, tag }: NewSource) => {
    const params = { path: { policy_id: policyId }, ...onlyOver(tag) };
    const body = { policy_content: content };
    return unwrap(controlPlane.PATCH('/api/v1/policies/{policy_id}', { params, body }));
  });
}

export function versionsQuery({ controlPlane }: Session, policyId: string) {
  return keysetQuery<PolicyVersion>(['/policies', 'versions', policyId], (query, signal) => {
    const params = { path: { policy_id: policyId }, query };
    return controlPlane.GET('/api/v1/policies/{policy_id}/versions', { params, signal });
  });
}

export function versionQuery({ controlPlane }: Session, policyId: string, version: number) {
  return queryOptions({
    queryKey: ['/policies', 'version', policyId, version],
    queryFn: ({ signal }) => {
      const params = { path: { policy_id: policyId, version: String(version) } };
      return unwrap(controlPlane.GET('/api/v1/policies/{policy_id}/versions/{version}', { params, signal }));
    },
  });
}

export function associationsQuery({ controlPlane }: Session, policyId: string) {
  return keysetQuery<Association>(['/policies', 'associations', policyId], (query, signal) => {
    const params = { query: { ...query, policy_id: policyId } };
    return controlPlane.GET('/api/v1/policies/associations', { params, signal });
  });
}

export type NewAssociation = Pick<Schemas['CreatePolicyAssociationRequest'], 'entity_type' | 'entity_id'>;

export function useAssociations(policyId: string): {
  readonly add: UseMutationResult<Association, Error, NewAssociation>;
  readonly remove: UseMutationResult<unknown, Error, string>;
} {
  const { controlPlane } = useSession();
  const add = useChange(['/policies'], (association: NewAssociation) => {
    const body = { ...association, policy_id: policyId };
    return unwrap(controlPlane.POST('/api/v1/policies/associations', { body }));
  });
  const remove = useChange(['/policies'], (id: string) => {
    const params = { path: { association_id: id } };
    return unwrap(controlPlane.DELETE('/api/v1/policies/associations/{association_id}', { params }));
  });
  return { add, remove };
}

/** Evaluates the input of a decision again, with the policies of today. */
export function useReplay(decisionId: string): UseMutationResult<ReplayedDecision, Error, void> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: () => {
      const params = { path: { decision_id: decisionId } };
      return unwrap(controlPlane.POST('/api/v1/policies/decisions/{decision_id}/replay', { params, body: {} }));
    },
  });
}
