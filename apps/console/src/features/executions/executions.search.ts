import { STATUSES, type ExecutionStatus } from './execution-state';

/** The filters of the list, as they stand in the address. Absent: no filter. */
export interface ExecutionsSearch {
  /** Statuses, separated by commas. */
  readonly status?: string;
  readonly type?: 'agent' | 'team' | 'workflow';
  readonly entity?: string;
  readonly job?: string;
  readonly queue?: string;
  /** The execution that started it. */
  readonly parent?: string;
  /** The `session_id` of a session. */
  readonly session?: string;
  /** Hash of the cause of a failure. */
  readonly cause?: string;
  /** By the end, newest first; absent: by the creation, newest first. */
  readonly order?: 'ended';
  /** Period of the time that the order is by, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

const TYPES = ['agent', 'team', 'workflow'] as const;

/** Leaves out what is not a filter of this page. */
export function parseExecutionsSearch(search: Readonly<Record<string, unknown>>): ExecutionsSearch {
  const textOf = (name: string): string => (typeof search[name] === 'string' ? search[name] : '');
  const statuses = textOf('status').split(',');
  const timeOf = (name: string): string => (Number.isNaN(Date.parse(textOf(name))) ? '' : textOf(name));
  const filters = {
    status: STATUSES.filter((one) => statuses.includes(one)).join(','),
    type: TYPES.find((one) => one === search['type']) ?? '',
    entity: textOf('entity'),
    job: textOf('job'),
    queue: textOf('queue'),
    parent: textOf('parent'),
    session: textOf('session'),
    cause: /^[0-9a-f]{16}$/.test(textOf('cause')) ? textOf('cause') : '',
    order: textOf('order') === 'ended' ? 'ended' : '',
    from: timeOf('from'),
    to: timeOf('to'),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** Returns the filters with a status added or removed. */
export function toggleStatus(search: ExecutionsSearch, toggled: ExecutionStatus): ExecutionsSearch {
  const chosen = new Set((search.status ?? '').split(','));
  if (!chosen.delete(toggled)) chosen.add(toggled);
  return parseExecutionsSearch({ ...search, status: [...chosen].join(',') });
}

/** Returns the filters for what is also in one of these statuses; undefined if nothing can be. */
export function narrowedTo(
  search: ExecutionsSearch,
  statuses: readonly ExecutionStatus[],
): ExecutionsSearch | undefined {
  const chosen = search.status?.split(',');
  const both = statuses.filter((status) => chosen?.includes(status) ?? true);
  return both.length === 0 ? undefined : { ...search, status: both.join(',') };
}

/** Parts of the record of an execution, in the order of their tabs. */
export const RECORD_VIEWS = ['transcript', 'steps', 'tools', 'tasks', 'files', 'input', 'children'] as const;
export type RecordView = (typeof RECORD_VIEWS)[number];

/** The part that is shown, as it stands in the address. Absent: the transcript. */
export function parseRecordView(search: Readonly<Record<string, unknown>>): { readonly view?: RecordView } {
  const view = RECORD_VIEWS.find((one) => one === search['view']);
  return view === undefined || view === 'transcript' ? {} : { view };
}
