/** Constants and limits of Cairn, one home each. Names end in their unit. */

export const KIB = 1024
export const MIB = 1024 * 1024
export const GIB = 1024 * MIB

/** Least that is billed for one upload: 1 MiB. */
export const leastBilledBytes = MIB
/** Price of storage: 0.00390625 USD per MiB is 1 USD per 256 MiB. */
export const bytesPerUsd = 256 * MIB

/** Upload and download time limit of clients: 2 hours. */
export const transferTimeoutMs = 7_200_000
/** Time limit of all other calls of clients. */
export const callTimeoutMs = 8_000
/** Tries of a call that is safe to repeat, the first one included. */
export const callTries = 3

/** Life of an API key for which no other was asked. */
export const defaultKeyLifetimeMs = 90 * 24 * 3_600_000
/** The last moment that texts can write: the end of the year 9999. */
export const latestTimeMs = 253_402_300_799_999
/** Longest name of an API key. */
export const maxKeyNameCharacters = 100

/** How long a message to sign is good for. */
export const challengeLifetimeMs = 5 * 60_000

/** `files_uploaded` gives this many rows a page, as published clients expect. */
export const listPageRows = 2000
/** Largest page our own clients may ask for. */
export const listPageRowsMost = 2000

/** A filter of a listing: types in one, and characters of it. */
export const fileTypesMost = 24
export const fileTypeLengthMost = 512

/** Multipart limits: files in one request, bytes of one part's headers, bytes of one name and of a whole path. */
export const uploadPartsMost = 200_000
export const partHeaderBytesMost = 16 * KIB
export const nameBytesMost = 1024
export const pathBytesMost = 4096
export const pathDepthMost = 128

/** Largest block accepted in a CAR, as in bitswap. */
export const blockBytesMost = 2 * MIB
/** Largest CAR header. */
export const carHeaderBytesMost = MIB

/** JSON bodies. */
export const jsonBodyBytesMost = 64 * KIB

/** An upload slower than this, averaged over {@link slowestUploadWindowMs}, is cut. */
export const slowestUploadBytesPerSecond = KIB
export const slowestUploadWindowMs = 60_000

/** Longest upload that comes in parts. */
export const resumableBytesMost = 1024 * GIB
/**
 * Bytes that one call writes to a file. A call of a MiB or more into fresh pages of the system's cache can cost several times
 * what the same bytes cost in calls of 256 to 512 KiB.
 */
export const maxWriteBytes = 512 * KIB
/** Bytes of a part that are made durable together: more than this is never sent again after a connection broke. */
export const resumableSegmentBytes = 8 * MIB
/** Who writes to an upload keeps others away this long after the last sign of life. */
export const uploadWriterLifetimeMs = 8_000

/** Ranges of one request that a gateway answers as parts; more are answered whole. */
export const rangesMost = 16

/** Idle connections stay open this long: published clients reuse them after their own long pauses. */
export const keepAliveTimeoutMs = 72_000

/** Key shards: made, and needed to recover. */
export const keyShardCount = 5
export const keyShardThreshold = 3

/** Pause of clients between the five calls of a change, where the network's profile states none. */
export const keyNodePauseMs = 1000
/** Tries of a call to a key node, and the pause between them. */
export const keyNodeTries = 3
export const keyNodeRetryMs = 1000
/** Addresses one key is shared with at most, and those one call may name. */
export const sharedAddressesMost = 1000
export const sharedAddressesPerCallMost = 100
/** Keys one address owns on a node at most. */
export const keysPerOwnerMost = 1_000_000
/** Rows of one page of a list of keys. */
export const keyListRowsMost = 1000
/** How far the clocks of clients and nodes may differ. */
export const clockSkewMs = 60_000
/** Life of a challenge of key nodes: an operation's, and that of saving a key, which may follow a long upload. */
export const keyChallengeLifetimeMs = 15 * 60_000
export const keySaveLifetimeMs = 135 * 60_000
/**
 * Texts to sign that an address has open at once; with so many open, one that follows is fresh only this long after the last
 * fresh one, and an open one otherwise. So an address never has more open than the last of these.
 */
export const keyTextsAtOnceMost = 12
export const keyTextsEveryMs = 5 * 60_000
export const keyTextsMost = keyTextsAtOnceMost + keySaveLifetimeMs / keyTextsEveryMs + 1
/** Life of a text by which a session is opened. */
export const signInTextLifetimeMs = 10 * 60_000
/** Life of a session token: of published clients, and of our own, which renew theirs. */
export const legacySessionLifetimeMs = 135 * 60_000
export const sessionLifetimeMs = 15 * 60_000
export const refreshLifetimeMs = 7 * 24 * 3_600_000
/** From signing in to the last day of all that is renewed from it. */
export const signInLifetimeMs = 30 * 24 * 3_600_000

/** Leaves of one challenge to a storage provider. */
export const possessionLeavesMost = 64
/** Windows of leaves that one challenge may be about. */
export const leafWindowsMost = 1024
/** Rows of one page of a provider's pieces. */
export const pieceListRowsMost = 1000

/** Names one account may have, and rows of one page of them or of their history. */
export const namesPerAccountMost = 1000
export const nameRowsMost = 500
/** Names created or published a minute, for one API key. */
export const namePublishesPerMinute = 60
/** Largest record, as the IPNS specification has it. */
export const nameRecordBytesMost = 10 * KIB
/** What a name points to, and its label. */
export const nameValueCharactersMost = 2048
export const nameLabelCharactersMost = 100
/** Records of one name that are kept as its history. */
export const nameHistoryMost = 100
/** How long a record is good for, and may be kept by readers, where nothing is said: as Kubo does. */
export const nameLifetimeMs = 48 * 3_600_000
export const nameLifetimeMsLeast = 60_000
export const nameLifetimeMsMost = 365 * 24 * 3_600_000
export const nameTtlMs = 5 * 60_000
export const nameTtlMsMost = 7 * 24 * 3_600_000
/** Records kept of names that no account has. */
export const foreignNamesMost = 10_000
/** Names that lead to one another before content comes. */
export const nameDepthMost = 32
