/** A part of a line. */
export type Run = { text: string; isBold?: boolean; isItalic?: boolean; isStruck?: boolean; href?: string }

/** A part of a document: what remains of it without its layout. */
export type Block =
  | { kind: 'heading'; level: number; runs: Run[] }
  | { kind: 'paragraph'; runs: Run[] }
  /** An item of a list; `number` if the list has numbers. */
  | { kind: 'item'; depth: number; number?: number; runs: Run[] }
  | { kind: 'table'; rows: Block[][][] }
  /** A picture in the file; undefined if browsers do not show its type as an image. */
  | { kind: 'picture'; picture: Blob | undefined; text: string }
  | { kind: 'break' }

/** A sheet of a workbook. */
export type Sheet = { name: string; rows: string[][]; isCut: boolean }

/** The content that the reader of an office file found. */
export type OfficeFile = { kind: 'document'; blocks: Block[]; isCut: boolean } | ({ kind: 'sheets' } & Workbook)

/** The sheets of a workbook; `isCut` if it has more of them. */
export type Workbook = { sheets: Sheet[]; isCut: boolean }

/** Limits beyond which a workbook is not read. The view of tables shows one column less, and states that there are more. */
export const sheetLimits = { sheets: 100, rows: 50_000, columns: 201 } as const

/** Browsers do not lay out more in reasonable time. */
export const maxBlocks = 20_000

export function hasText(runs: readonly Run[]): boolean {
  return runs.some(({ text }) => text.trim() !== '')
}
