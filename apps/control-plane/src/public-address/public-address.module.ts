import { ControlPlaneConfig, provideConfig, WebSocketConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { PublicAddress } from './public-address.js';

@Module({
  providers: [provideConfig(ControlPlaneConfig), provideConfig(WebSocketConfig), PublicAddress],
  exports: [PublicAddress],
})
export class PublicAddressModule {}
