// Separate, because the first page is drawn without the decoders of CIDs.
export { isAnyCid } from '@cairn/sdk'
