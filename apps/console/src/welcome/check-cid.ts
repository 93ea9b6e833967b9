// A part of its own: the decoders of CIDs are not needed to draw the first page.
export { isAnyCid } from '@cairn/sdk'
