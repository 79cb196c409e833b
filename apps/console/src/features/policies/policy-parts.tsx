import type { Policy } from './policies.queries';
import { PolicyEditor } from './policy-editor';
import { PolicyReach, PolicyReachesNothing } from './policy-reach';
import { PolicyVersions } from './policy-versions';

/** The source of a policy with a trial, where it applies, and what it was before. */
export function PolicyParts({ row: policy }: { readonly row: Policy }) {
  return (
    <>
      <PolicyReachesNothing policyId={policy.id} />
      <PolicyEditor policy={policy} />
      <PolicyReach policyId={policy.id} />
      <PolicyVersions policy={policy} />
    </>
  );
}
