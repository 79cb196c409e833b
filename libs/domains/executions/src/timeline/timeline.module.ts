import { Module } from '@nestjs/common';
import { TimelineRepository } from './timeline.repository.js';
import { TimelineService } from './timeline.service.js';

@Module({ providers: [TimelineRepository, TimelineService], exports: [TimelineService] })
export class TimelineModule {}
