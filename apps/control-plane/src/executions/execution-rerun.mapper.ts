import { describeError } from '@app/http';
import type { BulkOutcome } from '@app/jobs';
import type { BulkResultResponse } from './dto/execution-rerun.dto.js';

export function toBulkResultResponse({ executionId, started, error }: BulkOutcome): BulkResultResponse {
  if (error !== undefined) {
    const { status, message } = describeError(error, 'POST');
    return { execution_id: executionId, ok: false, status, detail: message, new_execution_id: null };
  }
  const { id = null, error_message = null } = started?.execution ?? {};
  return { execution_id: executionId, ok: true, status: 200, detail: error_message, new_execution_id: id };
}
