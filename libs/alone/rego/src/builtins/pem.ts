export interface PemBlock {
  readonly type: string;
  readonly der: Buffer;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const TYPE = /[A-Z0-9 ]+-----/y;

/** Returns the blocks of PEM data in order. Text between them is ignored. Takes linear time. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let end = -1;
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, at)) {
    at += BEGIN.length;
    TYPE.lastIndex = at;
    const label = TYPE.exec(text)?.[0];
    if (label === undefined) continue;
    if (end < at) end = text.indexOf(END, at);
    if (end === -1) break;
    if (!text.startsWith(label, end + END.length)) continue;
    blocks.push({
      type: label.slice(0, -5),
      der: Buffer.from(text.slice(at + label.length, end), 'base64'),
    });
    at = end;
  }
  return blocks;
}
