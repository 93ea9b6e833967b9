import type { NameState } from '@cairn/sdk'
import { openTable } from '../ui/open-table.ts'

/**
 * Names whose keys this browser keeps, in a table of their own: they outlive sessions, for a key that is lost can never be
 * replaced. An account sees its own only.
 */
const table = openTable('cairn-names', 'keys')

/** A name whose key is on this device. `key` is what `importNameKey` of the SDK reads: whoever has it can publish the name. */
export type DeviceName = { address: string; name: string; label: string | null; key: string; createdAt: number }

const entryName = (address: string, name: string) => `${address.toLowerCase()}/${name}`

/** The names of an account on this device, newest first. */
export async function listDeviceNames(address: string): Promise<DeviceName[]> {
  const prefix = entryName(address, '')
  const found = await inTable('readonly', (rows) => rows.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`)))
  return Array.isArray(found) ? found.filter(isDeviceName).sort((a, b) => b.createdAt - a.createdAt) : []
}

/** One of them; undefined where its key is not here. */
export async function findDeviceName(address: string, name: string): Promise<DeviceName | undefined> {
  const found = await inTable('readonly', (rows) => rows.get(entryName(address, name)))
  return isDeviceName(found) ? found : undefined
}

/** Keeps a name's key. @throws DOMException where the browser keeps nothing */
export async function keepDeviceName(entry: DeviceName): Promise<void> {
  await inTable('readwrite', (rows) => rows.put(entry, entryName(entry.address, entry.name)))
}

/** Forgets a key for good. */
export async function forgetDeviceName(address: string, name: string): Promise<void> {
  await inTable('readwrite', (rows) => rows.delete(entryName(address, name)))
}

/** A name of this device as the service would tell of it, which has not heard of it yet. */
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
