import { RedisConnections } from '@app/connections';
import { Database } from '@app/database';
import { Controller, Get, Injectable, Module, Res, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { timeout, TimeoutStrategy } from 'cockatiel';
import type { Response } from 'express';
import { Public } from '../routes/access.js';
import { Returns } from '../routes/returns.js';
import { Summary } from '../routes/summary.js';
import { ERROR_CODE_HEADER, type HttpErrorCode } from '../wire/error-codes.js';
import { ResponseObject, ResponseString } from '../wire/response-fields.js';

const PROBE_TIMEOUT_MS = 1000;

class HealthResponse {
  @ResponseString({
    enum: ['ok', 'unavailable'],
    description: '`ok` if the process can serve requests, else `unavailable`',
  })
  readonly status!: string;

  @ResponseObject({ description: 'State of each store, `up` or `down`, by name; empty for the liveness check' })
  readonly checks!: Record<string, string>;
}

@Injectable()
class Readiness implements BeforeApplicationShutdown {
  private draining = false;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  /** From now on the readiness check fails, so that load balancers send no new requests; running requests continue. */
  beforeApplicationShutdown(): void {
    this.draining = true;
  }

  async check(): Promise<HealthResponse> {
    const [postgres, redis] = await Promise.all([
      succeeds(() => this.database.ping()),
      succeeds(() => this.redis.commands.ping()),
    ]);
    const ready = postgres && redis && !this.draining;
    return { status: ready ? 'ok' : 'unavailable', checks: { postgres: upOrDown(postgres), redis: upOrDown(redis) } };
  }
}

const upOrDown = (up: boolean): string => (up ? 'up' : 'down');

/** Returns false if the probe rejects or does not resolve in time. */
function succeeds(probe: () => Promise<unknown>): Promise<boolean> {
  return timeout(PROBE_TIMEOUT_MS, TimeoutStrategy.Aggressive)
    .execute(probe)
    .then(
      () => true,
      () => false,
    );
}

const NOT_READY_CODE: HttpErrorCode = 'not_ready';
const NOT_READY = {
  status: 503,
  type: HealthResponse,
  description: 'A store does not respond, or the process is shutting down',
};

@ApiTags('health')
@Controller('api/health')
class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @Summary('Returns whether the process can serve requests: its stores respond and it is not shutting down.')
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
    return { status: 'ok', checks: {} };
  }

  @Get('ready')
  @Summary('Returns whether the process can serve requests: its stores respond and it is not shutting down.')
  @Public()
  @Returns(HealthResponse)
  @ApiResponse(NOT_READY)
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    const health = await this.readiness.check();
    if (health.status !== 'ok') response.status(503).setHeader(ERROR_CODE_HEADER, NOT_READY_CODE);
    return health;
  }
}

@Module({ controllers: [HealthController], providers: [Readiness] })
export class HealthModule {}
