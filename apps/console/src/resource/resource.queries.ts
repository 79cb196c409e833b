import { queryOptions, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../api/change';
import { keysetQuery } from '../api/keyset';
import type { Session } from '../session/session';
import { useSession } from '../session/session-context';
import type { Values } from './form-values';
import type { Resource } from './resource';

/** The resources of the organization, newest first. */
export function resourcesQuery<Row extends Values>(session: Session, resource: Resource<Row>) {
  return keysetQuery<Row>([resource.path, 'list'], (query, signal) => resource.list(session, query, signal));
}

export function resourceQuery<Row extends Values>(session: Session, resource: Resource<Row>, id: string) {
  return queryOptions({
    queryKey: [resource.path, 'one', id],
    queryFn: ({ signal }) => resource.read(session, id, signal),
  });
}

/** Creates a resource, or changes the given one. */
export function useSaveResource<Row extends Values>(
  resource: Resource<Row>,
  row: Row | undefined,
): UseMutationResult<Row> {
  const session = useSession();
  const { path, one, create, update, idOf } = resource;
  return useChange([path], (body: unknown) => {
    const tag = row?.['entity_tag'] as string | undefined;
    const sent = row === undefined ? create?.send(session, body) : update?.send(session, idOf(row), body, tag);
    return sent ?? Promise.reject(new Error(`People do not make or change a ${one}`));
  });
}

/** Reads a resource again, whatever is known of it. */
export function useReadAgain<Row extends Values>(resource: Resource<Row>): UseMutationResult<Row, Error, string> {
  const session = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => queries.fetchQuery({ ...resourceQuery(session, resource, id), staleTime: 0 }),
  });
}

export function useDeleteResource<Row extends Values>(resource: Resource<Row>): UseMutationResult<unknown, Error, Row> {
  const session = useSession();
  return useChange([resource.path], async (row: Row) => resource.removal?.send(session, resource.idOf(row)));
}
