import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { NetworkProfile } from '@cairn/protocol'

/** Where a home folder tells its network's profile. */
export function networkFile(home: string): string {
  return join(home, 'network.json')
}

/** Writes the profile, whole or not at all, readable to its owner alone: it names the test wallet's key. */
export async function writeNetworkFile(home: string, profile: NetworkProfile): Promise<void> {
  const draft = `${networkFile(home)}.draft`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(profile, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, networkFile(home))
}

/** Takes the profile away: the network is not ready, or no longer. */
export async function removeNetworkFile(home: string): Promise<void> {
  await rm(networkFile(home), { force: true })
}
