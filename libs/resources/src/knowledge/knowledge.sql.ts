/** Ranking a match costs about 20 µs, so of more matches only the newest ones are ranked and counted. */
export const MAX_MATCHES = 5_000;

/** Stop words such as "the" are removed from a search; a search for stop words alone finds nothing. */
const WORDS = 'knowledge_query(:words)';

/**
 * A subquery with the ids of the newest matches of a search in an organization. Ids are in the order of creation. `tagged`:
 * only those with the tags in the parameter `tags`; `chosen`: only those in the parameter `ids`. Further parameters:
 * `words`, `organization`, `owner` (see `ownerWord`).
 */
export function matches({ tagged, chosen }: { readonly tagged: boolean; readonly chosen: boolean }): string {
  const tags = `AND knowledge_id IN (SELECT id FROM knowledge WHERE organization_id = :organization AND tags @> :tags)`;
  return `(SELECT knowledge_id FROM knowledge_vectors
    WHERE organization_id = :organization AND vector @@ (${WORDS} && CAST(:owner AS tsquery)) AND numnode(${WORDS}) > 0
      ${tagged ? tags : ''} ${chosen ? 'AND knowledge_id = ANY(:ids)' : ''}
    ORDER BY knowledge_id DESC LIMIT ${MAX_MATCHES})`;
}

/** The rank of an entry with the alias `found` of its row in `knowledge_vectors`; its length counts logarithmically. */
export const RANK = `ts_rank(found.vector, ${WORDS}, 1)`;

/** Returns the word that the vectors of an organization contain, as a `tsquery`. */
export function ownerWord(organizationId: string): string {
  return `'${organizationId.replaceAll(/['\\]/g, '$&$&')}'`;
}
