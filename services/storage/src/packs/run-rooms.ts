/** A piece of memory that runs of blocks are read into, one after the other. */
export type RunRoom = {
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** Blocks of it that nobody has taken yet, and reads into it that are under way. */
  waiting: number
  /** The run that was newest when a block of it was last taken. */
  lastRun: number
}

export type RunRooms = {
  /** A room for the next run: one that is used up, or a new one. */
  next(): RunRoom
  /** Notes that a block was taken, passed over, or its read has ended. */
  letGo(room: RunRoom): void
}

/** Runs that must have begun after the last block of a room was taken, before the room is used again. */
const runsBetween = 2

/**
 * Rooms of one reader. Fresh memory for each MiB would make the collector run every 20 MiB, which costs more than
 * hashing; some rooms in turn cost nothing. They are shared memory, so that another thread can hash what lies in them.
 */
export function createRunRooms(roomBytes: number): RunRooms {
  const rooms: RunRoom[] = []
  let runs = 0
  return {
    next() {
      runs++
      let room = rooms.find((one) => one.waiting === 0 && runs - one.lastRun > runsBetween)
      if (room === undefined) {
        room = { bytes: new Uint8Array(new SharedArrayBuffer(roomBytes)), waiting: 0, lastRun: runs }
        rooms.push(room)
      }
      room.lastRun = runs
      return room
    },
    letGo(room) {
      room.waiting--
      room.lastRun = runs
    },
  }
}
