/** The cache in which the service worker puts what other apps share: see `public/service-worker.js`. */
export const sharedCache = 'cairn-shared'
