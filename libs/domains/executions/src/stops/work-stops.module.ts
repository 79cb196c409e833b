import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkStopEntity } from './work-stop.entity.js';
import { WorkStops } from './work-stops.js';

@Module({
  imports: [TypeOrmModule.forFeature([WorkStopEntity])],
  providers: [WorkStops],
  exports: [WorkStops],
})
export class WorkStopsModule {}
