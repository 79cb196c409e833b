import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { isOutdated } from './entity-tag';

/** A change after which what is known under a key is asked for again. */
export function useChange<Input, Output>(
  queryKey: readonly unknown[],
  change: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    // What a creation answers can contain a secret.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey }),
    // What others made of it is shown beside what a person entered.
    onError: (error) => (isOutdated(error) ? queries.invalidateQueries({ queryKey }) : undefined),
  });
}
