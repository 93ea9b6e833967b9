import { type ErrorRow, row } from './error-row.ts'

/**
 * The errors that code of browsers creates, whether services create them, too, and those that a response without a code stands
 * for. The other errors are in `service-errors.ts`.
 */
export const clientErrors = {
  // Input of the caller
  INVALID_REQUEST: row(400, 'The request is not valid', 'Fix what the message names, then send the request again.'),
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
  NO_FILE: row(400, "file argument 'path' is required", 'Send at least one file part.'),
  DUPLICATE_NAME: row(400, 'Duplicate file name found', 'Give each file in the upload a unique name.'),
  INVALID_CAR: row(
    400,
    'The CAR file is not valid',
    'Export it again as CARv1 or CARv2, with blocks of at most 2 MiB.',
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
    'Use the codec raw, dag-pb, dag-cbor, dag-json, cbor or json, and a hash function that Kubo accepts, such as sha2-256.',
  ),
  INVALID_PIECE_CID: row(400, 'Invalid piece CID', 'Use a version 2 piece CID (bafk…), as shown in a proof.'),
  PIECE_TOO_LARGE: row(413, 'The piece is too large', 'Split it into several files. details contains the limit.'),
  PAYLOAD_TOO_LARGE: row(
    413,
    'The request is larger than allowed',
    'Send less data per request. details contains the limit.',
  ),
  REQUEST_TIMEOUT: row(
    408,
    'The request was sent too slowly',
    'Try again over a faster or more stable connection.',
    true,
  ),
  INVALID_PRIVATE_KEY: row(400, 'Invalid private key', 'Use exactly 64 hex characters, with or without 0x.'),
  INVALID_KEYSTORE: row(
    400,
    'Cannot open the wallet file',
    'Check the file and the password. The error is the same for both.',
  ),

  // Identity of the caller
  UNAUTHENTICATED: row(
    401,
    'Authentication failed',
    'Send "Authorization: Bearer" with a valid API key. To create one, run `cairn api-key new`.',
  ),
  INVALID_SIGNATURE: row(
    401,
    'Invalid Signature',
    'Request a new message and sign its exact text with the wallet of that address.',
  ),
  FORBIDDEN: row(
    403,
    'This API key does not have the required scope',
    'Use an API key with the scope named in details.',
  ),
  SESSION_EXPIRED: row(401, 'Invalid Signature', 'The session has expired. Sign in again, or renew it.'),
  JWT_REQUIRED: row(400, 'auth_token must be a JWT', 'A signature is valid once. Exchange it for a session first.'),
  ACCESS_DENIED: row(
    403,
    'Access Denied',
    'Ask the owner to share the file with this address, or meet its conditions.',
  ),

  // Keys and conditions
  INVALID_KEY_SHARDS: row(400, 'keyShards must be an array of 5 objects', 'Send the five shards of one key.'),
  INVALID_SHARD: row(
    400,
    'keyShards must be an array of objects containing these keys [index, key]',
    'Each value is 64 hex characters, a number from 1 to the group order minus 1.',
  ),
  INVALID_THRESHOLD: row(
    400,
    'keyCount must be greater then threshold',
    'Use a threshold from 2 to the number of shards.',
  ),
  KEY_NOT_SHARDABLE: row(
    400,
    'This key cannot be split',
    'Generate a new key: 64 hex characters, below the BLS12-381 group order.',
  ),
  WRONG_NODE: row(
    400,
    'This call is for another key node',
    'Send the call to the node named in the path, or to the router.',
  ),
  KEY_NOT_FOUND: row(400, 'cid not found', 'Check the CID. No key was saved for it, or its key was retired.'),
  INVALID_CONDITION: row(400, 'Condition validation error', 'Fix the conditions named in the message.'),
  KEY_NODES_UNAVAILABLE: row(503, 'Fewer than three key nodes are available', 'Try again in a few seconds.', true),

  // Names
  INVALID_NAME: row(
    400,
    'Invalid IPNS name',
    'Use a name such as k51…, bafz… or 12D3Koo…, as shown when it was created.',
  ),
  INVALID_NAME_KEY: row(
    400,
    'Invalid name key',
    'Use an Ed25519 key in the format of `ipfs key export`, or in PEM format.',
  ),
  INVALID_NAME_VALUE: row(
    400,
    'A name must point to /ipfs/{cid} or /ipns/{name}',
    'Use a CID, or a path that starts with /ipfs/ or /ipns/.',
  ),
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
  NAME_TOO_DEEP: row(
    502,
    'This name resolves through too many other names',
    'Point the name to content more directly.',
  ),

  // Existing resources
  NOT_FOUND: row(404, 'Not Found', 'Check the id, CID or path.'),
  PATH_NOT_FOUND: row(404, 'The path does not exist under this CID', 'Open the folder to see its contents.'),
  NOT_A_DIRECTORY: row(400, 'This is a file, not a folder', 'Remove the part of the path after the file name.'),
  NOT_A_FILE: row(400, 'This is a folder, not a file', 'List the folder, or use the path of a file in it.'),
  CONFLICT: row(409, 'Another request changed this at the same time', 'Try again.', true),

  // Prices and limits
  QUOTA_EXCEEDED: row(
    402,
    'Not enough storage',
    'Buy storage or delete files. details contains the number of missing bytes.',
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
    'Nothing was sent. To pay, approve the payment in the wallet.',
  ),
  INSUFFICIENT_FUNDS: row(
    402,
    'The wallet has insufficient funds for this payment',
    'Add funds, and native coin for gas. details contains the balance.',
  ),
  UNSUPPORTED_NETWORK: row(400, 'Unsupported Network!!!', 'Use one of the chains in details.'),
  TOKEN_NOT_PROVIDED: row(400, 'Token not provided!!!', 'Specify the chain and the coin to pay in.'),
  TOKEN_NOT_SUPPORTED: row(400, 'This coin is not accepted on this chain', 'Use one of the coins in details.'),
  RATE_LIMITED: row(
    429,
    'Too many requests',
    'Wait for the seconds in Retry-After, then send requests more slowly.',
    true,
  ),

  // Errors of the service
  INTERNAL: row(
    500,
    'Something went wrong in the service',
    'Try again. If the error persists, send the request ID to the operator.',
    true,
  ),
  DATA_DAMAGED: row(
    500,
    'A stored block is damaged',
    'No damaged data was sent. Use another gateway, or try again later.',
  ),
  PIECE_DAMAGED: row(
    500,
    'The bytes of this piece do not match its commitment',
    'Download the piece from another provider.',
  ),
  PROOF_INVALID: row(
    422,
    'The proof is not valid',
    'details contains the reason. Request a new proof, or use another provider.',
  ),
  STORAGE_FULL: row(
    507,
    'The storage of this service is full',
    'Nothing was stored. Try again later, or use another service.',
    true,
  ),
  UNAVAILABLE: row(503, 'The service is not ready', 'Try again in a few seconds.', true),
  UPSTREAM_FAILED: row(502, 'An upstream server did not return a valid response', 'Try again later.', true),
  NOT_SUPPORTED: row(501, 'This service does not support the call', 'See /docs for the available calls.'),

  // Errors of a client
  NETWORK_ERROR: row(0, 'Network error', 'Check the address and the network connection.', true),
  TIMEOUT: row(0, 'Request timed out', 'Try again, or raise the time limit.', true),
  ABORTED: row(0, 'The call was aborted', 'The caller aborted it. No action is needed.'),
  UNSUPPORTED_BODY: row(0, 'Unsupported body type', 'Use text, bytes, a Blob, a stream or form data.'),
  HTTP_ERROR: row(0, 'HTTP error', 'Check the status and the message of the server.'),
  UNEXPECTED_RESPONSE: row(
    0,
    'The server returned an unexpected response',
    'Check that the address belongs to a Cairn service.',
  ),
  NO_JSON_ARRAY: row(0, 'No JSON array found in response', 'Check that the address belongs to an upload service.'),
  CID_MISMATCH: row(
    0,
    'The locally computed CID differs from the server’s CID',
    'The data changed in transit. Upload it again.',
  ),
  VERIFICATION_FAILED: row(0, 'The data received does not match its CID', 'Download it from another gateway.', true),
  DOWNLOAD_INCOMPLETE: row(
    0,
    'The download ended too early',
    'Try again. The part that was downloaded is kept and verified.',
    true,
  ),
  FILE_CHANGED: row(0, 'A file changed while it was read', 'Upload it again when no other program is writing to it.'),
  FILE_UNREADABLE: row(0, 'Cannot read a file', 'Check the path and its permissions.'),
  FILE_EXISTS: row(0, 'The target already exists', 'Choose another target, or allow overwriting.'),
  KEY_NOT_RECOVERED: row(0, "can't recover Key", 'Use at least three different, unmodified shards of one key.'),
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
  NO_SESSION: row(
    0,
    'No session with the key nodes',
    'Call openKeySession with the wallet of your address, and pass the session to createClient.',
  ),
  NO_KEY_NODES: row(0, 'This network has no key nodes', 'Use a network profile that lists five key nodes.'),
  NO_API_KEY: row(0, 'No API key', 'Run `cairn api-key new`, or pass an API key to createClient.'),
  NO_WALLET: row(0, 'No wallet', 'Run `cairn wallet create`, or import a wallet.'),
  NO_NETWORK: row(0, 'No network profile found', 'Run `npm start`, or set --network or CAIRN_NETWORK.'),
  NETWORK_CHANGED: row(
    0,
    'The network names other key nodes or payment contracts than before',
    'Ask the operator whether this is right. If so, run `cairn network trust`.',
  ),
  USAGE: row(0, 'The command is not valid', 'Run the command with --help for usage.'),
} as const satisfies Record<string, ErrorRow>
