import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics, MetricsModule } from '@app/metrics';
import {
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Res,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/access.js';
import { Summary } from '../routes/summary.js';

const PATH = '/metrics';

/** A separate listener for the metrics, so that the port of the API does not serve them. */
@Injectable()
export class MetricsListener implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(private readonly metrics: Metrics) {}

  get isOpen(): boolean {
    return this.server !== undefined;
  }

  /** Returns the port. */
  async open(port: number, host: string): Promise<number> {
    this.server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== PATH) {
        response.writeHead(404).end();
        return;
      }
      this.metrics.render().then(
        (text) => response.writeHead(200, { 'Content-Type': this.metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}

@ApiTags('health')
@Controller(PATH)
class MetricsController {
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

@Module({ imports: [MetricsModule], controllers: [MetricsController], providers: [MetricsListener] })
export class MetricsRouteModule {}
