import { VERSION } from '@app/kernel';
import { Metrics } from '@app/metrics';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Stopping } from '../mcp/stopping.js';
import { ToolServerPlatformConfig } from '../platform.config.js';

const PROBE_TIMEOUT_MS = 1000;
const CACHE_MS = 1000;

/** The same routes as those of the other servers. They need no token, and answer under every host name. */
@Controller()
export class HealthController {
  private latest: { readonly since: number; readonly isUp: Promise<boolean> } | undefined;

  constructor(
    private readonly platform: ToolServerPlatformConfig,
    private readonly metrics: Metrics,
    private readonly stopping: Stopping,
  ) {}

  @Get('api/health/live')
  live(): object {
    return { status: 'ok', version: VERSION, checks: {} };
  }

  @Get(['api/health', 'api/health/ready'])
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const isUp = await this.platformIsUp();
    const isReady = isUp && !this.stopping.isLeaving;
    if (!isReady) response.status(503);
    const checks = { platform_api: isUp ? 'up' : 'down' };
    return { status: isReady ? 'ok' : 'unavailable', version: VERSION, checks };
  }

  @Get('metrics')
  async readMetrics(@Res() response: Response): Promise<void> {
    response.type(this.metrics.contentType).send(await this.metrics.render());
  }

  /** Requests within a second share one probe, because the route is public. */
  private platformIsUp(): Promise<boolean> {
    if (this.latest === undefined || performance.now() - this.latest.since > CACHE_MS) {
      const probe = fetch(`${this.platform.url}/api/health/ready`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      const isUp = probe.then(({ ok }) => ok).catch(() => false);
      this.latest = { since: performance.now(), isUp };
    }
    return this.latest.isUp;
  }
}
