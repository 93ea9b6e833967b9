/** Loads the code that finds a name in a sharded folder: few folders are large enough, so pages load it on demand. */
export const loadHamtSlots = () => import('./hamt-slots.ts')
