import { ApiError } from '@app/api-client';

/** A failed request, in words for a person. */
export interface Failure {
  readonly title: string;
  readonly detail: string;
  /** Null: the server did not answer. */
  readonly status: number | null;
}

export function describeFailure(error: unknown): Failure {
  if (!(error instanceof ApiError)) {
    return { title: 'No connection', detail: 'The server cannot be reached. Is it running?', status: null };
  }
  return { title: titleOf(error.status), detail: detailOf(error.body) ?? error.message, status: error.status };
}

function titleOf(status: number): string {
  if (status === 403) return 'Not allowed';
  if (status === 404) return 'Not in this organization, or deleted';
  if (status === 409) return 'Not possible now';
  if (status === 412) return 'Somebody else changed it meanwhile';
  if (status === 422) return 'The server did not accept this';
  if (status === 429) return 'Too many requests';
  return status === 503 ? 'The server is not available' : 'The request failed';
}

/** Returns the text of an error body of the control plane (`detail`) or of the platform API (`error`, `details`). */
function detailOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { detail, details, error } = body as Readonly<Record<string, unknown>>;
  if (typeof detail === 'string') return detail;
  const faults = listOf(detail) ?? listOf(details);
  if (faults !== undefined) return faults.join('\n');
  if (typeof details === 'string') return details;
  return typeof error === 'string' ? error : undefined;
}

/** Returns what the control plane found wrong with single fields of a body, by the name of the field. */
export function faultsByField(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const { detail } = (error.body ?? {}) as { readonly detail?: unknown };
  const faults: Record<string, string> = {};
  for (const { loc, msg } of Array.isArray(detail) ? (detail as Fault[]) : []) {
    const [place, field, ...inside] = loc ?? [];
    if (place !== 'body' || field === undefined) continue;
    faults[field] = [faults[field], [...inside, msg].join(': ')].filter(Boolean).join('; ');
  }
  return faults;
}

interface Fault {
  readonly loc?: readonly string[];
  readonly msg?: string;
}

function listOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((item: unknown) => {
    if (typeof item === 'string') return item;
    const { loc, msg } = item as Fault;
    return `${(loc ?? []).slice(1).join('.')}: ${msg ?? ''}`;
  });
}
