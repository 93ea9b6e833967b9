import { CairnError, createClient, openSeekable, type SeekableFile } from '@cairn/sdk'
import type { ByteRange } from './byte-range.ts'
import { isRecording, recordingHeadBytes } from './is-recording.ts'
import type { MediaEvent, MediaOrder, MediaPiece } from './media-order.ts'
import { readPieces } from './read-pieces.ts'

/** The open file. Each player has its own worker, so the key is gone when the player is. */
let file: SeekableFile | undefined
const emit = (event: MediaEvent) => postMessage(event)

async function open({ network, cid, masterKey }: Extract<MediaOrder, { kind: 'open' }>): Promise<void> {
  // The key belongs to this CID, which verifies every byte, so ranges of the first format are safe to show, too.
  file = await openSeekable(createClient({ network }), cid, { masterKey, acceptsFirstFormat: true })
  // In the first format, a wrong key is only detected at the end of the file; until then, the file decrypts to random bytes.
  const isDoubtful = file.header === undefined && !isRecording(await file.read(0, recordingHeadBytes))
  emit(isDoubtful ? { kind: 'doubtful' } : { kind: 'opened', sizeBytes: file.sizeBytes })
}

function serve(opened: SeekableFile, port: MessagePort, range: ByteRange): void {
  const pieces = readPieces(opened, range)
  const send = async (): Promise<void> => {
    const { done, value } = await pieces.next()
    if (done === true) return post({ kind: 'end' })
    // Copied, because the buffer is transferred.
    const bytes = new Uint8Array(value)
    post({ kind: 'bytes', bytes }, [bytes.buffer])
  }
  const post = (piece: MediaPiece, owned: ArrayBuffer[] = []) => port.postMessage(piece, owned)
  port.onmessage = ({ data }) => {
    if (data === 'next') send().catch(() => post({ kind: 'failed' }))
    else port.close()
  }
}

addEventListener('message', ({ data: order }: MessageEvent<MediaOrder>) => {
  if (order.kind === 'serve') {
    if (file !== undefined) serve(file, order.port, order)
  } else open(order).catch((error) => emit({ kind: 'failed', error: CairnError.from(error).toJSON() }))
})
