import { ControlPlaneConfig, loadConfig, provideConfig } from '@app/config';
import { Module, RequestMethod, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { ConsoleAssets } from './console-assets.middleware.js';
import { CONSOLE_PATH } from './console-path.js';
import { ConsoleRedirect } from './console-redirect.middleware.js';
import { PlatformKeysController } from './platform-keys.controller.js';
import { PlatformUsersController } from './platform-users.controller.js';
import { PlatformForwarder } from './platform.forwarder.js';

@Module({
  controllers: [PlatformKeysController, PlatformUsersController],
  providers: [provideConfig(ControlPlaneConfig), PlatformForwarder],
})
export class ConsoleHttpModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    if (!loadConfig(ControlPlaneConfig).hasConsole) return;
    consumer
      .apply(ConsoleAssets)
      .exclude(`${CONSOLE_PATH}/platform/*path`)
      .forRoutes(CONSOLE_PATH, `${CONSOLE_PATH}/*path`);
    consumer.apply(ConsoleRedirect).forRoutes({ path: '/', method: RequestMethod.GET });
  }
}
