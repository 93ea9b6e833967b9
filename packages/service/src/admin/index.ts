export { type ActionContext, applyAction } from './action.ts'
export { type AuditEntry, type AuditEntryTable, recordAction } from './audit.ts'
export { createAuditTable } from './audit-table.ts'
export {
  backupOptions,
  createKeyFile,
  openPlaceIfExists,
  readIdentity,
  readKeep,
  reportBackups,
} from './backup-arguments.ts'
export { interrupted } from './interrupted.ts'
export { reportAction, reportActions } from './report-action.ts'
export { runToolAsProcess } from './run-as-process.ts'
export {
  type AdminEnvironment,
  type AdminTool,
  type Report,
  runTool,
  type ToolCommand,
  type ToolInput,
  writeBigints,
} from './run-tool.ts'
export { wrongUse } from './wrong-use.ts'
