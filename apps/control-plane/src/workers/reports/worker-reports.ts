import { ConversationService, ExecutionEventService, ExecutionService } from '@app/executions';
import { ERROR_FORMAT, type ErrorFormat, type Separate } from '@app/http';
import type { Caller } from '@app/kernel';
import { OrganizationShares } from '@app/rate-limits';
import { Inject, Injectable } from '@nestjs/common';
import type { ReportRequest } from './dto/worker-reports.request.dto.js';
import type { ReportOutcome } from './dto/worker-reports.response.dto.js';
import { done, failed, mayPass } from './report-outcome.js';
import { toReportedEvent } from './worker-reports.mapper.js';

/**
 * Applies the reports of one request through the services of the routes of single reports. Those of different executions
 * are applied at the same time, so that they are committed together; those of one execution in their order.
 */
@Injectable()
export class WorkerReports {
  constructor(
    private readonly executions: ExecutionService,
    private readonly events: ExecutionEventService,
    private readonly conversations: ConversationService,
    private readonly shares: OrganizationShares,
    @Inject(ERROR_FORMAT) private readonly format: ErrorFormat,
  ) {}

  /** Returns the outcome of each report. A report that follows a failure that may pass has the outcome of that one. */
  async apply(caller: Caller, reports: readonly Separate<ReportRequest>[]): Promise<ReportOutcome[]> {
    const last = new Map<string, Promise<ReportOutcome>>();
    const outcomes = reports.map(async (report, index) => {
      if ('fault' in report) return failed(report.fault, this.format, []);
      const { execution_id: id } = report.value;
      const before = last.get(id);
      const outcome = this.applyAfter(before, () => this.applyOne(caller, report.value, index));
      last.set(id, outcome);
      return outcome;
    });
    return Promise.all(outcomes);
  }

  private async applyAfter(
    before: Promise<ReportOutcome> | undefined,
    apply: () => Promise<ReportOutcome>,
  ): Promise<ReportOutcome> {
    const previous = await before;
    return previous !== undefined && mayPass(previous) ? previous : apply();
  }

  private async applyOne(caller: Caller, report: ReportRequest, index: number): Promise<ReportOutcome> {
    const { execution_id: id, lease_token: token, update, event, messages } = report;
    try {
      // The guard has counted the request once.
      if (index > 0) this.shares.count(caller.organizationId);
      if (update != null) {
        return done({ execution_status: (await this.executions.patch(caller, id, update, token)).status });
      }
      if (event != null) {
        return done({ event_id: (await this.events.publish(caller, id, toReportedEvent(event), token)).event_id });
      }
      const batch = messages ?? { messages: [] };
      return done({ message_count: await this.conversations.append(caller, id, batch, token) });
    } catch (error) {
      const kind = update != null ? 'update' : event != null ? 'event' : 'messages';
      return failed(error, this.format, ['reports', String(index), kind]);
    }
  }
}
