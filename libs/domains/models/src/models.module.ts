import { ModelCatalogueConfig, ModelGatewayConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GatewayModelEntity, ModelCatalogueEntity } from './catalogue/gateway-model.entity.js';
import { ModelCatalogue } from './catalogue/model-catalogue.js';
import { ModelCatalogueRepository } from './catalogue/model-catalogue.repository.js';
import { ModelGatewayClient } from './catalogue/model-gateway.client.js';
import { ModelEntity } from './model.entity.js';
import { ModelRepository } from './model.repository.js';
import { ModelService } from './model.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ModelEntity, ModelCatalogueEntity, GatewayModelEntity])],
  providers: [
    provideConfig(ModelGatewayConfig),
    provideConfig(ModelCatalogueConfig),
    ModelCatalogueRepository,
    ModelGatewayClient,
    ModelCatalogue,
    ModelRepository,
    ModelService,
  ],
  exports: [ModelService],
})
export class ModelsModule {}
