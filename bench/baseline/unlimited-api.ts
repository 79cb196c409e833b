// The platform API without key check and limits: every request has the same caller, who is looked up once.
import 'reflect-metadata';
import { ClockModule } from '@app/clock';
import { loadConfig, PlatformApiConfig } from '@app/config';
import { RedisModule } from '@app/redis';
import { DatabaseModule } from '@app/database';
import { ExecutionsModule } from '@app/executions';
import { HttpModule, startServer, type WireRequest } from '@app/http';
import { IdentityModule, KeyAuthenticator } from '@app/identity';
import type { Caller } from '@app/kernel';
import { PoliciesModule } from '@app/policies';
import { TeamsModule } from '@app/teams';
import { Injectable, Module, type CanActivate, type ExecutionContext, type OnModuleInit } from '@nestjs/common';
import { AgentsHttpModule } from '../../apps/platform-api/src/agents/agents.http.module.js';
import { platformErrorBody } from '../../apps/platform-api/src/error-body.js';
import { platformApiConfigs, platformApiPlan } from '../../apps/platform-api/src/server-plan.js';

@Injectable()
class KnownCaller implements CanActivate, OnModuleInit {
  private caller: Caller | undefined;

  constructor(private readonly keys: KeyAuthenticator) {}

  async onModuleInit(): Promise<void> {
    this.caller = await this.keys.authenticate(process.env['KNOWN_KEY']);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<WireRequest>();
    if (this.caller !== undefined) request.caller = this.caller;
    return true;
  }
}

@Module({
  imports: [
    ClockModule,
    DatabaseModule,
    RedisModule,
    IdentityModule,
    HttpModule.forApi({
      imports: [IdentityModule],
      guards: [KnownCaller],
      errorFormat: { body: platformErrorBody, challenge: 'UserKey' },
    }),
    ExecutionsModule,
    PoliciesModule,
    TeamsModule,
    AgentsHttpModule,
  ],
})
class UnlimitedApiModule {}

await startServer({
  name: 'unlimited-api',
  configs: platformApiConfigs,
  plan: () => platformApiPlan(UnlimitedApiModule),
  address: () => loadConfig(PlatformApiConfig),
});
