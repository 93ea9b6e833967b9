/** Lets the installed console receive files that other apps share. The worker handles no other requests. */
export async function registerShareTarget(): Promise<void> {
  // Some browsers have no service workers in private windows, and none allows them without HTTPS.
  await navigator.serviceWorker
    ?.register('/service-worker.js', { scope: '/share-target', updateViaCache: 'none' })
    .catch(() => undefined)
}
