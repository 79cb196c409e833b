import { ControlPlaneConfig, provideConfig } from '@app/config';
import { Module } from '@nestjs/common';
import { PublicAddress } from './public-address.js';

@Module({ providers: [provideConfig(ControlPlaneConfig), PublicAddress], exports: [PublicAddress] })
export class PublicAddressModule {}
