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
    for (const { instance } of this.discovery.getProviders()) {
      if (instance instanceof SkillHolder) this.register(instance);
    }
  }

  get(kind: string): SkillHolder {
    return getRequired(this.byKind, kind);
  }

  /** Returns the holder for a kind in singular or plural. Throws `not_found`. */
  parse(word: string): SkillHolder {
    return this.get(parseEntityTypeOrPlural(word, [...this.byKind.keys()]));
  }

  private register(holder: SkillHolder): void {
    const registered = this.byKind.get(holder.kind);
    if (registered !== undefined && registered !== holder) {
      throw new Error(`The kind ${holder.kind} has two skill holders`);
    }
    this.byKind.set(holder.kind, holder);
  }
}
