import { ModelService } from '@app/models';
import { Injectable, type OnModuleInit } from '@nestjs/common';

/** Reads the models of the gateway before the first organization is created and before the first request. */
@Injectable()
export class CatalogueStart implements OnModuleInit {
  constructor(private readonly models: ModelService) {}

  async onModuleInit(): Promise<void> {
    await this.models.start();
  }
}
