import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LeasesModule } from '../leases/leases.module.js';
import { ExecutionFileEntity } from './execution-file.entity.js';
import { ExecutionFileRepository } from './execution-file.repository.js';
import { ExecutionFileService } from './execution-file.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ExecutionFileEntity]), LeasesModule],
  providers: [ExecutionFileRepository, ExecutionFileService],
  exports: [ExecutionFileService],
})
export class ExecutionFilesModule {}
