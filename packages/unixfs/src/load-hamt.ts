// Few folders are so large that they are sharded. Pages load the hash function of their names when they meet one.

/** Loads what finds a name in a sharded folder. */
export const loadHamtSlots = () => import('./hamt-slots.ts')

/** Loads what writes a sharded folder. */
export const loadHamtWriter = () => import('./hamt-writer.ts')
