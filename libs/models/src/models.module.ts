import { ModelGatewayConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ModelEntity } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelService } from './model.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ModelEntity])],
  providers: [provideConfig(ModelGatewayConfig), ModelRepository, ModelService],
  exports: [ModelService],
})
export class ModelsModule {}
