import { RedisConnections } from '@app/connections';
import { Database } from '@app/database';
import { Controller, Get, Injectable, Module, Res, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { timeout, TimeoutStrategy } from 'cockatiel';
import type { Response } from 'express';
import { Public } from '../access/access.js';
import { Returns } from '../routes/returns.js';
import { Summary } from '../routes/summary.js';
import { ERROR_CODE_HEADER, type HttpErrorCode } from '../errors/error-codes.js';
import { ResponseObject, ResponseString } from '../fields/response-fields.js';

const PROBE_TIMEOUT_MS = 1000;
const CACHE_MS = 1000;
const QUEUE_PROBE_KEY = 'health:queue-probe';

class HealthResponse {
  @ResponseString({
    enum: ['ok', 'unavailable'],
    description: '`ok` if the process can serve requests, otherwise `unavailable`',
  })
  readonly status!: string;

  @ResponseObject({
    description:
      'State of each dependency, `up` or `down`: `postgres`, `redis`, `queue` (its store accepts messages) and `migrations` ' +
      '(the schema has all migrations of this process); empty for the liveness check',
  })
  readonly checks!: Record<string, string>;
}

/** The state of each dependency, by name. */
type Checks = Readonly<Record<string, boolean>>;

@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private draining = false;
  private latest: { readonly since: number; readonly checks: Promise<Checks> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnections,
  ) {}

  /** From now on the readiness check fails, so that load balancers send no new requests; running requests continue. */
  leave(): void {
    this.draining = true;
  }

  beforeApplicationShutdown(): void {
    this.leave();
  }

  async check(): Promise<HealthResponse> {
    const checks = await this.probe();
    const ready = Object.values(checks).every(Boolean) && !this.draining;
    return {
      status: ready ? 'ok' : 'unavailable',
      checks: Object.fromEntries(Object.entries(checks).map(([name, up]) => [name, up ? 'up' : 'down'])),
    };
  }

  /** Calls within a second share one round trip to each dependency, because anybody can call the public route. */
  private probe(): Promise<Checks> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      this.latest = { since: performance.now(), checks: this.probeAll() };
    }
    return this.latest.checks;
  }

  private async probeAll(): Promise<Checks> {
    const [postgres, redis, queue, migrations] = await Promise.all([
      succeeds(() => this.database.ping()),
      succeeds(() => this.redis.commands.ping()),
      // Writes a key instead of sending PING: a Redis server that is full, or that is a replica, responds to PING but
      // accepts no message.
      succeeds(() => this.redis.forQueues.set(QUEUE_PROBE_KEY, '', 'PX', PROBE_TIMEOUT_MS)),
      succeeds(() => this.database.checkMigrations()),
    ]);
    return { postgres, redis, queue, migrations };
  }
}

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
  description: 'A dependency is down, or the process is shutting down',
};

@ApiTags('health')
@Controller('api/health')
class HealthController {
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
    return { status: 'ok', checks: {} };
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

@Module({ controllers: [HealthController], providers: [Readiness] })
export class HealthModule {}
