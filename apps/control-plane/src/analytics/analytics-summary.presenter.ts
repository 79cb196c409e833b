import { RunnableSources, type AnalyticsSummary } from '@app/executions';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { toAnalyticsSummaryResponse } from './analytics.mapper.js';
import type { AnalyticsSummaryResponse } from './dto/analytics.response.dto.js';

/** Adds the current names of agents and teams to a summary, with one look-up for each kind. */
@Injectable()
export class AnalyticsSummaryPresenter {
  constructor(private readonly runnables: RunnableSources) {}

  async present(scope: Scope, summary: AnalyticsSummary): Promise<AnalyticsSummaryResponse> {
    const agents = summary.by_agent.map(({ key: id }) => ({ kind: 'agent', id }) as const);
    const teams = summary.by_team.map(({ key: id }) => ({ kind: 'team', id }) as const);
    return toAnalyticsSummaryResponse(summary, await this.runnables.namesOf(scope, [...agents, ...teams]));
  }
}
