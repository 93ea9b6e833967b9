import { ignoreBlocked } from '../browser/ignore-blocked.ts'

/** Number of open files of this page. */
let holders = 0

let isRefused = false

/** Whether this browser lets a page answer requests of its players. Some private windows do not, and pages without HTTPS. */
export function hasMediaWorker(): boolean {
  return 'serviceWorker' in navigator && !isRefused
}

/**
 * Registers the service worker that passes requests of players to this page, and waits until it does.
 * @param answer receives those requests
 * @returns a function that removes it with the last holder; undefined if the browser refuses it
 */
export async function holdMediaWorker(answer: (request: MessageEvent) => void): Promise<(() => void) | undefined> {
  const { serviceWorker } = navigator
  holders++
  const release = () => {
    holders--
    if (holders > 0) return
    serviceWorker.removeEventListener('message', answer)
    serviceWorker
      .getRegistration('/')
      .then((one) => (holders === 0 ? one?.unregister() : undefined))
      .catch(ignoreBlocked)
  }
  try {
    serviceWorker.addEventListener('message', answer)
    serviceWorker.startMessages()
    await serviceWorker.register('/media-worker.js', { scope: '/', updateViaCache: 'none' })
    const { active } = await serviceWorker.ready
    if (serviceWorker.controller === null) {
      const controlled = new Promise((resolve) => {
        serviceWorker.addEventListener('controllerchange', resolve, { once: true })
      })
      active?.postMessage('claim')
      await controlled
    }
    return release
  } catch {
    // The file is then decrypted as a whole.
    isRefused = true
    release()
    return undefined
  }
}
