import { TracesModule } from '@app/traces';
import { Module } from '@nestjs/common';
import { OtlpController } from './otlp.controller.js';
import { TracesController } from './traces.controller.js';

@Module({ imports: [TracesModule], controllers: [OtlpController, TracesController] })
export class TracesHttpModule {}
