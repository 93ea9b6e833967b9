import type { PartSink } from '../multipart/multipart-parser.ts'

/** A part whose bytes one reader pulls while the parser pushes them. */
export type PartStream = {
  sink: PartSink
  /** Pieces of the part; each is valid until the next is requested. One reader only. */
  pieces: AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Connects a pushing parser to a pulling reader without a buffer: a piece returns to the parser when the reader
 * requests the next one or stops.
 *
 * @param whenRead settles when the reader has processed the part; the parser waits for it at the end of the part.
 */
export function createPartStream(whenRead: () => Promise<void>): PartStream {
  let offered: { piece: Uint8Array; taken: () => void } | undefined
  let wake: (() => void) | undefined
  let ended = false
  let stopped = false

  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        if (offered !== undefined) {
          const { piece, taken } = offered
          try {
            yield piece
          } finally {
            offered = undefined
            taken()
          }
        } else if (ended) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      stopped = true
      offered?.taken()
    }
  }

  return {
    pieces: read(),
    sink: {
      write(piece) {
        // A reader that stopped reports its own outcome; the end of the part surfaces it.
        if (stopped) return undefined
        return new Promise<void>((taken) => {
          offered = { piece, taken }
          wake?.()
        })
      },
      async end() {
        ended = true
        wake?.()
        await whenRead()
      },
    },
  }
}
