/** Bytes at the start of a file that identify its type. */
export const recordingHeadBytes = 16

/** Byte signatures of the containers and streams that browsers play, and their positions. */
const marks: readonly (readonly [at: number, mark: string])[] = [
  [4, 'ftyp'],
  [4, 'moov'],
  [4, 'mdat'],
  [0, '\x1aE\xdf\xa3'],
  [0, 'OggS'],
  [0, 'RIFF'],
  [0, 'fLaC'],
  [0, 'ID3'],
  [0, 'caff'],
  [0, 'FORM'],
]

/**
 * Returns whether a file starts like audio or video. Bytes decrypted with a wrong key look random; at most three in a thousand
 * such files pass, because they resemble a frame of MPEG audio.
 */
export function isRecording(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head)
  return marks.some(([at, mark]) => text.startsWith(mark, at)) || isMpegAudio(head)
}

/**
 * Returns whether bytes start like a frame of MPEG audio or AAC without a container: 12 bits of sync, then a valid layer, bit
 * rate and sampling frequency.
 */
function isMpegAudio([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const isAac = first === 0xff && (second & 0xf6) === 0xf0
  const hasLayer = (second & 0x06) !== 0 && (second & 0x18) !== 0x08
  const hasRate = third >> 4 !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c
  return isAac || (first === 0xff && second >= 0xe0 && hasLayer && hasRate)
}
