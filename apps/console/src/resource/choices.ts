import { unwrap, unwrapWithHeaders } from '@app/api-client';
import { queryOptions } from '@tanstack/react-query';
import type { PageQuery } from '../api/keyset';
import type { Session } from '../session/session';
import type { Option } from '../ui/select-field';
import type { Choices, ChoicesQuery, ListCall } from './resource';

/** More than that, and nobody finds anything in a choice: the id is typed instead. */
const MAX_CHOICES = 200;

export const modelChoices = choicesOf(
  '/models',
  ({ controlPlane }, query, signal) =>
    controlPlane.GET('/api/v1/models', { params: { query: { ...query, enabled: true } }, signal }),
  ({ value, label }) => ({ value, label }),
);

export const agentChoices = choicesOf(
  '/agents',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/agents', { params: { query }, signal }),
  named,
);

export const teamChoices = choicesOf(
  '/teams',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/teams', { params: { query }, signal }),
  named,
);

export const skillChoices = choicesOf(
  '/skills',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/skills', { params: { query }, signal }),
  named,
);

export const jobChoices = choicesOf(
  '/jobs',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/jobs', { params: { query }, signal }),
  named,
);

export const environmentChoices = choicesOf(
  '/environments',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/environments', { params: { query }, signal }),
  named,
);

export const queueChoices = choicesOf(
  '/queues',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/worker-queues', { params: { query }, signal }),
  named,
);

const workflowChoices = choicesOf(
  '/workflows',
  ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/workflows', { params: { query }, signal }),
  named,
);

/** Agents, teams and workflows, as `agent ID`, or none of them. What the key may not read is left out. */
export const runnableChoices: ChoicesQuery = (session) =>
  queryOptions({
    queryKey: ['runnable', 'choices'],
    queryFn: async ({ client }): Promise<Choices> => {
      const kinds = { agent: agentChoices, team: teamChoices, workflow: workflowChoices };
      const offered = Object.entries(kinds).map(async ([kind, query]) => {
        const options = await client.fetchQuery(query(session));
        return options?.map(({ value, label }) => ({ value: `${kind} ${value}`, label: `${label} (${kind})` })) ?? null;
      });
      const read = (await Promise.allSettled(offered)).flatMap((one) =>
        one.status === 'fulfilled' ? [one.value] : [],
      );
      if (read.includes(null)) return null;
      const chosenLater = { value: 'on_the_fly', label: 'an agent or team that the model chooses at each trigger' };
      return [...read.flatMap((options) => options ?? []), chosenLater];
    },
  });

export const policyChoices: ChoicesQuery = ({ controlPlane }) =>
  queryOptions({
    queryKey: ['/policies', 'choices'],
    queryFn: async ({ signal }): Promise<Choices> => {
      const query = { limit: 100, total: false };
      const page = await unwrap(controlPlane.GET('/api/v1/policies', { params: { query }, signal }));
      return page.next_cursor === null ? page.policies.map(named) : null;
    },
  });

function choicesOf<Row>(
  path: string,
  list: (session: Session, query: PageQuery, signal: AbortSignal) => ListCall<Row>,
  optionOf: (row: Row) => Option,
): ChoicesQuery {
  return (session) =>
    queryOptions({
      queryKey: [path, 'choices'],
      queryFn: async ({ signal }): Promise<Choices> => {
        const page = list(session, { limit: MAX_CHOICES, total: false }, signal);
        const { data: rows, headers } = await unwrapWithHeaders(page);
        return headers.has('x-next-cursor') ? null : rows.map(optionOf);
      },
    });
}

function named({ id, name }: { readonly id: string; readonly name: string }): Option {
  return { value: id, label: name };
}
