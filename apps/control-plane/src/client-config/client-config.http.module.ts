import { ControlPlaneConfig, ModelGatewayConfig, provideConfig } from '@app/config';
import { IdentityModule } from '@app/identity';
import { Module } from '@nestjs/common';
import { PublicAddressModule } from '../public-address/public-address.module.js';
import { ClientConfigController } from './client-config.controller.js';
import { ClientSessionPresenter } from './client-session.presenter.js';

@Module({
  imports: [IdentityModule, PublicAddressModule],
  controllers: [ClientConfigController],
  providers: [provideConfig(ControlPlaneConfig), provideConfig(ModelGatewayConfig), ClientSessionPresenter],
})
export class ClientConfigHttpModule {}
