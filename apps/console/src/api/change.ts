import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

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
  });
}
