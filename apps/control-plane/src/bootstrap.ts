import { BootstrapService } from '@app/identity';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** Creates the first organization at the first start and prints its generated key, which is not stored in plain text. */
@Injectable()
export class Bootstrap implements OnApplicationBootstrap {
  constructor(private readonly bootstrap: BootstrapService) {}

  async onApplicationBootstrap(): Promise<void> {
    const key = await this.bootstrap.ensureOrganization();
    if (key !== undefined) process.stdout.write(`Admin key (shown only once): ${key}\n`);
  }
}
