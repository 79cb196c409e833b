import { useNavigate, useSearch } from '@tanstack/react-router';
import { parsePolicySearch, type PolicySearch } from './policies.search';

/** What the address says about a policy, and the function that changes it. */
export function usePolicySearch(policyId: string): readonly [PolicySearch, (next: PolicySearch) => void] {
  const search = parsePolicySearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const show = (next: PolicySearch): void =>
    void navigate({
      to: '/policies/$id',
      params: { id: policyId },
      search: next,
      replace: true,
      // The address changes below what a person looks at.
      resetScroll: false,
    });
  return [search, show];
}
