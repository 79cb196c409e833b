import { ExecutionSummaryService } from '@app/executions';
import { CurrentCaller, RequireScope, Returns, ReturnsPage, Summary } from '@app/http';
import type { Caller } from '@app/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ExecutionSummaryCountResponse,
  ExecutionSummaryFilterQuery,
  ExecutionSummaryPageResponse,
  ListExecutionSummariesQuery,
} from './dto/execution-summary.dto.js';
import {
  toExecutionSummaryFilter,
  toExecutionSummaryPage,
  toExecutionSummaryPageResponse,
} from './execution-summary.mapper.js';

const DEFAULT_ORDER = '-created_at';

/** Executions without prompts, responses and free-form objects. */
@ApiTags('executions')
@Controller('api/v1/execution-summaries')
export class ExecutionSummariesController {
  constructor(private readonly summaries: ExecutionSummaryService) {}

  @Get()
  @Summary('Lists executions without prompts, responses and free-form objects.')
  @RequireScope('tasks:read')
  @ReturnsPage(ExecutionSummaryPageResponse, { counted: false })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListExecutionSummariesQuery,
  ): Promise<ExecutionSummaryPageResponse> {
    const { order = DEFAULT_ORDER } = query;
    const listed = await this.summaries.list(
      caller,
      toExecutionSummaryFilter(query),
      order,
      toExecutionSummaryPage(query),
    );
    return toExecutionSummaryPageResponse(listed);
  }

  @Get('count')
  @Summary('Counts the executions that the same filters list, up to 10,000.')
  @RequireScope('tasks:read')
  @Returns(ExecutionSummaryCountResponse)
  async count(
    @CurrentCaller() caller: Caller,
    @Query() query: ExecutionSummaryFilterQuery,
  ): Promise<ExecutionSummaryCountResponse> {
    const { order = DEFAULT_ORDER } = query;
    const { count, exact } = await this.summaries.count(caller, toExecutionSummaryFilter(query), order);
    return { count, exact };
  }
}
