import { toWireTime, withoutUndefined } from '@app/kernel';
import type { KnowledgeEntry, KnowledgeFilter, KnowledgeSummary } from '@app/resources';
import type { ListKnowledgeQuery } from './dto/knowledge.request.dto.js';
import type { KnowledgeResponse, KnowledgeSummaryResponse } from './dto/knowledge.response.dto.js';

export function toKnowledgeSummaryResponse(entry: KnowledgeSummary): KnowledgeSummaryResponse {
  return {
    id: entry.id,
    organization_id: entry.organization_id,
    name: entry.name,
    description: entry.description,
    tags: entry.tags,
    metadata: entry.metadata,
    size: entry.size,
    created_by: entry.created_by,
    created_at: toWireTime(entry.created_at),
    updated_at: toWireTime(entry.updated_at),
  };
}

export function toKnowledgeResponse(entry: KnowledgeEntry): KnowledgeResponse {
  return { ...toKnowledgeSummaryResponse(entry), content: entry.content };
}

export function toKnowledgeFilter({ name, tag, q: text }: ListKnowledgeQuery): KnowledgeFilter {
  return withoutUndefined({ name, tag, text });
}
