import { RedisConnections } from '@app/connections';
import { Database } from '@app/database';
import { Controller, Get, Injectable, Module, Res, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../routes/access.js';
import { Answers } from '../routes/answers.js';
import { Summary } from '../routes/summary.js';
import { OutObject, OutString } from '../wire/response-fields.js';

const PROBE_TIMEOUT_MS = 1000;

class HealthResponse {
  @OutString({ enum: ['ok', 'unavailable'] })
  readonly status!: string;

  @OutObject({ description: 'Per store: `up` or `down`' })
  readonly checks!: Record<string, string>;
}

@Injectable()
class Readiness implements BeforeApplicationShutdown {
  private draining = false;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  /** From now on balancers are told to send no more; running requests go on. */
  beforeApplicationShutdown(): void {
    this.draining = true;
  }

  async check(): Promise<HealthResponse> {
    const [postgres, redis] = await Promise.all([
      answersInTime(this.database.sql('SELECT 1')),
      answersInTime(this.redis.commands.ping()),
    ]);
    const ready = postgres && redis && !this.draining;
    return { status: ready ? 'ok' : 'unavailable', checks: { postgres: upOrDown(postgres), redis: upOrDown(redis) } };
  }
}

const upOrDown = (up: boolean): string => (up ? 'up' : 'down');

async function answersInTime(probe: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MS);
  });
  const answered = probe.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}

const NOT_READY = { status: 503, type: HealthResponse, description: 'A store is away, or the process stops' };

@ApiTags('health')
@Controller('api/health')
class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @Summary('Tells whether the process can serve: its stores answer and it is not stopping.')
  @Public()
  @Answers(HealthResponse)
  @ApiResponse(NOT_READY)
  async overview(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    return this.ready(response);
  }

  @Get('live')
  @Summary('Tells that the process lives.')
  @Public()
  @Answers(HealthResponse)
  live(): HealthResponse {
    return { status: 'ok', checks: {} };
  }

  @Get('ready')
  @Summary('Tells whether the process can serve: its stores answer and it is not stopping.')
  @Public()
  @Answers(HealthResponse)
  @ApiResponse(NOT_READY)
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthResponse> {
    const health = await this.readiness.check();
    if (health.status !== 'ok') response.status(503);
    return health;
  }
}

@Module({ controllers: [HealthController], providers: [Readiness] })
export class HealthModule {}
