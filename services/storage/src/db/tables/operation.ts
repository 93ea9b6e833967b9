import type { AuditEntryTable } from '@cairn/service/admin'

/** When the bucket of a caller of a call is full again. The name is a pseudonym. */
type CallRateTable = { name: string; full_at: number }

/** A rule of the operator's own denylist, a line in the compact format. */
type DenialTable = { rule: string; position: number; reason: string; created_at: number }

/** The holder of a job that only one replica may run. `fence` grows each time the holder changes. */
type LeaseTable = { name: string; owner: string; expires_at: number; fence: number }

/** A setting that the operator changed with `cairn-admin`; the newest row of a name applies. */
type OperatorSettingTable = {
  name: string
  effective_at: number
  /** Null means the value of the service's settings. */
  value: string | null
}

/** Bytes that the gateway sent of stored content; days since 1970, in UTC. */
type EgressTable = { day: number; root_multihash: Uint8Array; bytes: number }

/** Applied migrations. */
type MigrationTable = { name: string; applied_at: number }

/** Data of the service and its operator. */
export type OperationTables = {
  call_rate: CallRateTable
  audit_entry: AuditEntryTable
  denial: DenialTable
  lease: LeaseTable
  operator_setting: OperatorSettingTable
  egress: EgressTable
  migration: MigrationTable
}
