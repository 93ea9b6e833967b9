import {
  CairnError,
  createName as createNameCall,
  exportName as exportNameCall,
  getName as getNameCall,
  labelName,
  type NameState,
  removeName as removeNameCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { loadTools } from './load-tools.ts'

/**
 * Creates a name. The service stores its key encrypted, and renews its records. For a key that never leaves this
 * machine, see `createNameKey` and `publishSigned`.
 * @param label for lists only
 * @throws CairnError NAME_LIMIT
 */
export function createName(
  client: Client,
  { label, ...options }: CallOptions & { label?: string | undefined } = {},
): Promise<NameState> {
  return call(client, createNameCall, { body: { label: label ?? null } }, options)
}

/**
 * Returns one name of the account, by its id or in any form. Its target is not verified: see `resolveName`.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND
 */
export async function getName(client: Client, name: string, options?: CallOptions): Promise<NameState> {
  return call(client, getNameCall, { params: { name: bare(name) } }, options)
}

/**
 * Sets or removes the label of a name. The name itself does not change.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND
 */
export async function renameName(
  client: Client,
  name: string,
  label: string | null,
  options?: CallOptions,
): Promise<NameState> {
  return call(client, labelName, { params: { name: bare(name) }, body: { label } }, options)
}

/**
 * Removes a name from the account. If the service stores its key, it destroys the key: export it first to keep the
 * name.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND
 */
export async function removeName(client: Client, name: string, options?: CallOptions): Promise<void> {
  await call(client, removeNameCall, { params: { name: bare(name) } }, options)
}

/** The key of a name as text. */
export type ExportedName = { name: string; format: 'libp2p' | 'pem'; key: string }

/**
 * Exports the key of a name from the service, which keeps it as well. Verifies that the key belongs to this name.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND, NAME_KEY_WITH_OWNER, FORBIDDEN for API keys without all scopes,
 *   INVALID_NAME_KEY if the service returns another key
 */
export async function exportName(
  client: Client,
  name: string,
  { format = 'pem', ...options }: CallOptions & { format?: 'libp2p' | 'pem' } = {},
): Promise<ExportedName> {
  const exported = await call(client, exportNameCall, { params: { name: bare(name) }, body: { format } }, options)
  const { importNameKey, readName } = await loadTools()
  const key = await importNameKey(exported.key)
  if (key.name !== (readName(bare(name)) ?? exported.name)) {
    throw new CairnError('INVALID_NAME_KEY', { message: 'The service returned the key of another name' })
  }
  return { name: key.name, format: exported.format, key: exported.key }
}

/** Returns a name in the form that URLs use. @throws CairnError INVALID_NAME for what is not a text */
export function bare(name: string): string {
  if (typeof name !== 'string') throw new CairnError('INVALID_NAME')
  return name.trim().replace(/^(?:\/ipns\/|ipns:\/\/)/, '')
}
