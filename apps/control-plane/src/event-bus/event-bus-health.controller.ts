import { EventBusHealth } from '@app/events';
import { Returns, Public, Summary } from '@app/http';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EventBusHealthResponse } from './dto/event-bus-health.response.dto.js';
import { toEventBusHealthResponse } from './event-bus-health.mapper.js';

@ApiTags('health')
@Controller('api/health/event-bus')
export class EventBusHealthController {
  constructor(private readonly health: EventBusHealth) {}

  @Get()
  @Summary('Returns the health of the providers that deliver events.')
  @Public()
  @Returns(EventBusHealthResponse, { description: 'Health, also if unhealthy; see `status`' })
  async read(): Promise<EventBusHealthResponse> {
    return toEventBusHealthResponse(await this.health.check());
  }
}
