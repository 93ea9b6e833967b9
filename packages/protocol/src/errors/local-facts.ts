import type { ErrorCode } from './error-table.ts'

/** The facts of errors that no response carries, as in the table of the others. Apart, so that bundles of clients omit them. */
export const localFacts = {
  INVALID_CONFIGURATION: 'setting? problems[]? host? port#? taken{}[]?',
  RECOVERY_NEEDED: 'database? owners[]? packs#? examples[]?',
  BACKUP_DAMAGED: 'object?',
  INVALID_ARCHIVE: 'path? field? id?',
  EXPORT_INCOMPLETE: 'missing# manifest',
  IMPORT_INCOMPLETE: 'missing#',
  CID_MISMATCH: 'computed answered[]',
  SHARDS_INCONSISTENT: 'nodeNumbers#[]',
  INSUFFICIENT_FUNDS: 'symbol? haveUnits? neededUnits?',
  PAYMENT_FAILED: 'txHash? batchId? outcome? payment{}?',
  NOT_ENOUGH_SHARDS: 'needed#? right#? wrongNodes#[]? shards#? nodes@?',
  NETWORK_CHANGED: 'changes{}[]',
  UNEXPECTED_RESPONSE: 'missingFields[]?',
} as const satisfies { readonly [Code in ErrorCode]?: string }
