import { conflict, notFound, type DomainError } from '@app/kernel';

export function traceNotFound(): DomainError {
  return notFound('trace_not_found', 'Trace');
}

export function spanNotFound(): DomainError {
  return notFound('span_not_found', 'Span');
}

export function traceTooLarge(bytes: number, limit: number): DomainError {
  const size = `about ${Math.ceil(bytes / 1_048_576)} MiB, more than ${limit / 1_048_576} MiB`;
  return conflict(
    'related_data_too_large',
    `The spans of the trace have ${size}: read them in pages (GET /api/v1/traces/{trace_id}/spans?limit=1000), or read its outline`,
  );
}
