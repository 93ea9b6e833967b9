/** Name of the session's API key at the service, in every language: it identifies the key. */
export const sessionKeyName = 'Console session'
