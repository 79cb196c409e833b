import type { FoundItem } from '@app/search';
import type { FoundItemResponse } from './dto/search.dto.js';

export function toFoundItemResponse({ kind, id, name, detail, status }: FoundItem): FoundItemResponse {
  return { kind, id, name, detail, status };
}
