/** How a user starts with a passkey. */
export type PasskeyStart = 'use' | 'create'

let answer: ((start: PasskeyStart) => void) | undefined

/** Waits until the user chooses. Browsers open the window of a passkey after a click only. A later call replaces an earlier one. */
export function requestPasskeyStart(): Promise<PasskeyStart> {
  return new Promise((resolve) => {
    answer = resolve
  })
}

/** Answers the waiting request. */
export function startPasskey(start: PasskeyStart): void {
  answer?.(start)
  answer = undefined
}
