import { EXECUTION_STATUSES, type ExecutionStatus } from '@app/executions';
import { ResponseInteger, ResponseList, ResponseObject, ResponseString } from '@app/http';

export class ReportOutcome {
  @ResponseInteger({ description: 'HTTP status that the route of a single report would have returned' })
  readonly status!: number;

  @ResponseString({ nullable: true, description: 'Code of the error, as in `X-Error-Code`; null without one' })
  readonly error_code!: string | null;

  @ResponseObject({ nullable: true, description: 'Body of the error response; null without an error' })
  readonly error!: object | null;

  @ResponseInteger({
    nullable: true,
    description: 'Seconds until the same report may succeed, as in `Retry-After`; null if unknown',
  })
  readonly retry_after!: number | null;

  @ResponseString({
    nullable: true,
    enum: EXECUTION_STATUSES,
    description: 'Status of the execution after an `update`; otherwise null',
  })
  readonly execution_status!: ExecutionStatus | null;

  @ResponseString({ nullable: true, description: 'Id of a published `event`; otherwise null' })
  readonly event_id!: string | null;

  @ResponseInteger({ nullable: true, description: 'Number of stored messages after `messages`; otherwise null' })
  readonly message_count!: number | null;
}

export class WorkerReportsResponse {
  @ResponseList(ReportOutcome, { description: 'Outcomes, in the order of the reports' })
  readonly outcomes!: readonly ReportOutcome[];
}
