/** Constants and limits of Cairn. Names end in their unit. */

export const KIB = 1024
export const MIB = 1024 * 1024
export const GIB = 1024 * MIB

/** Minimum billed size of one upload: 1 MiB. */
export const minBilledBytes = MIB
/** Price that published clients compute with: 0.00390625 USD per MiB. Operators can set another one. */
export const publishedUsdPerGib = 4
/** Maximum number of bytes that one payment buys: far beyond any storage, and countable as a number. */
export const maxPaymentBytes = 1024 * 1024 * GIB

/** Upload and download time limit of clients: 2 hours. */
export const transferTimeoutMs = 7_200_000
/** Time limit of all other calls of clients. */
export const callTimeoutMs = 8_000
/** Attempts of a call that is safe to repeat, including the first. */
export const callTries = 3

/** Default lifetime of an API key. */
export const defaultKeyLifetimeMs = 90 * 24 * 3_600_000
/** Latest time that texts can express: the end of the year 9999. */
export const latestTimeMs = 253_402_300_799_999
/** Maximum length of the name of an API key. */
export const maxKeyNameCharacters = 100

/** Lifetime of a message to sign. */
export const challengeLifetimeMs = 5 * 60_000

/** Rows per page of `files_uploaded`, as published clients expect. */
export const listPageRows = 2000
/** Maximum page size that our own clients may request. */
export const maxListPageRows = 2000

/** Limits of a listing filter: number of types, and characters. */
export const maxFileTypes = 24
export const maxFileTypeLength = 512

/** Multipart limits: files per request, bytes of the headers of a part, bytes of one name and of a whole path. */
export const maxUploadParts = 200_000
export const maxPartHeaderBytes = 16 * KIB
export const maxNameBytes = 1024
export const maxPathBytes = 4096
export const maxPathDepth = 128

/** Maximum size of a block in a CAR, as in bitswap. */
export const maxBlockBytes = 2 * MIB
/** Maximum size of a CAR header. */
export const maxCarHeaderBytes = MIB

/** JSON bodies. */
export const maxJsonBodyBytes = 64 * KIB

/** Minimum average rate of an upload over {@link minSpeedWindowMs}; slower ones are aborted. */
export const minUploadBytesPerSecond = KIB
export const minSpeedWindowMs = 60_000

/** Maximum size of an upload in parts. */
export const maxResumableBytes = 1024 * GIB
/**
 * Maximum bytes of one write call to a file. A call of a MiB or more into new pages of the system cache can cost
 * several times as much as the same bytes in calls of 256 to 512 KiB.
 */
export const maxWriteBytes = 512 * KIB
/** Bytes of a resumable upload that are made durable together; more if it exceeds 1 GiB. A broken connection loses fewer. */
export const resumableSegmentBytes = 8 * MIB
/** Time after its last activity for which a writer has exclusive access to an upload. */
export const uploadWriterLifetimeMs = 8_000

/** Maximum number of ranges that a gateway answers as parts; for more it sends the whole file. */
export const maxRanges = 16

/** Idle connections stay open this long: published clients reuse them after long pauses. */
export const keepAliveTimeoutMs = 72_000

/** Number of key shards: in total, and required for recovery. */
export const keyShardCount = 5
export const keyShardThreshold = 3

/** Pause of clients between the five calls of a change, if the network profile states none. */
export const keyNodePauseMs = 1000
/** Attempts of a call to a key node, and the pause between them. */
export const keyNodeTries = 3
export const keyNodeRetryMs = 1000
/** Maximum number of addresses that a key is shared with, in total and per call. */
export const maxSharedAddresses = 1000
export const maxSharedAddressesPerCall = 100
/** Maximum number of keys of one owner on a node. */
export const maxKeysPerOwner = 1_000_000
/** Rows per page of a list of keys. */
export const maxKeyListRows = 1000
/** Files per call in which key nodes exchange parts of spare shards. */
export const maxSpareFiles = 50
/** Rows per page of the events of keys. */
export const maxKeyEventRows = 200
/** Maximum clock difference between clients and nodes. */
export const clockSkewMs = 60_000
/** Lifetime of a challenge of key nodes: for an operation, and for saving a key, which may follow a long upload. */
export const keyChallengeLifetimeMs = 15 * 60_000
export const keySaveLifetimeMs = 135 * 60_000
/**
 * Maximum number of open messages to sign per address. Beyond it, a new message is created only this long after the
 * last new one, and an open one is returned otherwise. So an address never has more open messages than the last of
 * these constants.
 */
export const maxKeyTextsAtOnce = 12
export const keyTextsEveryMs = 5 * 60_000
export const maxKeyTexts = maxKeyTextsAtOnce + keySaveLifetimeMs / keyTextsEveryMs + 1
/** Lifetime of a message that opens a session. */
export const signInTextLifetimeMs = 10 * 60_000
/** Lifetime of a session token: of published clients, and of our own, which renew theirs. */
export const legacySessionLifetimeMs = 135 * 60_000
export const sessionLifetimeMs = 15 * 60_000
export const refreshLifetimeMs = 7 * 24 * 3_600_000
/** Time from sign-in to the expiry of all sessions renewed from it. */
export const signInLifetimeMs = 30 * 24 * 3_600_000

/** Maximum number of leaves of one challenge to a storage provider. */
export const maxPossessionLeaves = 64
/** Maximum number of leaf windows per challenge. */
export const maxLeafWindows = 1024
/** Rows per page of the pieces of a provider. */
export const maxPieceListRows = 1000

/** Maximum number of names per account, and rows per page of names or of their history. */
export const maxNamesPerAccount = 1000
export const maxNameRows = 500
/** Names created or published per minute, for one API key. */
export const namePublishesPerMinute = 60
/** Maximum size of a record, from the IPNS specification. */
export const maxNameRecordBytes = 10 * KIB
/** Maximum length of the target of a name, and of its label. */
export const maxNameValueCharacters = 2048
export const maxNameLabelCharacters = 100
/** Number of records that are stored as the history of a name. */
export const maxNameHistory = 100
/** Default lifetime of a record, and the time that readers may cache it: as in Kubo. */
export const nameLifetimeMs = 48 * 3_600_000
export const minNameLifetimeMs = 60_000
export const maxNameLifetimeMs = 365 * 24 * 3_600_000
export const nameTtlMs = 5 * 60_000
export const maxNameTtlMs = 7 * 24 * 3_600_000
/** Maximum number of stored records of names without an account. */
export const maxForeignNames = 10_000
/** Maximum number of names in a chain of names before content. */
export const maxNameDepth = 32
