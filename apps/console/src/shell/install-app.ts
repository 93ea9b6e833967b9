/** Lets the installed console take files that other apps share. The worker sees no other request. */
export async function registerShareTarget(): Promise<void> {
  // Some browsers have no workers in private windows, and refuse them without a certificate.
  await navigator.serviceWorker
    ?.register('/service-worker.js', { scope: '/share-target', updateViaCache: 'none' })
    .catch(() => undefined)
}
