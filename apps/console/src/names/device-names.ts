import type { NameState } from '@cairn/sdk'
import { openTable } from '../browser/open-table.ts'

/**
 * Names whose keys this browser stores, in a separate table: they outlive sessions, because a lost key can never be
 * replaced. An account sees only its own.
 */
const table = openTable('cairn-names', 'keys')

/**
 * A name whose key is on this device. `key` is what `importNameKey` of the SDK reads: anyone with it can publish the
 * name.
 */
export type DeviceName = { address: string; name: string; label: string | null; key: string; createdAt: number }

const entryName = (address: string, name: string) => `${address.toLowerCase()}/${name}`

/** Lists the names of an account on this device, newest first. */
export async function listDeviceNames(address: string): Promise<DeviceName[]> {
  const prefix = entryName(address, '')
  const found = await inTable('readonly', (rows) => rows.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`)))
  return Array.isArray(found) ? found.filter(isDeviceName).sort((a, b) => b.createdAt - a.createdAt) : []
}

/** Returns one of them; undefined if its key is not here. */
export async function findDeviceName(address: string, name: string): Promise<DeviceName | undefined> {
  const found = await inTable('readonly', (rows) => rows.get(entryName(address, name)))
  return isDeviceName(found) ? found : undefined
}

/**
 * Stores the key of a name.
 * @throws DOMException if the browser has no storage
 */
export async function keepDeviceName(entry: DeviceName): Promise<void> {
  await inTable('readwrite', (rows) => rows.put(entry, entryName(entry.address, entry.name)))
}

/** Removes a key permanently. */
export async function clearDeviceName(address: string, name: string): Promise<void> {
  await inTable('readwrite', (rows) => rows.delete(entryName(address, name)))
}

/** Converts a name of this device to the format of the service, which does not know it yet. */
export function toNameState({ name, label, createdAt }: DeviceName): NameState {
  return {
    id: name,
    name,
    label,
    value: null,
    cid: null,
    sequence: null,
    validUntil: null,
    ttlMs: null,
    keyHeld: 'owner',
    createdAt,
    updatedAt: createdAt,
  }
}

function isDeviceName(value: unknown): value is DeviceName {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    typeof value.key === 'string' &&
    'name' in value &&
    typeof value.name === 'string' &&
    'label' in value &&
    (value.label === null || typeof value.label === 'string') &&
    'createdAt' in value &&
    typeof value.createdAt === 'number'
  )
}

async function inTable(mode: IDBTransactionMode, run: (rows: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const outcome = await table<unknown>(mode, run)
  if (!outcome.isDone) throw outcome.error
  return outcome.value
}
