import { CairnError, createClient, openSeekable, type SeekableFile } from '@cairn/sdk'
import type { ByteRange } from './byte-range.ts'
import { isRecording, recordingHeadBytes } from './is-recording.ts'
import type { MediaEvent, MediaOrder, MediaPiece } from './media-order.ts'
import { readPieces } from './read-pieces.ts'

/** The open file: one for each worker, which ends with its player, and with it the key. */
let file: SeekableFile | undefined
const emit = (event: MediaEvent) => postMessage(event)

async function open({ network, cid, masterKey }: Extract<MediaOrder, { kind: 'open' }>): Promise<void> {
  // The key came with this CID, which verifies every byte, so ranges of the first format are the right ones, too.
  file = await openSeekable(createClient({ network }), cid, { masterKey, acceptsFirstFormat: true })
  // In the first format a wrong key is known only at the end of the file: before that it decrypts to noise.
  const isDoubtful = file.header === undefined && !isRecording(await file.read(0, recordingHeadBytes))
  emit(isDoubtful ? { kind: 'doubtful' } : { kind: 'opened', sizeBytes: file.sizeBytes })
}

function serve(opened: SeekableFile, port: MessagePort, range: ByteRange): void {
  const pieces = readPieces(opened, range)
  const send = async (): Promise<void> => {
    const { done, value } = await pieces.next()
    if (done === true) return post({ kind: 'end' })
    // A copy, because it is transferred.
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
