import type { PartSink } from '../multipart/multipart-parser.ts'

/** A part whose bytes are pulled by one reader while the parser pushes them. */
export type PartStream = {
  sink: PartSink
  /** The part's pieces; each is valid until the next is asked for. One reader only. */
  pieces: AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * Joins a pushing parser to a pulling reader without a buffer between them: a piece is given back to the parser when the
 * reader asks for the next one, or stops.
 *
 * @param whenRead settles when the part is over for the parser: it waits there for what the reader makes of it.
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
        // Whoever stopped reading has said all there is to say; the end of the part tells it.
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
