// Few folders are large enough to be sharded, so pages load the hash function of their names on demand.

/** Loads the code that finds a name in a sharded folder. */
export const loadHamtSlots = () => import('./hamt-slots.ts')

/** Loads the code that writes a sharded folder. */
export const loadHamtWriter = () => import('./hamt-writer.ts')
