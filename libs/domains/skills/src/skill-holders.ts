import { discoverProviders } from '@app/discovery';
import { getRequired, parseEntityTypeOrPlural } from '@app/kernel';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SkillHolder } from './skill-holder.js';

/** Registry of the kinds of entities that can have skills, collected from the application's providers. */
@Injectable()
export class SkillHolders implements OnModuleInit {
  private readonly byKind = new Map<string, SkillHolder>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const holder of discoverProviders(this.discovery, SkillHolder)) this.register(holder);
  }

  get(kind: string): SkillHolder {
    return getRequired(this.byKind, kind);
  }

  /** Returns the holder for a kind in singular or plural. Throws `not_found`. */
  parse(word: string): SkillHolder {
    return this.get(parseEntityTypeOrPlural(word, [...this.byKind.keys()]));
  }

  private register(holder: SkillHolder): void {
    if (this.byKind.has(holder.kind)) throw new Error(`The kind ${holder.kind} has two skill holders`);
    this.byKind.set(holder.kind, holder);
  }
}
