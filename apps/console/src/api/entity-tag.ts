import { ApiError, unwrapWithHeaders, type Call } from '@app/api-client';

/** What was read, with its tag at that time. Lists have no tags. */
export type Tagged<Row> = Row & { readonly entity_tag?: string };

/** Like `unwrap`, and keeps the `ETag` of the answer. */
export async function unwrapTagged<Row extends object>(call: Call<Row>): Promise<Tagged<Row>> {
  const { data: row, headers } = await unwrapWithHeaders(call);
  const tag = headers.get('etag');
  return tag === null ? row : { ...row, entity_tag: tag };
}

/** Returns the headers of a change that the server refuses if others changed the thing since it had this tag. */
export function onlyOver(tag: string | undefined): { readonly header?: { readonly 'If-Match': string } } {
  return tag === undefined ? {} : { header: { 'If-Match': tag } };
}

/** Returns whether others changed a thing after it was read. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}
