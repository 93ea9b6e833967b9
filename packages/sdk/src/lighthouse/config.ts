import { keyNodePauseMs } from '@cairn/protocol'

/** Where the drop-in's calls go. Change it before the first call, as with the module it stands in for. */
export const lighthouseConfig = {
  /** Accounts, listings, file info. */
  lighthouseAPI: 'http://127.0.0.1:8080',
  /** Uploads. */
  lighthouseNode: 'http://127.0.0.1:8080',
  /** Reading. */
  lighthouseGateway: 'http://127.0.0.1:8081',
  /** The router of the key nodes. */
  lighthouseBLSNode: 'http://127.0.0.1:9000',
  lighthouseAuthNode: 'http://127.0.0.1:9000',
  /** Pause after each of the five calls of a change, in ms. */
  keyNodePauseMs,
}
