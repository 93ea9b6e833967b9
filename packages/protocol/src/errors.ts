/** One row of the table: HTTP status, message, hint, and whether a retry may help. */
export type ErrorRow = { status: number; message: string; hint: string; retry: boolean }

function row(status: number, message: string, hint: string, retry = false): ErrorRow {
  return { status, message, hint, retry }
}

/**
 * Every error code of Cairn: service, SDK, CLI, documentation and tests read this table. Messages that the
 * specification fixes are verbatim.
 */
export const errorTable = {
  // Input of the caller
  INVALID_REQUEST: row(400, 'The request is not valid', 'Fix what the message names, then retry.'),
  INVALID_CID: row(400, 'Invalid CID', 'Use a CID such as bafy… or Qm…, without a path or spaces.'),
  INVALID_ADDRESS: row(
    400,
    'Invalid public Key',
    'Use a 0x… address with 40 hex characters, or a Solana address in base58.',
  ),
  INVALID_CID_VERSION: row(400, 'cid-version must be 0 or 1', 'Set cid-version to 0 or 1, or omit it to use 1.'),
  INVALID_PATH: row(
    400,
    'Invalid path or file name',
    'Use relative paths without "..", NUL or control characters, and at most 1,024 bytes per name.',
  ),
  INVALID_LABEL: row(
    400,
    'The name contains characters that cannot be displayed',
    'Remove line breaks, control characters and text direction marks.',
  ),
  INVALID_RANGE: row(416, 'Range not satisfiable', 'Request a range within the file.'),
  INVALID_MULTIPART: row(400, 'The multipart body is malformed', 'Send multipart/form-data with one part per file.'),
  NO_FILE: row(400, "file argument 'path' is required", 'Send at least one file part.'),
  DUPLICATE_NAME: row(400, 'Duplicate file name found', 'Give each file in the upload a unique name.'),
  INVALID_CAR: row(
    400,
    'The CAR file is not valid',
    'Export it again as CARv1 or CARv2, with blocks of at most 2 MiB.',
  ),
  BLOCK_HASH_MISMATCH: row(
    400,
    'A block does not match its CID',
    'The data changed in transit or at its source. Fetch or export it again.',
  ),
  INCOMPLETE_DAG: row(
    400,
    'The CAR file is missing blocks that its root links to',
    'Export the complete DAG to one CAR file.',
  ),
  DAG_TOO_DEEP: row(400, 'The DAG is too deep, too wide or too large', 'Split it into smaller DAGs.'),
  UNSUPPORTED_CODEC: row(
    400,
    'This codec or hash function is not supported',
    'Use the codec raw, dag-pb, dag-cbor, dag-json, cbor or json, and a hash function of Kubo, such as sha2-256.',
  ),
  INVALID_PIECE_CID: row(400, 'Invalid piece CID', 'Use a version 2 piece CID (bafk…), as shown in a proof.'),
  PIECE_TOO_LARGE: row(413, 'The piece is too large', 'Split it into several files. details contains the limit.'),
  PIECE_NOT_FOUND: row(404, 'This provider does not store the piece', 'Use another provider.'),
  SOURCE_NOT_ALLOWED: row(403, 'This provider does not fetch from that source', 'Use one of the operator’s sources.'),
  PROVIDER_FULL: row(507, 'This provider does not have enough space for the piece', 'Use another provider.'),
  ADDRESS_NOT_ALLOWED: row(
    403,
    'The address is not on the public internet',
    'Use a public server, or ask the operator to allow private addresses.',
  ),
  PAYLOAD_TOO_LARGE: row(
    413,
    'The request is larger than allowed',
    'Send less data per request. details contains the limit.',
  ),
  TOO_MANY_PARTS: row(413, 'Too many files in one request', 'Split the upload. details contains the limit.'),
  HEADER_TOO_LARGE: row(431, 'A header is larger than allowed', 'Shorten the file names and headers.'),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    'This content type is not accepted',
    'See /docs for the content types of this call.',
  ),
  NOT_A_PICTURE: row(415, 'The file cannot be resized', 'Request it without picture parameters.'),
  PICTURE_TOO_LARGE: row(413, 'The picture is too large to resize', 'Request it without picture parameters.'),
  NOT_ACCEPTABLE: row(
    406,
    'This block is not available in the requested format',
    'Request raw or car, or the format of the CID’s codec.',
  ),
  PRECONDITION_FAILED: row(412, 'A precondition of the request is not met', 'Read the current state and try again.'),
  REQUEST_TIMEOUT: row(408, 'The request was sent too slowly', 'Try again over a faster connection.', true),
  INVALID_PRIVATE_KEY: row(400, 'Invalid private key', 'Use 64 hex characters, with or without 0x.'),
  INVALID_KEYSTORE: row(400, 'Cannot open the wallet file', 'Check the file and the password.'),
  INVALID_CONFIGURATION: row(500, 'The configuration is not valid', 'Fix the settings named in the message.'),
  RECOVERY_NEEDED: row(
    500,
    'The database does not match the stored packs',
    'Nothing was changed. See docs/operate/recover.md.',
  ),
  BACKUP_DAMAGED: row(500, 'The backup is damaged', 'Use another backup.'),
  BACKUP_KEY: row(500, 'The key does not open this backup', 'Use the identity file of a recipient.'),
  BACKUP_NEWER: row(500, 'The backup was written by a newer version', 'Use that version.'),
  BACKUP_OF_ANOTHER: row(500, 'The destination belongs to another database', 'Choose another destination.'),

  // Identity of the caller
  UNAUTHENTICATED: row(
    401,
    'Authentication failed',
    'Send "Authorization: Bearer" with a valid API key. To create one, run `cairn api-key new`.',
  ),
  API_KEY_EXPIRED: row(401, 'Authentication failed: the API key has expired', 'Create a new API key.'),
  API_KEY_REVOKED: row(401, 'Authentication failed: the API key was revoked', 'Create a new API key.'),
  INVALID_SIGNATURE: row(401, 'Invalid Signature', 'Sign a new message with the wallet of that address.'),
  CHALLENGE_EXPIRED: row(
    401,
    'The message to sign has expired or was already used',
    'Request a new message and sign it within five minutes.',
  ),
  FORBIDDEN: row(403, 'This API key does not have the required scope', 'Use an API key with the scope in details.'),
  ACCOUNT_BLOCKED: row(403, 'This account is blocked', 'Contact the operator. Nothing was deleted.'),
  SIGNED_FOR_ANOTHER_USE: row(
    403,
    'The message was signed for another purpose',
    'Sign a new message for this purpose.',
  ),
  CHAIN_NOT_CONFIGURED: row(
    400,
    'No chain is configured to verify contract wallets',
    'Sign with another account, or ask the operator to configure a chain.',
  ),

  SESSION_EXPIRED: row(401, 'Invalid Signature', 'The session has expired. Sign in again, or renew it.'),
  JWT_REQUIRED: row(400, 'auth_token must be a JWT', 'A signature is valid once. Exchange it for a session first.'),
  ACCESS_DENIED: row(403, 'Access Denied', 'Ask the owner to share the file, or meet its conditions.'),

  // Keys and conditions
  INVALID_KEY_SHARDS: row(400, 'keyShards must be an array of 5 objects', 'Send the five shards of one key.'),
  INVALID_SHARD: row(
    400,
    'keyShards must be an array of objects containing these keys [index, key]',
    'Each value is 64 hex characters, from 1 to the group order minus 1.',
  ),
  INVALID_THRESHOLD: row(
    400,
    'keyCount must be greater then threshold',
    'Use a threshold from 2 to the number of shards.',
  ),
  KEY_NOT_SHARDABLE: row(400, 'This key cannot be split', 'Generate a new key.'),
  SHARD_MISMATCH: row(
    400,
    'The shard does not match its commitment',
    'Send each node its own shard from the same set.',
  ),
  WRONG_NODE: row(400, 'This call is for another key node', 'Send it to the node in the path, or to the router.'),
  KEY_NOT_FOUND: row(400, 'cid not found', 'Check the CID. No key was saved for it, or its key was retired.'),
  KEY_UNCONFIRMED: row(
    503,
    'The key node was restored from a backup',
    'Use the other key nodes, or try again later.',
    true,
  ),
  KEY_RETIRED: row(409, 'The key of this file was retired', 'Use the CID in details, if there is one.'),
  UPLOAD_LIMIT: row(403, 'This account has reached its limit of unfinished uploads', 'Finish or cancel some of them.'),
  PIN_LIMIT: row(
    403,
    'This account has reached its limit of unfinished pins',
    'Wait until some are pinned, or remove some of them.',
  ),
  PIN_NOT_FOUND: row(404, 'This account does not have this pin', 'List its pins with GET /pins.'),
  INVALID_CURSOR: row(400, 'The cursor is later than the newest event', 'Start again without a cursor.'),
  EVENT_STREAM_LIMIT: row(429, 'This account has reached its limit of open event streams', 'Close some of them.'),
  WEBHOOK_LIMIT: row(403, 'This account has reached its limit of webhooks', 'Remove some of them.'),
  WEBHOOK_NOT_FOUND: row(404, 'This account does not have this webhook', 'List its webhooks.'),
  INVALID_WEBHOOK_URL: row(400, 'A webhook needs an https URL', 'Use the URL of the receiver.'),
  KEY_LIMIT: row(
    403,
    'This address has reached its limit of keys on this node',
    'Retire keys that are no longer needed.',
  ),
  INVALID_CONDITION: row(400, 'Condition validation error', 'Fix the conditions named in the message.'),
  CHAIN_NOT_SUPPORTED: row(400, 'This chain is not supported by this node', 'Use one of the chains in details.'),
  CONDITION_UNKNOWN: row(503, 'A condition could not be evaluated', 'A chain did not respond. Try again later.', true),
  KEY_NODES_UNAVAILABLE: row(503, 'Fewer than three key nodes are available', 'Try again in a few seconds.', true),

  // Names
  INVALID_NAME: row(400, 'Invalid IPNS name', 'Use a name such as k51…, bafz… or 12D3Koo….'),
  INVALID_NAME_KEY: row(
    400,
    'Invalid name key',
    'Use an Ed25519 key in the format of `ipfs key export`, or in PEM format.',
  ),
  INVALID_NAME_VALUE: row(400, 'A name must point to /ipfs/{cid} or /ipns/{name}', 'Use a CID or such a path.'),
  INVALID_IPNS_RECORD: row(
    400,
    'Invalid IPNS record',
    'Sign the record with the key of this name and a V2 signature. The limit is 10 KiB.',
  ),
  IPNS_RECORD_EXPIRED: row(400, 'The IPNS record has expired', 'Sign a new record with a higher sequence number.'),
  IPNS_RECORD_OUTDATED: row(
    409,
    'A newer record of this name already exists',
    'Sign a record with a higher sequence number.',
  ),
  // Message and status are those that published clients know.
  IPNS_KEY_UNKNOWN: row(500, 'Something went wrong.', 'List the names of the account with get_ipns_records.'),
  NAME_NOT_FOUND: row(404, 'Name not found', 'Check the name, or publish it first.'),
  // A gateway cannot know that there is none: the specification requires a server error, not a client error.
  NAME_UNRESOLVED: row(
    502,
    'This gateway has no valid record of this name',
    'Check the name, publish it here, or use another gateway.',
  ),
  NAME_EXPIRED: row(502, 'The newest record of this name has expired', 'The owner must publish the name again.'),
  NAME_TOO_DEEP: row(
    502,
    'This name resolves through too many other names',
    'Point the name to content more directly.',
  ),
  NAME_LIMIT: row(403, 'This account has reached its limit of names', 'Remove names that are no longer needed.'),
  NAME_KEY_WITH_OWNER: row(
    400,
    'This service does not have the key of this name',
    'Run `cairn name publish` where the key is, or send a signed record.',
  ),

  // Existing resources
  NOT_FOUND: row(404, 'Not Found', 'Check the id, CID or path.'),
  BLOCK_NOT_FOUND: row(404, 'The content is not stored on this service', 'Upload or pin it first.'),
  CONTENT_DENIED: row(410, 'This service does not serve this content', 'details says how to object.'),
  CONTENT_DENIED_BY_LAW: row(
    451,
    'This service does not serve this content for legal reasons',
    'details says how to object.',
  ),
  PATH_NOT_FOUND: row(404, 'The path does not exist under this CID', 'Open the folder to see its contents.'),
  NOT_A_DIRECTORY: row(400, 'This is a file, not a folder', 'Remove the part of the path after the file name.'),
  NOT_A_FILE: row(400, 'This is a folder, not a file', 'List the folder, or use the path of a file in it.'),
  METHOD_NOT_ALLOWED: row(405, 'This call does not support the HTTP method', 'See /docs for the available calls.'),
  CONFLICT: row(409, 'Another request changed this at the same time', 'Try again.', true),
  UPLOAD_OFFSET: row(
    409,
    'The bytes do not start at the offset of the upload',
    'Read the offset with HEAD and send the bytes from there.',
    true,
  ),
  UPLOAD_BUSY: row(423, 'Another request is writing to this upload', 'Try again in a few seconds.', true),
  GONE: row(410, 'This call is no longer available', 'The message names the replacement.'),

  // Prices and limits
  QUOTA_EXCEEDED: row(
    402,
    'Not enough storage',
    'Buy storage or delete files. details contains the number of missing bytes.',
  ),
  FREE_STORAGE_EXHAUSTED: row(402, 'The free storage of this service is full', 'Buy storage, or try again later.'),
  FREE_STORAGE_PAUSED: row(
    402,
    'The remaining disk space is reserved for paid storage',
    'Buy storage, or try again later.',
  ),
  FREE_ACCOUNTS_EXHAUSTED: row(
    402,
    'Too many free accounts were created from this IP address today',
    'Buy storage, or sign in again after the time in details.againAt.',
  ),
  PRICE_UNKNOWN: row(
    503,
    'No current price is available for this coin',
    'Pay in a stablecoin, or try again in a few minutes.',
    true,
  ),
  PAYMENT_FAILED: row(402, 'The payment failed', 'Nothing was credited. Check the transaction before you pay again.'),
  PAYMENT_REJECTED: row(
    400,
    'The payment was rejected in the wallet',
    'Nothing was sent. Approve it in the wallet to pay.',
  ),
  INSUFFICIENT_FUNDS: row(
    402,
    'The wallet has insufficient funds for this payment',
    'Add funds, and native coin for gas.',
  ),
  UNSUPPORTED_NETWORK: row(400, 'Unsupported Network!!!', 'Use one of the chains in details.'),
  TOKEN_NOT_PROVIDED: row(400, 'Token not provided!!!', 'Specify the chain and the coin to pay in.'),
  TOKEN_NOT_SUPPORTED: row(400, 'This coin is not accepted on this chain', 'Use one of the coins in details.'),
  RATE_LIMITED: row(429, 'Too many requests', 'Wait for the seconds in Retry-After, then send fewer requests.', true),

  // Errors of the service
  INTERNAL: row(
    500,
    'Something went wrong in the service',
    'Try again. If it persists, send the request ID to the operator.',
    true,
  ),
  DATA_DAMAGED: row(500, 'A stored block is damaged', 'Nothing damaged was sent. Use another gateway.'),
  PROOF_NOT_FOUND: row(400, "Proof Doesn't exist yet", 'The content is not in a deal yet. Try again later.', true),
  PIECE_DAMAGED: row(500, 'The bytes of this piece do not match its commitment', 'Use another provider.'),
  PROOF_INVALID: row(422, 'The proof is not valid', 'Request a new proof, or use another provider.'),
  STORAGE_FULL: row(
    507,
    'The storage of this service is full',
    'Nothing was stored. Try again later, or use another service.',
    true,
  ),
  STORAGE_FAILED: row(500, 'The service could not write the data', 'Nothing was stored. Try again.', true),
  UNAVAILABLE: row(503, 'The service is not ready', 'Try again in a few seconds.', true),
  OVERLOADED: row(503, 'The service is too busy', 'Try again in a few seconds.', true),
  UPSTREAM_FAILED: row(502, 'An upstream server did not return a valid response', 'Try again later.', true),
  PICTURES_UNAVAILABLE: row(
    501,
    'This gateway does not resize pictures',
    'The operator can run `npm run add -- pictures`.',
  ),
  NOT_SUPPORTED: row(501, 'This service does not support the call', 'See /docs for the available calls.'),

  // Errors of a client
  NETWORK_ERROR: row(0, 'Network error', 'Check the address and the network connection.', true),
  TIMEOUT: row(0, 'Request timed out', 'Try again, or raise the time limit.', true),
  ABORTED: row(0, 'The call was aborted', 'The caller aborted it. No action is needed.'),
  UNSUPPORTED_BODY: row(0, 'Unsupported body type', 'Use text, bytes, a Blob, a stream or form data.'),
  HTTP_ERROR: row(0, 'HTTP error', 'Check the status and the message of the server.'),
  UNEXPECTED_RESPONSE: row(0, 'The server returned an unexpected response', 'Check the address of the service.'),
  NO_JSON_ARRAY: row(0, 'No JSON array found in response', 'Check the address of the service.'),
  CID_MISMATCH: row(
    0,
    'The locally computed CID differs from the server’s CID',
    'The data changed in transit. Upload it again.',
  ),
  VERIFICATION_FAILED: row(0, 'The data received does not match its CID', 'Use another gateway.', true),
  DOWNLOAD_INCOMPLETE: row(
    0,
    'The download ended too early',
    'Try again. What was downloaded is kept and verified.',
    true,
  ),
  INVALID_ARCHIVE: row(0, 'Cannot read the exported account', 'Check the folder, or export the account again.'),
  EXPORT_INCOMPLETE: row(
    0,
    'Some of the account could not be exported',
    'Run the command again to resume. manifest.json lists what is missing.',
    true,
  ),
  IMPORT_INCOMPLETE: row(
    0,
    'Some of the account could not be imported',
    'Fix the problems listed above, then run the command again to resume.',
    true,
  ),
  FILE_CHANGED: row(0, 'A file changed while it was read', 'Upload it again when no program writes to it.'),
  FILE_UNREADABLE: row(0, 'Cannot read a file', 'Check the path and its permissions.'),
  FILE_EXISTS: row(0, 'The target already exists', 'Choose another target, or allow overwriting.'),
  KEY_NOT_RECOVERED: row(0, "can't recover Key", 'Use at least three different shards of one key.'),
  SHARDS_INCONSISTENT: row(
    0,
    'The key nodes returned shards that do not match',
    'details lists the nodes. Try again, or use an exported key set.',
  ),
  NOT_ENOUGH_SHARDS: row(
    0,
    'Fewer than three key nodes returned a shard',
    'details contains the reason for each node. Try again later.',
    true,
  ),
  KEY_SAVE_FAILED: row(0, 'Error encrypting file', 'The key could not be saved, so nothing was uploaded. Try again.'),
  CHANGE_INCOMPLETE: row(
    0,
    'Fewer than three key nodes applied the change',
    'details lists the nodes. Repeat the call to complete the change.',
    true,
  ),
  DECRYPTION_FAILED: row(0, 'Cannot decrypt the file', 'The key belongs to another file, or the data was modified.'),
  NOT_ENCRYPTED: row(0, 'The file is not encrypted', 'Download it without decryption.'),
  FILE_TOO_LARGE: row(0, 'The file is too large for this operation', 'See details for an alternative.'),
  NO_SESSION: row(0, 'No session with the key nodes', 'Open a session with the wallet of your address.'),
  NO_KEY_NODES: row(0, 'This network has no key nodes', 'Use another network profile.'),
  NO_API_KEY: row(0, 'No API key', 'Run `cairn api-key new`, or pass an API key to createClient.'),
  NO_WALLET: row(0, 'No wallet', 'Run `cairn wallet create`, or import a wallet.'),
  NO_NETWORK: row(0, 'No network profile found', 'Run `npm start`, or set --network or CAIRN_NETWORK.'),
  PRIVATE_KEY_MISSING: row(0, 'Private key not provided!!!', 'Pass the private key of the wallet that signs.'),
  USAGE: row(0, 'The command is not valid', 'Run it with --help for usage.'),
} as const satisfies Record<string, ErrorRow>

/** A stable error code: the keys of the {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable

/** Returns whether a text is one of our codes. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(errorTable, text)
}
