export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
