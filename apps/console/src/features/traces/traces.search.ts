/** The filters of the list of traces, as they stand in the address. Absent: no filter. */
export interface TracesSearch {
  readonly status?: Status;
  readonly service?: string;
  readonly execution?: string;
  /** Part of the name. */
  readonly search?: string;
}

type Status = (typeof TRACE_STATUSES)[number];

export const TRACE_STATUSES = ['running', 'success', 'error'] as const;

/** Leaves out what is not a filter of this page. */
export function parseTracesSearch(search: Readonly<Record<string, unknown>>): TracesSearch {
  const filters = {
    status: TRACE_STATUSES.find((one) => one === search['status']) ?? '',
    service: textOf(search['service']),
    execution: textOf(search['execution']),
    search: textOf(search['search']),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** What is shown of a trace, as it stands in the address. */
export interface TraceSearch {
  /** Id of the selected span. */
  readonly sel?: string;
  /** Window in nanoseconds since the start of the trace; absent: the whole trace. */
  readonly t0?: string;
  readonly t1?: string;
  /** Idle time is folded. */
  readonly idle?: 'fold';
  /** The spans stand in a plain table. */
  readonly view?: 'table';
}

export function parseTraceSearch(search: Readonly<Record<string, unknown>>): TraceSearch {
  const sel = textOf(search['sel']);
  const [t0, t1] = [textOf(search['t0']), textOf(search['t1'])];
  const isWindow = /^\d+$/.test(t0) && /^\d+$/.test(t1) && Number(t0) < Number(t1);
  return {
    ...(sel === '' ? {} : { sel }),
    ...(isWindow ? { t0, t1 } : {}),
    ...(search['idle'] === 'fold' ? { idle: 'fold' } : {}),
    ...(search['view'] === 'table' ? { view: 'table' } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
