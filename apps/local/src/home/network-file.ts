import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { NetworkProfile } from '@cairn/protocol'
import { writeFileWhole } from './write-file-whole.ts'

/** Returns the path of the network profile in a home folder. */
export function networkFile(home: string): string {
  return join(home, 'network.json')
}

/** Writes the profile atomically, readable by its owner only: it contains the key of the test wallet. */
export async function writeNetworkFile(home: string, profile: NetworkProfile): Promise<void> {
  await writeFileWhole(networkFile(home), `${JSON.stringify(profile, undefined, 2)}\n`)
}

/** Removes the profile: the network is not ready, or no longer running. */
export async function removeNetworkFile(home: string): Promise<void> {
  await rm(networkFile(home), { force: true })
}
