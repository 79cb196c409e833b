import { STATUSES, type ExecutionStatus } from './execution-state';

/** The filters of the list, as they stand in the address. Absent: no filter. */
export interface ExecutionsSearch {
  /** Statuses, separated by commas. */
  readonly status?: string;
  readonly type?: 'agent' | 'team' | 'workflow';
  readonly entity?: string;
}

const TYPES = ['agent', 'team', 'workflow'] as const;

/** Leaves out what is not a filter of this page. */
export function parseExecutionsSearch(search: Readonly<Record<string, unknown>>): ExecutionsSearch {
  const statuses = typeof search['status'] === 'string' ? search['status'].split(',') : [];
  const status = STATUSES.filter((one) => statuses.includes(one)).join(',');
  const type = TYPES.find((one) => one === search['type']);
  const entity = typeof search['entity'] === 'string' ? search['entity'] : '';
  return {
    ...(status === '' ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(entity === '' ? {} : { entity }),
  };
}

/** Returns the filters with a status added or removed. */
export function toggleStatus(search: ExecutionsSearch, toggled: ExecutionStatus): ExecutionsSearch {
  const chosen = new Set((search.status ?? '').split(','));
  if (!chosen.delete(toggled)) chosen.add(toggled);
  return parseExecutionsSearch({ ...search, status: [...chosen].join(',') });
}
