import { ModelGatewayConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { ClientConfigController } from './client-config.controller.js';

@Module({
  imports: [PublicAddressModule],
  controllers: [ClientConfigController],
  providers: [provideConfig(ModelGatewayConfig)],
})
export class ClientConfigHttpModule {}
