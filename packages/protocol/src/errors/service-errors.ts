import { type ErrorRow, row } from './error-row.ts'

/**
 * The errors that only services and the command line create. Browser bundles contain only their codes
 * (`service-errors.browser.ts`): their texts come with the response.
 */
export const serviceErrors = {
  // Input of the caller
  INVALID_MULTIPART: row(
    400,
    'The multipart body is malformed',
    'Send multipart/form-data with a boundary and one part per file.',
  ),
  BLOCK_HASH_MISMATCH: row(
    400,
    'A block does not match its CID',
    'The data changed in transit or at its source. Fetch or export it again.',
  ),
  PIECE_NOT_FOUND: row(
    404,
    'This provider does not store the piece',
    'Check the status of the piece, or use another provider.',
  ),
  SOURCE_NOT_ALLOWED: row(
    403,
    'This provider does not fetch from that source',
    'Use a URL under one of the sources that the operator allows.',
  ),
  PROVIDER_FULL: row(
    507,
    'This provider does not have enough space for the piece',
    'Offer the piece to another provider.',
  ),
  ADDRESS_NOT_ALLOWED: row(
    403,
    'The address is not on the public internet',
    'Use a public server, or ask the operator to allow private addresses.',
  ),
  TOO_MANY_PARTS: row(413, 'Too many files in one request', 'Split the upload. details contains the limit.'),
  HEADER_TOO_LARGE: row(431, 'A header is larger than allowed', 'Shorten the file names and headers.'),
  UNSUPPORTED_MEDIA_TYPE: row(
    415,
    'This content type is not accepted',
    'Send one of the content types that /docs lists for this call.',
  ),
  NOT_A_PICTURE: row(415, 'The file cannot be resized', 'Request the file without picture parameters.'),
  PICTURE_TOO_LARGE: row(
    413,
    'The picture is too large to resize',
    'Request the file without picture parameters. details contains the limits.',
  ),
  NOT_ACCEPTABLE: row(
    406,
    'This block is not available in the requested format',
    'Request raw or car, or the format of the CID’s codec.',
  ),
  PRECONDITION_FAILED: row(412, 'A precondition of the request is not met', 'Read the current state and try again.'),
  INVALID_CONFIGURATION: row(500, 'The configuration is not valid', 'Fix the settings named in the message.'),
  RECOVERY_NEEDED: row(
    500,
    'The database does not match the stored packs',
    'Nothing was changed. See docs/operate/recover.md for the command to run.',
  ),
  BACKUP_DAMAGED: row(500, 'The backup is damaged', 'Use another backup.'),
  BACKUP_KEY: row(500, 'The key does not open this backup', 'Use the identity file of a recipient.'),
  BACKUP_NEWER: row(500, 'The backup was written by a newer version', 'Use that version.'),
  BACKUP_OF_ANOTHER: row(500, 'The destination belongs to another database', 'Choose another destination.'),

  // Identity of the caller
  API_KEY_EXPIRED: row(401, 'Authentication failed: the API key has expired', 'Create a new API key.'),
  API_KEY_REVOKED: row(401, 'Authentication failed: the API key was revoked', 'Create a new API key.'),
  CHALLENGE_EXPIRED: row(
    401,
    'The message to sign has expired or was already used',
    'Request a new message and sign it within five minutes.',
  ),
  ACCOUNT_BLOCKED: row(403, 'This account is blocked', 'Contact the operator. Nothing was deleted.'),
  SIGNED_FOR_ANOTHER_USE: row(
    403,
    'The message was signed for another purpose',
    'Sign a new message that names this purpose, these scopes and this expiry.',
  ),
  CHAIN_NOT_CONFIGURED: row(
    400,
    'No chain is configured to verify contract wallets',
    'Sign with an externally owned account, or ask the operator to configure a chain.',
  ),

  // Keys and conditions
  SHARD_MISMATCH: row(
    400,
    'The shard does not match its commitment',
    'Send each node its own shard from the same set.',
  ),
  KEY_UNCONFIRMED: row(
    503,
    'The key node was restored from a backup',
    'Use the other key nodes, or try again later.',
    true,
  ),
  KEY_RETIRED: row(
    409,
    'The key of this file was retired',
    'Use the CID that replaces this one. details contains it if it is known.',
  ),
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
  CHAIN_NOT_SUPPORTED: row(
    400,
    'This chain is not supported by this node',
    'Use one of the chains in details, or ask the operators to configure this one.',
  ),
  CONDITION_UNKNOWN: row(503, 'A condition could not be evaluated', 'A chain did not respond. Try again later.', true),

  // Names
  // Message and status are those that published clients know.
  IPNS_KEY_UNKNOWN: row(500, 'Something went wrong.', 'List the names of the account with get_ipns_records.'),
  NAME_NOT_FOUND: row(404, 'Name not found', 'Check the name, or publish it first.'),
  // A gateway cannot know that no record exists: the specification requires a server error, not a client error.
  NAME_UNRESOLVED: row(
    502,
    'This gateway has no valid record of this name',
    'Check the name, publish it here, or use another gateway.',
  ),
  NAME_EXPIRED: row(502, 'The newest record of this name has expired', 'The owner must publish the name again.'),
  NAME_LIMIT: row(403, 'This account has reached its limit of names', 'Remove names that are no longer needed.'),
  NAME_KEY_WITH_OWNER: row(
    400,
    'This service does not have the key of this name',
    'Run `cairn name publish` on the machine with the key, or send a signed record to PUT /api/names/{name}/record.',
  ),

  // Existing resources
  BLOCK_NOT_FOUND: row(404, 'The content is not stored on this service', 'Upload or pin it first.'),
  CONTENT_DENIED: row(410, 'This service does not serve this content', 'details says how to object.'),
  CONTENT_DENIED_BY_LAW: row(
    451,
    'This service does not serve this content for legal reasons',
    'details says how to object.',
  ),
  METHOD_NOT_ALLOWED: row(405, 'This call does not support the HTTP method', 'See /docs for the available calls.'),
  UPLOAD_OFFSET: row(
    409,
    'The bytes do not start at the offset of the upload',
    'Read the offset with HEAD and send the bytes from there.',
    true,
  ),
  UPLOAD_BUSY: row(423, 'Another request is writing to this upload', 'Try again in a few seconds.', true),
  GONE: row(410, 'This call is no longer available', 'The message names the replacement.'),

  // Prices and limits
  FREE_STORAGE_EXHAUSTED: row(
    402,
    'The free storage of this service is full',
    'Buy storage, or try again later. details contains the number of missing bytes.',
  ),
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

  // Errors of the service
  PROOF_NOT_FOUND: row(
    400,
    "Proof Doesn't exist yet",
    'Content joins a deal within the time set by the operator. Try again later.',
    true,
  ),
  STORAGE_FAILED: row(500, 'The service could not write the data', 'Nothing was stored. Try again.', true),
  OVERLOADED: row(503, 'The service is too busy', 'Try again in a few seconds.', true),
  PICTURES_UNAVAILABLE: row(
    501,
    'This gateway does not resize pictures',
    'The operator can run `npm run add -- pictures`.',
  ),

  // Errors of a client
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
} as const satisfies Record<string, ErrorRow>
