import { VERSION } from '@app/kernel';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/access.js';
import { ERROR_CODE_HEADER, type HttpErrorCode } from '../errors/error-codes.js';
import { Returns } from '../routes/returns.js';
import { Summary } from '../routes/summary.js';
import { HealthResponse } from './health.response.dto.js';
import { Readiness } from './readiness.js';

const NOT_READY_CODE: HttpErrorCode = 'not_ready';
const NOT_READY = {
  status: 503,
  type: HealthResponse,
  description: 'A dependency is down, or the process is shutting down',
};

@ApiTags('health')
@Controller('api/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @Summary('Returns whether the process can serve requests: its dependencies respond and it is not shutting down.')
  @Public()
  @Returns(HealthResponse)
  @ApiResponse(NOT_READY)
  async overview(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    return this.ready(response);
  }

  @Get('live')
  @Summary('Returns success while the process runs.')
  @Public()
  @Returns(HealthResponse)
  live(): HealthResponse {
    return { status: 'ok', version: VERSION, checks: {} };
  }

  @Get('ready')
  @Summary('Returns whether the process can serve requests: its dependencies respond and it is not shutting down.')
  @Public()
  @Returns(HealthResponse)
  @ApiResponse(NOT_READY)
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    const health = await this.readiness.check();
    if (health.status !== 'ok') response.status(503).setHeader(ERROR_CODE_HEADER, NOT_READY_CODE);
    return health;
  }
}
