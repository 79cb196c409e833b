import type { ServerResponse } from 'node:http';
import { conflict, type PageResult } from '@app/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { KeepsAsyncContext } from './async-context.js';
import { listFormOf, maxItemsOf, NEXT_CURSOR_HEADER, TOTAL_COUNT_HEADER, type PagedBody } from './returns.js';

/** A page whose items are the text of a JSON list, for values that `JSON.stringify` cannot write. */
export interface PageText extends Omit<PageResult<unknown>, 'items'> {
  readonly text: string;
}

/** Writes the paging of a list to the headers of its response (see `ReturnsList`, `ReturnsPage`). */
@Injectable()
@KeepsAsyncContext()
export class ListInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const handler = context.getHandler();
    const form = listFormOf(handler);
    if (form === undefined || form === 'uncounted') return next.handle();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      map((answer: PageResult<unknown> | PageText | PagedBody | unknown[] | undefined) => {
        // The handler redirects to another route, which returns the list.
        if (answer === undefined) return undefined;
        const listed = Array.isArray(answer) ? whole(answer, maxItemsOf(handler)) : answer;
        const isBare = form !== 'paged';
        const next = isBare ? (listed as PageResult<unknown>).nextCursor : (listed as PagedBody).next_cursor;
        if (listed.total != null) response.setHeader(TOTAL_COUNT_HEADER, String(listed.total));
        if (next != null) response.setHeader(NEXT_CURSOR_HEADER, next);
        if (isBare && 'text' in listed) return listed.text;
        return isBare ? (listed as PageResult<unknown>).items : listed;
      }),
    );
  }
}

function whole(items: readonly unknown[], maxItems: number): PageResult<unknown> {
  if (items.length > maxItems) {
    throw conflict('related_data_too_large', `The list would have more than ${maxItems} rows`);
  }
  return { items, total: items.length, nextCursor: undefined };
}
