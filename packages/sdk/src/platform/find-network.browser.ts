import { CairnError } from '@cairn/protocol'

/** A page has no file system: its network is that of its own origin. */
export function findNetwork(): string {
  throw new CairnError('NO_NETWORK', { hint: 'Use the URL of a network.' })
}

export function readProfile(path: string): Promise<unknown> {
  throw new CairnError('NO_NETWORK', { message: `A browser cannot read ${path}`, hint: 'Use the URL of a network.' })
}
