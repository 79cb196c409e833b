import { AgentsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';

@Module({ imports: [AgentsModule], controllers: [AgentsController] })
export class AgentsHttpModule {}
