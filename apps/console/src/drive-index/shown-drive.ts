import type { Drive } from '@cairn/sdk'

/** A drive that the page shows: its items change with `version`. */
export type ShownDrive = {
  drive: Drive
  account: string
  version: () => number
  subscribe: (listener: () => void) => () => void
}

/** The drive of the signed-in account, for work outside of components. */
let current: ShownDrive | undefined

export function setShownDrive(shown: ShownDrive): void {
  current = shown
}

export function getShownDrive(account: string | undefined): ShownDrive | undefined {
  return current?.account === account ? current : undefined
}
