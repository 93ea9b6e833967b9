/** One row of the table: HTTP status, the sentence, what the user can do, and whether trying again may help. */
export type ErrorRow = { status: number; message: string; hint: string; retry: boolean }

function row(status: number, message: string, hint: string, retry = false): ErrorRow {
  return { status, message, hint, retry }
}

/**
 * Every error code of Cairn, in one place: service, SDK, CLI, documentation and tests read this table.
 * Sentences that the specification fixes stand here letter by letter.
 */
export const errorTable = {
  // What the caller sent
  INVALID_REQUEST: row(400, 'The request is not valid', 'Correct the fields named in details and send it again.'),
  INVALID_CID: row(400, 'Invalid CID', 'Give a CID such as bafy… or Qm…, without a path or blanks.'),
  INVALID_ADDRESS: row(
    400,
    'Invalid public Key',
    'Give a 0x… address of 40 hex characters, or a Solana address in base58.',
  ),
  INVALID_CID_VERSION: row(400, 'cid-version must be 0 or 1', 'Leave cid-version away (1), or set it to 0 or 1.'),
  INVALID_PATH: row(
    400,
    'Invalid path or file name',
    'Use relative names without "..", NUL or control characters, at most 1,024 bytes a name.',
  ),
  INVALID_LABEL: row(
    400,
    'A name has characters that cannot be shown',
    'Leave out line breaks, control characters and changes of direction.',
  ),
  INVALID_RANGE: row(416, 'Range not satisfiable', 'Ask for bytes that lie within the file.'),
  INVALID_MULTIPART: row(
    400,
    'The multipart body is not well formed',
    'Send multipart/form-data with a boundary, and each file as a part.',
  ),
  NO_FILE: row(400, "file argument 'path' is required", 'Send at least one file part.'),
  DUPLICATE_NAME: row(400, 'Duplicate file name found', 'Give each file of one upload its own name.'),
  INVALID_CAR: row(400, 'The CAR is not valid', 'Export it again: CARv1 or CARv2, each block under 2 MiB and whole.'),
  BLOCK_HASH_MISMATCH: row(
    400,
    'A block does not match its CID',
    'The data was changed on the way or at its source. Fetch or export it again.',
  ),
  INCOMPLETE_DAG: row(400, 'The CAR lacks blocks that its root links to', 'Export the whole DAG into one CAR.'),
  DAG_TOO_DEEP: row(400, 'The DAG is too deep, too wide or too large to walk', 'Split it into smaller trees.'),
  UNSUPPORTED_CODEC: row(
    400,
    'This codec or hash function is not supported',
    'Use raw, dag-pb, dag-cbor or dag-json with sha2-256.',
  ),
  INVALID_PIECE_CID: row(400, 'Invalid piece CID', 'Give a piece CID of version 2 (bafk…), as a proof states it.'),
  PIECE_TOO_LARGE: row(413, 'The piece is larger than any may be', 'Store it as several files; details has the limit.'),
  PIECE_NOT_FOUND: row(404, 'This provider does not keep that piece', 'Ask another provider, or look at its state.'),
  SOURCE_NOT_ALLOWED: row(
    403,
    'This provider fetches nothing from there',
    'Name a URL below one of the sources that its operator configured.',
  ),
  PROVIDER_FULL: row(507, 'This provider has no room for the piece', 'Offer it to another one.'),
  PAYLOAD_TOO_LARGE: row(413, 'The request is larger than allowed', 'Send less in one request; details has the limit.'),
  TOO_MANY_PARTS: row(413, 'Too many files in one request', 'Split the upload; details has the limit.'),
  HEADER_TOO_LARGE: row(431, 'A header is larger than allowed', 'Shorten file names and headers.'),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    'This content type is not accepted here',
    'Send the content type the call documents.',
  ),
  NOT_ACCEPTABLE: row(
    406,
    'This block cannot be shown in the format asked for',
    'Ask for raw or car, or for the format of the CID’s own codec.',
  ),
  PRECONDITION_FAILED: row(412, 'A condition of the request does not hold', 'Fetch the current state and try again.'),
  REQUEST_TIMEOUT: row(408, 'The request came too slowly', 'Send it over a faster or steadier connection.', true),
  INVALID_PRIVATE_KEY: row(
    400,
    'Invalid private key',
    'A private key is exactly 64 hex characters, with or without 0x.',
  ),
  INVALID_KEYSTORE: row(
    400,
    'The wallet file cannot be opened',
    'Check the file and the password: a wrong password and a changed file look the same.',
  ),
  INVALID_CONFIGURATION: row(
    500,
    'The configuration is not valid',
    'Correct the settings named; docs/configuration.md lists them all.',
  ),
  RECOVERY_NEEDED: row(
    500,
    'The database and the stored packs do not belong together',
    'Nothing was changed. docs/operate/recover.md says which command to run.',
  ),

  // Who the caller is
  UNAUTHENTICATED: row(
    401,
    'Authentication failed',
    'Send "Authorization: Bearer" with a valid API key; make one with `cairn api-key new`.',
  ),
  API_KEY_EXPIRED: row(401, 'Authentication failed: the API key has expired', 'Make a new key.'),
  API_KEY_REVOKED: row(401, 'Authentication failed: the API key was revoked', 'Make a new key.'),
  INVALID_SIGNATURE: row(
    401,
    'Invalid Signature',
    'Ask for a new message, sign exactly its text with the wallet of that address, and send it before it expires.',
  ),
  CHALLENGE_EXPIRED: row(
    401,
    'The message to sign has expired or was used',
    'Ask for a new message and sign it: each can be used once, within five minutes.',
  ),
  FORBIDDEN: row(403, 'This API key may not do that', 'Use a key with the scope named in details.'),
  SIGNED_FOR_ANOTHER_USE: row(
    403,
    'The text was signed for another use',
    'Sign a new message that names this purpose, these scopes and this end.',
  ),
  CHAIN_NOT_CONFIGURED: row(
    400,
    'No chain is configured to check contract wallets',
    'Sign with an externally owned account, or ask the operator to configure a chain.',
  ),

  SESSION_EXPIRED: row(401, 'Invalid Signature', 'The session has ended: sign in again, or renew it.'),
  JWT_REQUIRED: row(
    400,
    'auth_token must be a JWT',
    'A signature is good for one operation: exchange it for a session first.',
  ),
  ACCESS_DENIED: row(
    403,
    'Access Denied',
    'Ask the owner to share the file with this address, or meet its conditions; the explain call says which fails.',
  ),

  // Keys and conditions
  INVALID_KEY_SHARDS: row(400, 'keyShards must be an array of 5 objects', 'Give the five shards of one key.'),
  INVALID_SHARD: row(
    400,
    'keyShards must be an array of objects containing these keys [index, key]',
    'Each is 64 hex characters, a number from 1 to the order of the group less one.',
  ),
  INVALID_THRESHOLD: row(
    400,
    'keyCount must be greater then threshold',
    'Use a threshold from 2 to the number of shards.',
  ),
  KEY_NOT_SHARDABLE: row(
    400,
    'This key cannot be split',
    'A key is 64 hex characters, a number from 1 to the order of BLS12-381 less one; generate one.',
  ),
  SHARD_MISMATCH: row(400, 'The shard does not fit its commitment', 'Send each node its own shard of one set.'),
  WRONG_NODE: row(400, 'This call is for another key node', 'Send it to the node named in the path, or to the router.'),
  KEY_NOT_FOUND: row(400, 'cid not found', 'Check the CID: no key was saved for it, or it was retired.'),
  KEY_RETIRED: row(
    409,
    'The key of this file is retired',
    'The file has another key under another CID, which details names where it is known: use that one.',
  ),
  UPLOAD_LIMIT: row(
    403,
    'This account has as many unfinished uploads as it may',
    'Finish or cancel some of them (GET /api/uploads lists them).',
  ),
  KEY_LIMIT: row(403, 'This address holds as many keys as a node keeps for one', 'Retire keys that are not needed.'),
  INVALID_CONDITION: row(400, 'Condition validation error', 'Correct the conditions as the message says.'),
  CHAIN_NOT_SUPPORTED: row(
    400,
    'This chain is not supported by this node',
    'Use one of the chains that details lists, or ask the operators to configure it.',
  ),
  CONDITION_UNKNOWN: row(503, 'A condition could not be checked', 'A chain did not answer. Try again later.', true),
  KEY_NODES_UNAVAILABLE: row(503, 'Fewer than three key nodes answer', 'Try again in some seconds.', true),

  // Names
  INVALID_NAME: row(
    400,
    'Invalid IPNS name',
    'Give a name such as k51…, bafz… or 12D3Koo…, as it was shown when it was created.',
  ),
  INVALID_NAME_KEY: row(
    400,
    'Invalid key of a name',
    'Give an Ed25519 key as `ipfs key export` writes it, or the PEM of one.',
  ),
  INVALID_NAME_VALUE: row(
    400,
    'A name points to /ipfs/{cid} or /ipns/{name}',
    'Give a CID, or a path that begins with /ipfs/ or /ipns/.',
  ),
  INVALID_IPNS_RECORD: row(
    400,
    'Invalid IPNS record',
    'Sign a record by the key of this very name, with a V2 signature, of at most 10 KiB.',
  ),
  IPNS_RECORD_EXPIRED: row(400, 'The IPNS record has expired', 'Sign a new one, with a higher sequence.'),
  IPNS_RECORD_OUTDATED: row(
    409,
    'A newer record of this name is known',
    'Sign with a sequence above the one in details.',
  ),
  // The sentence and the status are those that published clients know.
  IPNS_KEY_UNKNOWN: row(
    500,
    'Something went wrong.',
    'This account has no name with that keyName: list them with get_ipns_records.',
  ),
  NAME_NOT_FOUND: row(404, 'There is no such name here', 'Check the name, or publish it first.'),
  // A gateway cannot know that there is none: the specification wants a fault of it, not of the reader.
  NAME_UNRESOLVED: row(
    502,
    'This gateway knows no valid record of this name',
    'Check the name, publish it here, or ask another gateway.',
  ),
  NAME_EXPIRED: row(502, 'The newest record of this name has expired', 'Its owner has to publish it again.'),
  NAME_TOO_DEEP: row(502, 'This name leads through too many others', 'Let it point to content more directly.'),
  NAME_LIMIT: row(403, 'This account has as many names as one may have', 'Remove names that are not needed.'),
  NAME_KEY_WITH_OWNER: row(
    400,
    'The key of this name is not here but with its owner',
    'Run `cairn name publish` on the machine that keeps the key, or send a record signed with it to PUT /api/names/{name}/record.',
  ),

  // What is there
  NOT_FOUND: row(404, 'Not Found', 'Check the id, CID or path.'),
  BLOCK_NOT_FOUND: row(404, 'This content is not stored here', 'Upload or pin it first.'),
  PATH_NOT_FOUND: row(404, 'There is no such path below this CID', 'Open the folder to see its names.'),
  NOT_A_DIRECTORY: row(400, 'This is a file, not a folder', 'Leave the path behind the file’s name away.'),
  NOT_A_FILE: row(400, 'This is a folder, not a file', 'List it, or name a file below it.'),
  METHOD_NOT_ALLOWED: row(405, 'This method is not supported here', 'See /docs for the calls there are.'),
  CONFLICT: row(409, 'Somebody else changed this at the same time', 'Try again.', true),
  UPLOAD_OFFSET: row(
    409,
    'The bytes do not begin where the upload stands',
    'Ask for its offset (HEAD) and send what follows.',
    true,
  ),
  UPLOAD_BUSY: row(423, 'Another request is writing to this upload', 'Try again in some seconds.', true),
  GONE: row(410, 'This call was retired', 'The answer names what to use instead.'),

  // What it costs, how much is allowed
  QUOTA_EXCEEDED: row(
    402,
    'The storage bought does not suffice',
    'Buy more storage or delete files; details says how many bytes are missing.',
  ),
  FREE_STORAGE_EXHAUSTED: row(
    402,
    'All free storage of this service is in use',
    'Buy storage, or try again later; details says how many bytes are missing.',
  ),
  FREE_STORAGE_PAUSED: row(
    402,
    'The service keeps its last disk space for paying accounts',
    'Buy storage, or try again later.',
  ),
  FREE_ACCOUNTS_EXHAUSTED: row(
    402,
    'Too many free accounts were opened from this address today',
    'Buy storage, or sign in again after the time in details (againAt).',
  ),
  PRICE_UNKNOWN: row(
    503,
    'There is no fresh price for this coin',
    'Pay in a stablecoin, or try again in some minutes.',
    true,
  ),
  PAYMENT_FAILED: row(
    402,
    'The payment did not go through',
    'Nothing was credited; details has the transaction, if there is one. Look at it before you pay again.',
  ),
  PAYMENT_REJECTED: row(400, 'The wallet refused the payment', 'Nothing was sent. Approve it in the wallet to pay.'),
  INSUFFICIENT_FUNDS: row(
    402,
    'The wallet does not hold enough for this payment',
    'Top it up: the amount, and native coin for the gas. details has what is there.',
  ),
  UNSUPPORTED_NETWORK: row(400, 'Unsupported Network!!!', 'Name one of the networks in details.'),
  TOKEN_NOT_PROVIDED: row(400, 'Token not provided!!!', 'Name a network, and the coin to pay in.'),
  TOKEN_NOT_SUPPORTED: row(400, 'This coin is not taken on this network', 'Pay in one of the coins in details.'),
  RATE_LIMITED: row(429, 'Too many requests', 'Wait for the seconds in Retry-After, then go on more slowly.', true),

  // What went wrong on the service's side
  INTERNAL: row(
    500,
    'Something went wrong inside the service',
    'Try again; if it stays, tell the operator the request id.',
    true,
  ),
  DATA_DAMAGED: row(
    500,
    'A stored block is damaged',
    'Nothing wrong was sent. The operator was told; fetch it from another gateway or try later.',
  ),
  PROOF_NOT_FOUND: row(
    400,
    "Proof Doesn't exist yet",
    'What is stored is put into a deal within the time the operator set; ask again later.',
    true,
  ),
  PIECE_DAMAGED: row(
    500,
    'The bytes of this piece are not those it was made of',
    'Get the piece from another provider; this one has to mend or fetch its copy again.',
  ),
  PROOF_INVALID: row(
    422,
    'The proof does not hold',
    'Whoever gave it is wrong or lies: details has the reason. Ask again, or ask another provider.',
  ),
  STORAGE_FULL: row(507, 'The service has no room left', 'Try later or at another service; nothing was stored.', true),
  STORAGE_FAILED: row(500, 'The service could not write the data safely', 'Nothing was stored. Try again.', true),
  UNAVAILABLE: row(503, 'The service is not ready', 'Try again in some seconds.', true),
  OVERLOADED: row(503, 'The service is too busy', 'Try again in some seconds.', true),
  UPSTREAM_FAILED: row(502, 'Another server that this needs did not answer rightly', 'Try again later.', true),
  NOT_SUPPORTED: row(501, 'Not supported by this service', 'See /docs for the calls there are.'),

  // What a client meets
  NETWORK_ERROR: row(0, 'Network error', 'Check the address and the connection.', true),
  TIMEOUT: row(0, 'Request timed out', 'Try again, or allow more time.', true),
  ABORTED: row(0, 'The call was aborted', 'Nothing to do: it was asked for.'),
  UNSUPPORTED_BODY: row(0, 'Unsupported body type', 'Give text, bytes, a Blob, a stream or form data.'),
  HTTP_ERROR: row(0, 'HTTP error', 'See the status and the message of the server.'),
  UNEXPECTED_RESPONSE: row(0, 'The server’s answer has an unknown form', 'Check that the address is a Cairn service.'),
  NO_JSON_ARRAY: row(0, 'No JSON array found in response', 'Check that the address is an upload service.'),
  CID_MISMATCH: row(
    0,
    'The CID computed here differs from the server’s',
    'The data changed on the way, or while it was read. Upload it again.',
  ),
  VERIFICATION_FAILED: row(0, 'The data received does not match its CID', 'Fetch it from another gateway.', true),
  DOWNLOAD_INCOMPLETE: row(0, 'The download ended too early', 'Call again: what is there is kept and verified.', true),
  INVALID_ARCHIVE: row(0, 'The exported account cannot be read', 'Check the folder, or export the account again.'),
  EXPORT_INCOMPLETE: row(
    0,
    'Some of the account could not be exported',
    'Run the same command again: it resumes. manifest.json lists what is missing.',
    true,
  ),
  IMPORT_INCOMPLETE: row(
    0,
    'Some of the account could not be imported',
    'Fix what the lines above name and run the same command again: it resumes.',
    true,
  ),
  FILE_CHANGED: row(0, 'A file changed while it was read', 'Upload again when nothing writes to it.'),
  FILE_UNREADABLE: row(0, 'A file cannot be read', 'Check the path and its permissions.'),
  FILE_EXISTS: row(0, 'The target exists already', 'Choose another target or allow overwriting.'),
  KEY_NOT_RECOVERED: row(0, "can't recover Key", 'Give at least three different, unchanged shards of one key.'),
  SHARDS_INCONSISTENT: row(
    0,
    'The key nodes gave shards that do not belong together',
    'details names the nodes. Try again, or use an exported key set.',
  ),
  NOT_ENOUGH_SHARDS: row(
    0,
    'Fewer than three key nodes gave a shard',
    'details says why, node by node. Try again when they are back.',
    true,
  ),
  KEY_SAVE_FAILED: row(0, 'Error encrypting file', 'The key could not be saved, so nothing was uploaded. Try again.'),
  CHANGE_INCOMPLETE: row(
    0,
    'Fewer than three key nodes applied the change',
    'details says which. Make the same call again: it goes on where it stopped.',
    true,
  ),
  DECRYPTION_FAILED: row(
    0,
    'The file cannot be decrypted',
    'The key is another file’s, or the data was changed. Nothing of it was released.',
  ),
  NOT_ENCRYPTED: row(0, 'This is not an encrypted file', 'Download it without decrypting.'),
  FILE_TOO_LARGE: row(0, 'This file is too large to be handled in this way', 'details says what does it.'),
  NO_SESSION: row(0, 'No session with the key nodes', 'Open one with the wallet of your address.'),
  NO_KEY_NODES: row(0, 'This network names no key nodes', 'Use a network whose profile lists five key nodes.'),
  NO_API_KEY: row(0, 'No API key', 'Make one with `cairn api-key new`, or give one to createClient.'),
  NO_WALLET: row(0, 'No wallet', 'Make one with `cairn wallet create`, or import one.'),
  NO_NETWORK: row(0, 'No network profile found', 'Run `npm start`, or name a network with --network or CAIRN_NETWORK.'),
  PRIVATE_KEY_MISSING: row(0, 'Private key not provided!!!', 'Give the private key of the wallet that signs.'),
  USAGE: row(0, 'The command is not written rightly', 'See --help.'),
} as const satisfies Record<string, ErrorRow>

/** A stable error code: the keys of the {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable

/** Whether a text is one of our codes. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(errorTable, text)
}
