import { Metrics } from '@app/metrics';
import { Controller, Get, NotFoundException, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/access.js';
import { Summary } from '../routes/summary.js';
import { METRICS_PATH, MetricsListener } from './metrics-listener.js';

@ApiTags('health')
@Controller(METRICS_PATH)
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly listener: MetricsListener,
  ) {}

  @Get()
  @Summary('Returns the metrics of this process in the text format of Prometheus.')
  @Public()
  @ApiResponse({
    status: 200,
    description: 'Metrics',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  async read(@Res() response: Response): Promise<void> {
    if (this.listener.isOpen) throw new NotFoundException();
    response.type(this.metrics.contentType).send(await this.metrics.render());
  }
}
