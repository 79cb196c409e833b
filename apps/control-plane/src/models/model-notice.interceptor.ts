import type { ServerResponse } from 'node:http';
import { modelIn } from '@app/agents';
import { addNotice, isPrintable, type WireRequest } from '@app/http';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { ModelService } from '@app/models';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { concatMap, type Observable } from 'rxjs';

/** A response after a write of a resource that can name models. */
interface NamesModels {
  readonly model_id?: string | null;
  readonly default_model?: string | null;
  readonly configuration?: JsonObject;
  readonly steps?: readonly JsonObject[];
}

/** Maximum number of models in the header. */
const MAX_LISTED = 5;

/**
 * Sets the header `X-Notice` if a resource names a model that is neither stored nor listed by the gateway. The request
 * succeeds: runs send such a name to the gateway, which may accept more models than it lists.
 */
@Injectable()
export class ModelNoticeInterceptor implements NestInterceptor {
  constructor(private readonly models: ModelService) {}

  intercept(context: ExecutionContext, next: CallHandler<NamesModels>): Observable<NamesModels> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<WireRequest>();
    const response = http.getResponse<ServerResponse>();
    return next.handle().pipe(
      concatMap(async (written) => {
        const names = [...new Set(modelsOf(written))];
        if (caller === undefined || names.length === 0) return written;
        const found = await this.models.byIdsOrValues(caller, names);
        const unknown = names.filter((name) => !found.has(name)).slice(0, MAX_LISTED);
        for (const name of unknown) addNotice(response, noticeOf(name));
        return written;
      }),
    );
  }
}

function noticeOf(name: string): string {
  const named = isPrintable(name) ? `the id or value ${name}` : 'this id or value';
  return `No model has ${named}; runs send it to the model gateway as it is`;
}

function modelsOf({ model_id, default_model, configuration = {}, steps = [] }: NamesModels): string[] {
  const { llm } = configuration;
  const ofLeader = isJsonObject(llm) ? modelIn(llm) : null;
  const named = [model_id, default_model, ofLeader, ...steps.map((step) => step['model_id'])];
  return named.filter((name): name is string => typeof name === 'string' && name !== '');
}
