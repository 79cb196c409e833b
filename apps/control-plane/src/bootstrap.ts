import { OrganizationService } from '@app/identity';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** Makes the first organisation at first start, and shows its generated key this once. */
@Injectable()
export class Bootstrap implements OnApplicationBootstrap {
  constructor(private readonly organizations: OrganizationService) {}

  async onApplicationBootstrap(): Promise<void> {
    const key = await this.organizations.bootstrap();
    if (key !== undefined) process.stdout.write(`Admin key (shown only now): ${key}\n`);
  }
}
