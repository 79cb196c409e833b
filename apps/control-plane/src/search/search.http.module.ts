import { SearchModule } from '@app/search';
import { Module } from '@nestjs/common';
import { SearchController } from './search.controller.js';

@Module({ imports: [SearchModule], controllers: [SearchController] })
export class SearchHttpModule {}
