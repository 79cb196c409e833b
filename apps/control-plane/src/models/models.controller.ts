import {
  AnyKey,
  CurrentCaller,
  DeletedResponse,
  Idempotent,
  ListQuery,
  mapPage,
  PathRest,
  Returns,
  ReturnsList,
  Summary,
  toPage,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { ModelService, type Model } from '@app/models';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CATALOGUE_HEADERS, CatalogueHeaders, type SetOrigin } from './catalogue-headers.js';
import { CreateModelRequest, ListModelsQuery, UpdateModelRequest } from './dto/model.request.dto.js';
import { ModelResponse } from './dto/model.response.dto.js';
import { toModelFilter, toModelResponse } from './model.mapper.js';

const MODEL = 'Id or value; may contain slashes';

/** `:model` is an id or a value. A value may contain slashes, so the parameter takes the rest of the path. */
@ApiTags('models')
@Controller('api/v1/models')
export class ModelsController {
  constructor(private readonly models: ModelService) {}

  @Get()
  @Summary('Lists the stored models and those of the model gateway, by `display_order`, then newest first.')
  @AnyKey()
  @ReturnsList(ModelResponse, { headers: CATALOGUE_HEADERS })
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListModelsQuery,
    @CatalogueHeaders() setOrigin: SetOrigin,
  ): Promise<PageResult<ModelResponse>> {
    const listed = await this.models.list(caller, toModelFilter(query), toPage(query));
    setOrigin(listed.origin);
    return mapPage(listed, toModelResponse);
  }

  @Post()
  @Summary('Stores a model. It replaces the one of the model gateway with the same value.')
  @AnyKey()
  @Idempotent()
  @Returns(ModelResponse, { status: 201 })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateModelRequest): Promise<ModelResponse> {
    return toModelResponse(await this.models.create(caller, body));
  }

  @Get('default')
  @Summary('Returns the default model, used by agents without one.')
  @AnyKey()
  @Returns(ModelResponse, { headers: CATALOGUE_HEADERS })
  async readDefault(@CurrentCaller() caller: Caller, @CatalogueHeaders() setOrigin: SetOrigin): Promise<ModelResponse> {
    return this.present(await this.models.readDefault(caller), setOrigin);
  }

  @Get('providers')
  @Summary('Lists the provider names of the models, in alphabetical order.')
  @AnyKey()
  @ReturnsList(String, { headers: CATALOGUE_HEADERS })
  async providers(
    @CurrentCaller() caller: Caller,
    @Query() query: ListQuery,
    @CatalogueHeaders() setOrigin: SetOrigin,
  ): Promise<PageResult<string>> {
    const listed = await this.models.listProviders(caller, toPage(query));
    setOrigin(listed.origin);
    return listed;
  }

  @Get('*model')
  @Summary('Returns a model by its id or value.')
  @AnyKey()
  @Returns(ModelResponse, { headers: CATALOGUE_HEADERS })
  async read(
    @CurrentCaller() caller: Caller,
    @PathRest('model', MODEL) model: string,
    @CatalogueHeaders() setOrigin: SetOrigin,
  ): Promise<ModelResponse> {
    return this.present(await this.models.read(caller, model), setOrigin);
  }

  @Patch('*model')
  @Summary('Updates the given fields of a stored model.')
  @AnyKey()
  @Returns(ModelResponse)
  async update(
    @CurrentCaller() caller: Caller,
    @PathRest('model', MODEL) model: string,
    @Body() body: UpdateModelRequest,
  ): Promise<ModelResponse> {
    return toModelResponse(await this.models.update(caller, model, body));
  }

  @Put('*model')
  @Summary('Updates the given fields of a stored model. Same as PATCH.')
  @AnyKey()
  @Returns(ModelResponse, { description: 'Updated model' })
  async replace(
    @CurrentCaller() caller: Caller,
    @PathRest('model', MODEL) model: string,
    @Body() body: UpdateModelRequest,
  ): Promise<ModelResponse> {
    return this.update(caller, model, body);
  }

  @Delete('*model')
  @Summary('Deletes a stored model. Returns 409 and the references if agents, teams, projects or workflows name it.')
  @AnyKey()
  @Returns(DeletedResponse)
  async delete(@CurrentCaller() caller: Caller, @PathRest('model', MODEL) model: string): Promise<DeletedResponse> {
    return { id: await this.models.delete(caller, model), deleted: true };
  }

  private async present(model: Model, setOrigin: SetOrigin): Promise<ModelResponse> {
    setOrigin(await this.models.originOf(model));
    return toModelResponse(model);
  }
}
