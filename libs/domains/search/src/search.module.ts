import { ExecutionsModule } from '@app/executions';
import { Module } from '@nestjs/common';
import { SearchRepository } from './search.repository.js';
import { SearchService } from './search.service.js';

/** Finds entities of the domains that the process imports. */
@Module({
  imports: [ExecutionsModule],
  providers: [SearchRepository, SearchService],
  exports: [SearchService],
})
export class SearchModule {}
