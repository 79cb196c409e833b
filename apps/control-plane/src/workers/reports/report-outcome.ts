import { describeError, renderError, type DescribedError, type ErrorFormat } from '@app/http';
import type { ReportOutcome } from './dto/worker-reports.response.dto.js';

const NOTHING: ReportOutcome = {
  status: 200,
  error_code: null,
  error: null,
  retry_after: null,
  execution_status: null,
  event_id: null,
  message_count: null,
};

export function done(written: Partial<ReportOutcome>): ReportOutcome {
  return { ...NOTHING, ...written };
}

/** Returns the outcome of a report that failed: what the route of a single report would have returned. */
export function failed(error: unknown, format: ErrorFormat, place: readonly string[]): ReportOutcome {
  const { code, headers } = describeError(error, 'POST');
  const body = (described: DescribedError): unknown =>
    format.body({
      ...described,
      faults: described.faults.map((fault) => ({ ...fault, loc: locIn(place, fault.loc) })),
    });
  const { status, body: rendered } = renderError(error, 'POST', { ...format, body });
  const retryAfter = headers['Retry-After'];
  return {
    ...NOTHING,
    status,
    error_code: code,
    error: rendered as object,
    retry_after: retryAfter === undefined ? null : Number(retryAfter),
  };
}

/** Whether the failure may pass, so that what follows it on the same execution must wait. */
export function mayPass({ status }: ReportOutcome): boolean {
  return status === 429 || status >= 500;
}

type Loc = DescribedError['faults'][number]['loc'];

/** Services locate faults in the body of a single report. */
function locIn(place: readonly string[], loc: Loc): Loc {
  const [part, ...path] = loc;
  return part !== 'body' || path[0] === 'reports' ? loc : ['body', ...place, ...path];
}
