/** The key of the list of the account's upload links. */
export const uploadLinksKey = ['upload-links'] as const
