import { ExecutionFileService } from '@app/executions';
import {
  CurrentCaller,
  FileBody,
  LargeBody,
  ListQuery,
  mapPage,
  PathRest,
  RequireScope,
  reserveFile,
  Returns,
  ReturnsFile,
  ReturnsList,
  sendFile,
  Summary,
  toPage,
  type SentFile,
} from '@app/http';
import type { Caller, PageResult } from '@app/kernel';
import { Controller, Get, Param, Put, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { LeaseToken } from './lease-token.js';
import { ExecutionFileResponse } from './dto/execution-file.dto.js';
import { toExecutionFileResponse } from './execution-file.mapper.js';

const NAME = 'Name of the file: a relative path, which may contain slashes';

/** The files that executions made. */
@ApiTags('executions')
@Controller('api/v1/executions/:execution_id/files')
export class ExecutionFilesController {
  constructor(private readonly files: ExecutionFileService) {}

  @Get()
  @Summary('Lists the files that an execution made, newest first.')
  @RequireScope('tasks:read')
  @ReturnsList(ExecutionFileResponse)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @Query() query: ListQuery,
  ): Promise<PageResult<ExecutionFileResponse>> {
    return mapPage(await this.files.list(caller, executionId, toPage(query)), toExecutionFileResponse);
  }

  @Get('*file_name')
  @Summary('Downloads a file that an execution made.')
  @RequireScope('tasks:read')
  @ReturnsFile()
  async read(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @PathRest('file_name', NAME, 'file_name') name: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    reserveFile(response, caller, await this.files.sizeOf(caller, executionId, name));
    const file = await this.files.read(caller, executionId, name);
    return sendFile(response, { name: file.name, content: file.content, contentType: file.content_type });
  }

  @Put('*file_name')
  @Summary(
    'Stores a file of an execution, or replaces the one with this name. For workers, which upload the files of a run.',
  )
  @RequireScope('tasks:execute')
  @LargeBody()
  @Returns(ExecutionFileResponse)
  async save(
    @CurrentCaller() caller: Caller,
    @Param('execution_id') executionId: string,
    @PathRest('file_name', NAME, 'file_name') name: string,
    @FileBody() { content, contentType }: SentFile,
    @LeaseToken() leaseToken: string | null,
  ): Promise<ExecutionFileResponse> {
    const file = { name, content, content_type: contentType };
    return toExecutionFileResponse(await this.files.save(caller, executionId, file, leaseToken));
  }
}
