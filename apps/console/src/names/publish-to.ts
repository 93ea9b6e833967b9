import { type Client, importNameKey, type NameState, type PublishOptions, publishName, publishSigned } from '@cairn/sdk'
import { getSession } from '../session/session-store.ts'
import { findDeviceName } from './device-names.ts'

/** Points a name to a target: signed here if its key is on this device, else by the service. */
export async function publishTo(
  client: Client,
  name: NameState,
  value: string,
  options: PublishOptions = {},
): Promise<void> {
  const address = getSession()?.address
  const own = name.keyHeld === 'owner' && address !== undefined ? await findDeviceName(address, name.name) : undefined
  if (own === undefined) {
    await publishName(client, name.name, value, options)
    return
  }
  // The first publication adds it to the list of the account, with its local label.
  const label = name.value === null && own.label !== null ? { label: own.label } : {}
  await publishSigned(client, await importNameKey(own.key), value, { ...options, ...label })
}
