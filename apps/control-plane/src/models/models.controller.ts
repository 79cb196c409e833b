import {
  Answers,
  AnswersList,
  AnyKey,
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  ListQuery,
  mapListed,
  PathRest,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, Listed } from '@app/kernel';
import { ModelService } from '@app/models';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateModelRequest, ListModelsQuery, UpdateModelRequest } from './dto/model.request.dto.js';
import { ModelResponse } from './dto/model.response.dto.js';
import { toModelFilter, toModelResponse } from './model.mapper.js';

/** A model is named by its id or its value; a value may contain slashes, so the name is the rest of the path. */
@ApiTags('models')
@Controller('api/v1/models')
export class ModelsController {
  constructor(private readonly models: ModelService) {}

  @Get()
  @Summary('Lists the models.')
  @AnyKey()
  @AnswersList(ModelResponse)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListModelsQuery): Promise<Listed<ModelResponse>> {
    return mapListed(await this.models.list(caller, toModelFilter(query), toPage(query)), toModelResponse);
  }

  @Post()
  @Summary('Stores a model that agents can name.')
  @AnyKey()
  @Idempotent()
  @Answers(ModelResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateModelRequest): Promise<ModelResponse> {
    return toModelResponse(await this.models.create(caller, body));
  }

  @Get('default')
  @Summary('Reads the model that agents without one use.')
  @AnyKey()
  @Answers(ModelResponse)
  async readDefault(@CurrentCaller() caller: Caller): Promise<ModelResponse> {
    return toModelResponse(await this.models.readDefault(caller));
  }

  @Get('providers')
  @Summary('Lists the providers of the stored models.')
  @AnyKey()
  @AnswersList(String)
  async providers(@CurrentCaller() caller: Caller, @Query() query: ListQuery): Promise<Listed<string>> {
    return this.models.providers(caller, toPage(query));
  }

  @Get('*model')
  @Summary('Reads a model by its id or its name.')
  @AnyKey()
  @Answers(ModelResponse)
  async read(@CurrentCaller() caller: Caller, @PathRest('model') model: string): Promise<ModelResponse> {
    return toModelResponse(await this.models.read(caller, model));
  }

  @Patch('*model')
  @Summary('Changes the named fields of a model.')
  @AnyKey()
  @Answers(ModelResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @PathRest('model') model: string,
    @Body() body: UpdateModelRequest,
  ): Promise<ModelResponse> {
    return toModelResponse(await this.models.update(caller, model, body));
  }

  @Put('*model')
  @Summary('Changes a model; what the body does not name stays.')
  @AnyKey()
  @Answers(ModelResponse, { description: 'The same as PATCH' })
  async replace(
    @CurrentCaller() caller: Caller,
    @PathRest('model') model: string,
    @Body() body: UpdateModelRequest,
  ): Promise<ModelResponse> {
    return this.update(caller, model, body);
  }

  @Delete('*model')
  @Summary('Deletes a model.')
  @AnyKey()
  @Answers(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @PathRest('model') model: string): Promise<DeletedResponse> {
    return { id: await this.models.delete(caller, model), deleted: true };
  }
}
