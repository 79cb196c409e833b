import { AnyKey, CurrentCaller, Returns, Summary } from '@app/http';
import { withoutUndefined, type Caller } from '@app/kernel';
import { SearchService } from '@app/search';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { SEARCH_LIMIT, SearchQuery, SearchResponse } from './dto/search.dto.js';
import { toFoundItemResponse } from './search.mapper.js';

@ApiTags('search')
@Controller('api/v1/search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Summary('Finds resources by name and executions by id, of the kinds that the key may read.')
  @AnyKey()
  @Returns(SearchResponse)
  async find(@CurrentCaller() caller: Caller, @Query() query: SearchQuery): Promise<SearchResponse> {
    const { q: text, kinds, limit = SEARCH_LIMIT } = query;
    const found = await this.search.find(caller, { text, limit, ...withoutUndefined({ kinds }) });
    return { items: found.map(toFoundItemResponse) };
  }
}
