/**
 * Maximum number of matches that are ranked and counted, the newest ones, because ranking a match takes about 20 µs.
 */
export const MAX_MATCHES = 5_000;

/** Stop words such as "the" are removed from a search. A search that consists of stop words finds nothing. */
const WORDS = 'knowledge_query(:words)';

/**
 * Returns a subquery for the ids of the newest matches of a search in an organization; the order of ids is the order of
 * creation. `tagged`: only entries with the tags in the parameter `tags`; `chosen`: only entries in the parameter
 * `ids`. Further parameters: `words`, `organization`, `owner` (see `ownerWord`).
 */
export function matches({ tagged, chosen }: { readonly tagged: boolean; readonly chosen: boolean }): string {
  const tags = `AND knowledge_id IN (SELECT id FROM knowledge WHERE organization_id = :organization AND tags @> :tags)`;
  return `(SELECT knowledge_id FROM knowledge_vectors
    WHERE organization_id = :organization AND vector @@ (${WORDS} && CAST(:owner AS tsquery)) AND numnode(${WORDS}) > 0
      ${tagged ? tags : ''} ${chosen ? 'AND knowledge_id = ANY(:ids)' : ''}
    ORDER BY knowledge_id DESC LIMIT ${MAX_MATCHES})`;
}

/** The rank of an entry, divided by the logarithm of its length. `found` is the alias of `knowledge_vectors`. */
export const RANK = `ts_rank(found.vector, ${WORDS}, 1)`;

/** Returns a `tsquery` for the word that every vector of this organization contains. */
export function ownerWord(organizationId: string): string {
  return `'${organizationId.replaceAll(/['\\]/g, '$&$&')}'`;
}
