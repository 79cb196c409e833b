import { EventBusHealth } from '@app/events';
import { Answers, Public, Summary } from '@app/http';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EventBusHealthResponse } from './dto/event.response.dto.js';
import { toEventBusHealthResponse } from './event.mapper.js';

@ApiTags('health')
@Controller('api/health/event-bus')
export class EventBusHealthController {
  constructor(private readonly health: EventBusHealth) {}

  @Get()
  @Summary('Tells how the providers that deliver events are.')
  @Public()
  @Answers(EventBusHealthResponse, { description: 'Also when unhealthy: the body says it' })
  async read(): Promise<EventBusHealthResponse> {
    return toEventBusHealthResponse(await this.health.check());
  }
}
